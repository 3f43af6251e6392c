// Of a wide discrete Gaussian two nearly equal sums are subtracted. What rounding does to them is in the bounds, also
// far out, where the exponents are large; engines that leave it out are rejected.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "accounting/bracketing.h"
#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {
namespace {

struct Bounds {
  long double lower, upper;
};
using Engine = std::function<Bounds(double scale, std::int64_t shift, double epsilon)>;

// Whether the engine encloses the truth at all scales and all deviations from 0 to 35.
testing::AssertionResult encloses_all(const Engine& engine) {
  for (const double scale : {1e5, 1e8, 1e10, 1e12, 1e15, 1e18})
    for (const std::int64_t shift : {1, 7, 1000})
      for (const double deviations : {0.0, 0.5, 3.0, 12.0, 20.0, 25.0, 30.0, 35.0}) {
        const double epsilon = deviations * static_cast<double>(shift) / scale;
        const Bounds found = engine(scale, shift, epsilon);
        const auto said =
            encloses_delta(static_cast<double>(found.lower), static_cast<double>(found.upper), epsilon,
                           [&](const Real& e) { return oracle::wide_discrete_gaussian(scale, shift, e); });
        if (!said) return testing::AssertionFailure() << scale << " " << shift << ": " << said.message();
      }
  return testing::AssertionSuccess();
}

Bounds priced(double scale, std::int64_t shift, double epsilon) {
  const auto price = delta_at({DiscreteGaussian{scale, shift}, 1}, *Epsilon::make(epsilon));
  EXPECT_TRUE(price) << (price ? "" : price.error().text());
  return price ? Bounds{price->delta_lower, price->delta} : Bounds{1, 0};
}

// The same sums as the engine's, and what it adds to every profile, but for the roundings that it is told to forget.
Engine rounding_by(long double relative) {
  return [relative](long double scale, std::int64_t shift, double epsilon) {
    auto sum = [&](long double from, long double factor) {
      const long double t = from / scale;
      return std::exp(factor - from * from / (2 * scale * scale)) *
             (scale * mills_ratio(t) + 0.5L + t / (12 * scale) - t * (t * t - 3) / (720 * scale * scale * scale));
    };
    const auto d = static_cast<long double>(shift);
    const long double first = std::floor(epsilon * scale * scale / d + d / 2) + 1, below = first - d;
    const long double total = 1 + 2 * sum(1, 0);
    const long double p = below > 0 ? sum(below, 0) : total - sum(1 - below, 0), q = sum(first, epsilon);
    constexpr long double kOfEveryProfile = 1e-12L;
    return Bounds{std::max(0.0L, p - q - relative * (p + q)) / total * (1 - kOfEveryProfile),
                  std::max(0.0L, p - q + relative * (p + q)) / total * (1 + kOfEveryProfile)};
  };
}

TEST(WideNoise, TheTruthIsTheSumOverTheIntegers) {
  for (const std::int64_t shift : {1, 20})
    for (const double deviations : {0.0, 3.0, 12.0}) {
      const Real epsilon = Real(deviations) * shift / 1000;
      const Real truth = oracle::DiscreteGaussianOnce(1000, shift)(epsilon);
      EXPECT_LT(abs(oracle::wide_discrete_gaussian(1000, shift, epsilon) / truth - 1), Real(1e-20)) << deviations;
    }
}

TEST(WideNoise, IsRoundedOutwardAtAllScales) {
  EXPECT_TRUE(encloses_all(priced));
  // And hardly more than it takes.
  for (const double deviations : {0.0, 3.0, 12.0}) {
    const Bounds found = priced(1e5, 1, deviations / 1e5);
    EXPECT_LE(found.upper, found.lower * (1 + 1e-8L)) << deviations;
  }
}

TEST(WideNoise, DifferencesAsTheyComeOutAreRejected) { EXPECT_FALSE(encloses_all(rounding_by(0))); }

TEST(WideNoise, RoundingThatForgetsTheExponentIsRejected) { EXPECT_FALSE(encloses_all(rounding_by(1e-17L))); }

TEST(WideNoise, TheSameSumsWithEnoughOfItAreNot) { EXPECT_TRUE(encloses_all(rounding_by(1e-15L))); }

}  // namespace
}  // namespace chronoveil::accounting
