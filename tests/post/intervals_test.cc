// Intervals: their formulas, and that they hold what they say on random walks.
#include "chronoveil/post/intervals.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <random>

#include "chronoveil/post/resample.h"

namespace chronoveil::post {
namespace {

TEST(Intervals, FewerThanTwoSamplesSayNothingAboutTheRate) {
  EXPECT_TRUE(std::isinf(step_rate({10, {}, {}}, 1)));
  const std::vector<std::int64_t> steps{4};
  const std::vector<double> values{2};
  EXPECT_TRUE(std::isinf(step_rate({10, steps, values}, 1)));
}

TEST(Intervals, TheRateIsTheFormulaOfTheHeader) {
  const std::vector<std::int64_t> steps{0, 2, 5};
  const std::vector<double> values{0, 4, -2};
  const double noise = 0.5, squares = 16 + 36, estimate = (squares - 2) / 5;
  const double spread = 2 * std::pow(1 + 2 * estimate, 2) + 2 * std::pow(1 + 3 * estimate, 2) + 4 * noise * noise;
  const double freedom = 2 * squares * squares / spread;
  const double low = boost::math::quantile(boost::math::chi_squared(freedom), 0.16);
  EXPECT_NEAR(step_rate({6, steps, values}, noise), (squares * freedom / low - 2) / 5, 1e-9);
}

TEST(Intervals, TheRateIsNeverBelowZero) {
  std::vector<std::int64_t> steps(50);
  for (std::size_t k = 0; k < steps.size(); ++k) steps[k] = static_cast<std::int64_t>(k);
  const std::vector<double> values(50, 3.0);
  EXPECT_EQ(step_rate({50, steps, values}, 1), 0);
}

TEST(Intervals, VariancesAreTheFormulasOfTheHeader) {
  const std::vector<std::int64_t> steps{1, 5};
  const std::vector<double> values{0, 0};
  const std::vector<double> between{4 + 3, 4, 0.625 * 4 + 3 * 0.75, 0.5 * 4 + 3, 0.625 * 4 + 3 * 0.75, 4, 4 + 3, 4 + 6};
  EXPECT_EQ(linear_variance({8, steps, values}, 4, 3), between);
  const std::vector<double> beside{4 + 3, 4, 4 + 3, 4 + 6, 4 + 3, 4, 4 + 3, 4 + 6};
  EXPECT_EQ(nearest_variance({8, steps, values}, 4, 3), beside);
}

TEST(Intervals, TheNormalHalfWidthIsTheUsualOne) {
  EXPECT_NEAR(normal_half_width(0.95), 1.959963984540054, 1e-12);
  EXPECT_EQ(normal_half_width(0), 0);
}

// Coverage of one interpolation over `trials` random walks, with an interval for its expectation that is wrong with
// probability at most 1e-8: the empirical Bernstein bound [MaurerPontil09] over independent walks.
struct Coverage {
  double mean, margin;
};

template <class Widen>
Coverage coverage(Interpolation interpolation, std::int64_t length, double rate, double step_deviation, Widen widen) {
  constexpr int kTrials = 6000;
  std::mt19937_64 random(21);
  std::normal_distribution<double> normal;
  std::bernoulli_distribution keep(rate);
  double sum = 0, squares = 0;
  int done = 0;
  while (done < kTrials) {
    std::vector<double> truth, values;
    std::vector<std::int64_t> steps;
    for (std::int64_t t = 0; t < length; ++t) {
      truth.push_back((t == 0 ? 300.0 : truth.back()) + step_deviation * normal(random));
      if (!keep(random)) continue;
      steps.push_back(t);
      values.push_back(truth.back() + normal(random));
    }
    if (steps.size() < 2) continue;
    ++done;
    const Samples samples{length, steps, values};
    const Estimate e = widen(samples, resample(samples, {interpolation, 1, 0.95, 0, 1e6}));
    double inside = 0;
    for (std::size_t t = 0; t < truth.size(); ++t) inside += e.lower[t] <= truth[t] && truth[t] <= e.upper[t];
    inside /= static_cast<double>(length);
    sum += inside;
    squares += inside * inside;
  }
  const double mean = sum / kTrials, variance = (squares - sum * mean) / (kTrials - 1), tail = std::log(4 / 1e-8);
  return {mean, std::sqrt(2 * variance * tail / kTrials) + 7 * tail / (3 * (kTrials - 1))};
}

constexpr auto kAsTheyAre = [](const Samples&, Estimate e) { return e; };

bool too_narrow(const Coverage& c) { return c.mean + c.margin < 0.95; }
bool too_wide(const Coverage& c) { return c.mean - c.margin > 0.99; }

TEST(Intervals, HoldTheTruthAboutAsOftenAsTheySay) {
  for (const auto interpolation :
       {Interpolation::linear, Interpolation::nearest, Interpolation::pchip, Interpolation::smooth})
    for (const double step_deviation : {0.3, 3.0}) {
      const Coverage c = coverage(interpolation, 150, 0.15, step_deviation, kAsTheyAre);
      EXPECT_FALSE(too_narrow(c)) << name(interpolation) << " " << step_deviation << ": " << c.mean;
      EXPECT_FALSE(too_wide(c)) << name(interpolation) << " " << step_deviation << ": " << c.mean;
    }
}

TEST(Intervals, ThatForgetTheBridgeAreFoundTooNarrow) {
  const auto only_noise = [](const Samples& samples, Estimate e) {
    const std::vector<double> variance = linear_variance(samples, 1, 0);
    for (std::size_t t = 0; t < e.value.size(); ++t) {
      e.lower[t] = e.value[t] - 1.96 * std::sqrt(variance[t]);
      e.upper[t] = e.value[t] + 1.96 * std::sqrt(variance[t]);
    }
    return e;
  };
  EXPECT_TRUE(too_narrow(coverage(Interpolation::linear, 150, 0.15, 3, only_noise)));
}

TEST(Intervals, ThatAreTwiceAsWideAreFoundTooWide) {
  const auto twice = [](const Samples&, Estimate e) {
    for (std::size_t t = 0; t < e.value.size(); ++t) {
      e.lower[t] = 2 * e.lower[t] - e.value[t];
      e.upper[t] = 2 * e.upper[t] - e.value[t];
    }
    return e;
  };
  EXPECT_TRUE(too_wide(coverage(Interpolation::linear, 150, 0.15, 3, twice)));
}

}  // namespace
}  // namespace chronoveil::post
