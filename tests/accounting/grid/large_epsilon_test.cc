// Losses so large that sums of tilted masses leave the range of a number within a few grid points: the bounds enclose
// the truth all the same, from ε = 10 to a million, or the question is refused.
#include <algorithm>
#include <cmath>

#include "accounting/bracketing.h"
#include "accounting/generated.h"

namespace chronoveil::accounting {
namespace {

// How many were priced and how many refused: a test in which all are refused shows nothing.
struct Tally {
  int priced = 0, refused = 0;

  void expect_enclosed(const Event& event, double delta, double epsilon, const Profile& truth) {
    SCOPED_TRACE(to_text(event));
    if (const auto price = epsilon_at(event, *Delta::make(delta)); counted(price)) {
      EXPECT_TRUE(encloses_epsilon(price->epsilon_lower, price->epsilon, delta, truth)) << "at delta " << delta;
    }
    if (const auto price = delta_at(event, *Epsilon::make(epsilon)); counted(price)) {
      EXPECT_TRUE(encloses_delta(price->delta_lower, price->delta, epsilon, truth)) << "at epsilon " << epsilon;
    }
  }

  bool counted(const Result<Price>& price) {
    ++(price ? priced : refused);
    if (!price) {
      EXPECT_EQ(price.error().kind, ErrorKind::cannot_certify) << price.error().text();
    }
    return price.has_value();
  }
};

TEST(LargeEpsilon, DiscreteGaussiansFollowTheExactConvolution) {
  Generator generator(61);
  Tally tally;
  for (int i = 0; i < cases(12); ++i) {
    // Outputs are few at such scales, and a step from one to the next is a loss of shift/scale².
    const double total = generator.log_uniform(10, 1e6), scale = generator.log_uniform(0.2, 3);
    const auto shift = std::max<std::int64_t>(1, std::llround(scale * std::sqrt(total)));
    const bool different = generator.integer(0, 1) == 1;
    const auto second = different ? std::max<std::int64_t>(1, shift * generator.integer(3, 17) / 16) : shift;
    const auto a = oracle::discrete_gaussian(Real(scale), shift), b = oracle::discrete_gaussian(Real(scale), second);
    const Profile truth = [&](const Real& e) {
      Real sum = 0;
      for (std::size_t k = 0; k < a.mass.size(); ++k)
        sum += a.mass[k] * b.delta(e - a.spacing * (a.first + static_cast<long>(k)));
      return sum;
    };
    const Event event =
        different ? Event{Compose{{{DiscreteGaussian{scale, shift}, 1}, {DiscreteGaussian{scale, second}, 1}}}, 1}
                  : Event{DiscreteGaussian{scale, shift}, 2};
    const double first = static_cast<double>(shift) / scale, other = static_cast<double>(second) / scale;
    const double mu = std::hypot(first, other);
    tally.expect_enclosed(event, generator.delta(), mu * mu / 2 + generator.uniform(-2, 8) * mu, truth);
  }
  EXPECT_GT(tally.priced, tally.refused);
}

// A bound that was once printed for such a pair: 194403.47, where 194413.78 is true.
TEST(LargeEpsilon, TheLowerEndOfACellIsRejected) {
  constexpr double kDelta = 1e-12;
  const auto once = oracle::discrete_gaussian(Real(1), 436);
  const Profile truth = [&](const Real& e) {
    Real sum = 0;
    for (std::size_t k = 0; k < once.mass.size(); ++k)
      sum += once.mass[k] * once.delta(e - once.spacing * (once.first + static_cast<long>(k)));
    return sum;
  };
  const auto price = epsilon_at({DiscreteGaussian{1, 436}, 2}, *Delta::make(kDelta));
  ASSERT_TRUE(price) << price.error().text();
  EXPECT_NEAR(price->epsilon, 194'400, 200);
  EXPECT_TRUE(encloses_epsilon(price->epsilon_lower, price->epsilon, kDelta, truth));
  const double twin = price->epsilon_lower * (194403.47 / 194413.78);
  EXPECT_FALSE(encloses_epsilon(twin, twin, kDelta, truth));
}

// Far out the terms of a sum fall so fast that no integral is near it.
TEST(LargeEpsilon, ADiscreteGaussianFarOutIsSummedTermByTerm) {
  for (const auto& [scale, shift] : {std::pair{9532.275417446937, std::int64_t{26532851282}}, {100.0, 400'000}}) {
    const double mu = static_cast<double>(shift) / scale;
    for (const double deviations : {-3.0, 0.0, 3.0}) {
      const auto price = delta_at({DiscreteGaussian{scale, shift}, 1}, *Epsilon::make(mu * mu / 2 + deviations * mu));
      ASSERT_TRUE(price) << price.error().text();
      // The noise is as good as continuous at these scales, and the loss is μ²/2 + μ × a standard normal.
      EXPECT_NEAR(price->delta, 0.5 * std::erfc(deviations / std::sqrt(2.0)), 0.01);
      EXPECT_LE(price->delta_lower, price->delta);
    }
  }
}

// Where noise is next to nothing, ε/μ − μ/2 cancels to a fraction of its digits.
TEST(LargeEpsilon, HardlyAnyGaussianNoiseIsRoundedOutward) {
  auto mills = [](const Real& x) {  // Laplace's continued fraction, for x >= 7
    Real fraction = x;
    for (int k = 110; k >= 1; --k) fraction = x + k / fraction;
    return 1 / fraction;
  };
  for (const double noise : {1e-3, 3.3e-5, 7.7e-7, 1e-7, 1e-8})
    for (const std::int64_t count : {1, 7})
      for (const double deviations : {8.0, 12.0, 20.0, 30.0, 36.0}) {
        const Real mu = sqrt(Real(count)) / Real(noise);
        const auto epsilon = static_cast<double>(mu * mu / 2 + deviations * mu);
        const Profile truth = [&](const Real& e) {
          const Real x = e / mu - mu / 2;
          return oracle::density(x) * (mills(x) - mills(x + mu));
        };
        for (const Event& event : {Event{Gaussian{noise}, count}, Event{TimeSubsampling{count, 1, noise, {}, {}}, 1}}) {
          const auto price = delta_at(event, *Epsilon::make(epsilon));
          ASSERT_TRUE(price) << price.error().text();
          EXPECT_TRUE(encloses_delta(price->delta_lower, price->delta, epsilon, truth)) << to_text(event);
        }
      }
}

TEST(LargeEpsilon, SumsOfGaussiansAreOneGaussian) {
  Generator generator(62);
  Tally tally;
  for (int i = 0; i < cases(4); ++i) {
    const auto count = generator.integer(2, 5);
    const double mu = std::sqrt(2 * generator.log_uniform(10, 1e5) / static_cast<double>(count));
    const Real all = sqrt(Real(count)) * mu;
    const auto centre = static_cast<double>(all * all / 2), deviation = static_cast<double>(all);
    tally.expect_enclosed({Mixture{{{mu}, {1}}, {{0}, {1}}, 1}, count}, generator.delta(),
                          centre + generator.uniform(-2, 8) * deviation,
                          [&](const Real& e) { return oracle::gaussian(all, e); });
  }
  EXPECT_GT(tally.priced, tally.refused);
}

TEST(LargeEpsilon, PureAnswersFollowTheBinomial) {
  Generator generator(63);
  Tally tally;
  for (int i = 0; i < cases(40); ++i) {
    const auto count = generator.integer(2, 6);
    const double epsilon = generator.log_uniform(10, 1e6) / static_cast<double>(count);
    tally.expect_enclosed({Pure{epsilon}, count}, generator.delta(),
                          epsilon * (static_cast<double>(count) - generator.log_uniform(1e-6, 1)),
                          [&](const Real& e) { return oracle::pure(Real(epsilon), count, e); });
  }
  EXPECT_GT(tally.priced, tally.refused);
}

TEST(LargeEpsilon, TwoLaplacesFollowTheirClosedForm) {
  Generator generator(64);
  Tally tally;
  for (int i = 0; i < cases(3); ++i) {
    const double scale = 1 / generator.log_uniform(1e3, 1e6);
    // A loss is 1/b − 2u: u is 0 or, with probability ½, exponential; e^{−1/b}, where it ends, is below any number.
    // With g = (2/b − ε)/2, δ is the integral of 1 − e^{2u − 2g} up to g over the sum of both u, by the number of those
    // that are not 0.
    const Profile truth = [&](const Real& e) {
      const Real g = 1 / Real(scale) - e / 2, once = exp(-g), twice = exp(-2 * g);
      if (g <= 0) return Real(0);
      const Real none = 1 - twice, one = (1 - once) * (1 - once);
      const Real both = 1 - (1 + g) * once - ((g - 1) * once + twice);
      return (none + 2 * one + both) / 4;
    };
    tally.expect_enclosed({Laplace{scale}, 2}, generator.delta(), 2 / scale - generator.log_uniform(1e-3, 60), truth);
  }
  EXPECT_GT(tally.priced, tally.refused);
}

}  // namespace
}  // namespace chronoveil::accounting
