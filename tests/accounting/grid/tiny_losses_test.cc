// Losses so small that 1 − e^{ε − loss} is below the digits of a number near 1: δ is positive all the same, and ε is
// not rounded below the truth. Sums that subtract what is nearly equal are rejected.
#include <cmath>
#include <vector>

#include "accounting/bracketing.h"
#include "accounting/generated.h"

namespace chronoveil::accounting {
namespace {

void expect_delta_enclosed(const Event& event, double epsilon, const Profile& truth) {
  const auto price = delta_at(event, *Epsilon::make(epsilon));
  ASSERT_TRUE(price) << to_text(event) << ": " << price.error().text();
  EXPECT_TRUE(encloses_delta(price->delta_lower, price->delta, epsilon, truth))
      << to_text(event) << " at epsilon " << epsilon;
}

void expect_epsilon_enclosed(const Event& event, double delta, const Profile& truth) {
  const auto price = epsilon_at(event, *Delta::make(delta));
  ASSERT_TRUE(price) << to_text(event) << ": " << price.error().text();
  EXPECT_TRUE(encloses_epsilon(price->epsilon_lower, price->epsilon, delta, truth))
      << to_text(event) << " at delta " << delta;
}

Profile pure_truth(double per_step, std::int64_t count) {
  return [=](const Real& e) { return oracle::pure(Real(per_step), count, e); };
}

TEST(TinyLosses, OfPureAnswersHaveADeltaJustBelowTheirSum) {
  expect_delta_enclosed({Pure{1e-8}, 2}, 1.9999999999980002e-08, pure_truth(1e-8, 2));
  expect_delta_enclosed({Pure{1e-6}, 2}, 1.99999999999998e-06, pure_truth(1e-6, 2));
  for (const double per_step : {1e-12, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1.0})
    for (const std::int64_t count : {2, 3, 10})
      for (const double below : {1e-15, 1e-14, 1e-13, 1e-12, 1e-10, 1e-8, 1e-4})
        expect_delta_enclosed({Pure{per_step}, count}, static_cast<double>(count) * per_step * (1 - below),
                              pure_truth(per_step, count));
}

TEST(TinyLosses, OfPureAnswersHaveAnEpsilonThatIsLargeEnough) {
  for (const double per_step : {1e-12, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1.0})
    for (const std::int64_t count : {2, 3, 10})
      for (const double delta : {1e-12, 1e-15, 1e-18, 1e-20, 1e-22, 1e-25, 1e-30, 1e-100})
        expect_epsilon_enclosed({Pure{per_step}, count}, delta, pure_truth(per_step, count));
}

TEST(TinyLosses, OfApproximateAnswersHaveAnEpsilonThatIsLargeEnough) {
  const double per_step = 1.1005682672783572e-05, missed = 2.58e-30;
  // 1 − (1 − δ)^n (1 − δ') without its differences.
  const Profile truth = [&](const Real& e) {
    const Real some = -expm1(3 * log1p(-Real(missed)));
    return some + (1 - some) * oracle::pure(Real(per_step), 3, e);
  };
  expect_epsilon_enclosed({Approximate{per_step, missed}, 3}, 1.0157710950010837e-13, truth);
}

TEST(TinyLosses, OfLaplaceNoiseHaveADeltaJustBelowTheirSum) {
  for (const auto& [scale, epsilon] : {std::pair{6915269.749159862, 2.8921503752515533e-07},
                                       {7472397.064250593, 2.6765172979407466e-07},
                                       {1e3, 2e-3 * (1 - 1e-12)},
                                       {1e9, 2e-9 * (1 - 1e-9)}})
    expect_delta_enclosed({Laplace{scale}, 2}, epsilon, oracle::ExponentialPieces(1 / Real(scale), Real(0.5), 2));
  for (const double delta : {1e-14, 1e-18, 1e-21})
    expect_epsilon_enclosed({Laplace{7e6}, 2}, delta, oracle::ExponentialPieces(1 / Real(7e6), Real(0.5), 2));
}

// A δ below the range of a double is not nothing.
TEST(TinyLosses, ThatAreAllButImpossibleDoNotReadAsPurePrivacy) {
  const auto price = delta_at({Gaussian{1}, 1}, *Epsilon::make(100));
  ASSERT_TRUE(price);
  const auto composed = delta_at({Compose{{{Gaussian{1}, 1}, {Pure{0.1}, 2}}}, 1}, *Epsilon::make(100));
  ASSERT_TRUE(composed) << composed.error().text();
  EXPECT_GT(price->delta, 0);
  EXPECT_GT(composed->delta, 0);
}

// Two pure answers in 64 bits: what the engine does with its sums from the top loss down, done by hand.
struct TopOfTwo {
  long double top, p, q;  // the largest loss and its masses

  explicit TopOfTwo(double per_step) : top(2 * static_cast<long double>(per_step)) {
    const long double right = 1 / (1 + std::exp(-static_cast<long double>(per_step)));
    p = right * right;
    q = p * std::exp(-top);
  }
};

template <class DeltaOf, class EpsilonOf>
bool encloses_near_the_top(DeltaOf delta_of, EpsilonOf epsilon_of) {
  for (const double per_step : {1e-8, 3e-7, 1e-6})
    for (const double below : {1e-13, 3e-13, 1e-12, 3e-12}) {
      const TopOfTwo two(per_step);
      const auto epsilon = static_cast<double>(two.top * (1 - below));
      const auto delta = static_cast<double>(two.p * two.top * below);
      // Room for the last digit of ε, which the engine has, too.
      const long double shifted = epsilon - 8e-16L * two.top;
      if (!encloses_delta(0, std::max(0.0, static_cast<double>(delta_of(two, shifted))), epsilon,
                          pure_truth(per_step, 2)) ||
          !encloses_epsilon(0, static_cast<double>(epsilon_of(two, delta) + 8e-16L * two.top), delta,
                            pure_truth(per_step, 2)))
        return false;
    }
  return true;
}

TEST(TinyLosses, DifferencesOfSumsNearOneAreRejected) {
  EXPECT_FALSE(
      encloses_near_the_top([](const TopOfTwo& two, long double epsilon) { return two.p - std::exp(epsilon) * two.q; },
                            [](const TopOfTwo& two, long double delta) { return std::log((two.p - delta) / two.q); }));
  EXPECT_TRUE(encloses_near_the_top(
      [](const TopOfTwo& two, long double epsilon) { return -std::expm1(epsilon - two.top) * two.p; },
      [](const TopOfTwo& two, long double delta) { return two.top + std::log1p(-delta / two.p); }));
}

}  // namespace
}  // namespace chronoveil::accounting
