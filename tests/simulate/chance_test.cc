#include "chronoveil/simulate/chance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace chronoveil::simulate {
namespace {

// Whether the mean of n draws is within 6 standard errors of what it must be: a Type I error of 2e-9 for each.
template <class Draw>
bool has_mean(double mean, double deviation, Draw draw) {
  constexpr int n = 200000;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += static_cast<double>(draw());
  return std::abs(sum / n - mean) < 6 * deviation / std::sqrt(n);
}

TEST(Chance, LawsHaveTheMeansThatTheirNamesSay) {
  Chance chance(7);
  EXPECT_TRUE(has_mean(0.5, 0.289, [&] { return chance.uniform(); }));
  EXPECT_TRUE(has_mean(4.5, 2.88, [&] { return chance.below(10); }));
  EXPECT_TRUE(has_mean(3, 2, [&] { return chance.normal(3, 2); }));
  EXPECT_TRUE(has_mean(3 * std::exp(0.125), 3 * std::exp(0.125) * std::sqrt(std::expm1(0.25)),
                       [&] { return chance.lognormal(3, 0.5); }));
  EXPECT_TRUE(has_mean(2, 2, [&] { return chance.exponential(2); }));
  EXPECT_TRUE(has_mean(5, 5 / std::sqrt(0.8), [&] { return chance.gamma(0.8, 5); }));
  EXPECT_TRUE(has_mean(5, 5 / std::sqrt(3.0), [&] { return chance.gamma(3, 5); }));
  EXPECT_TRUE(has_mean(0.3, std::sqrt(0.3), [&] { return chance.poisson(0.3); }));
  EXPECT_TRUE(has_mean(40, std::sqrt(40), [&] { return chance.poisson(40); }));
  EXPECT_TRUE(has_mean(400, 20, [&] { return chance.poisson(400); }));
  EXPECT_TRUE(has_mean(1.5, std::sqrt(1.5 * 2.5), [&] { return chance.geometric(1.5); }));
  EXPECT_TRUE(has_mean(30, std::sqrt(30 + 900 / 4.0), [&] { return chance.overdispersed(30, 4); }));
}

TEST(Chance, TheirSpreadIsThatOfTheLaw) {
  Chance chance(8);
  EXPECT_TRUE(has_mean(4, 4 * std::sqrt(2.0), [&] { return std::pow(chance.normal(3, 2) - 3, 2); }));
  EXPECT_TRUE(has_mean(25 / 3.0, 25, [&] { return std::pow(chance.gamma(3, 5) - 5, 2); }));
  EXPECT_TRUE(has_mean(400, 600, [&] { return std::pow(static_cast<double>(chance.poisson(400)) - 400, 2); }));
}

TEST(Chance, TheCheckOfMeansRejectsBrokenTwins) {
  Chance chance(11);
  // A uniform law that misses a hundredth of its range, a Poisson law that forgets every fiftieth event, and a normal
  // law of a spread that is two in a hundred too small.
  EXPECT_FALSE(has_mean(0.5, 0.289, [&] { return chance.uniform(0.01, 1); }));
  EXPECT_FALSE(has_mean(40, std::sqrt(40), [&] { return chance.poisson(0.98 * 40); }));
  EXPECT_FALSE(has_mean(4, 4 * std::sqrt(2.0), [&] { return std::pow(chance.normal(0, 0.98 * 2), 2); }));
}

TEST(Chance, AMeanOfZeroIsAlwaysZero) {
  Chance chance(9);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(chance.poisson(0) + chance.geometric(0) + chance.overdispersed(0, 2), 0);
}

TEST(Chance, AWeightedChoiceFollowsItsWeights) {
  Chance chance(10);
  const double weights[] = {5, 0, 1, 2, 2};
  const WeightedChoice choice(weights);
  for (int i = 0; i < 5; ++i) {
    const double p = weights[i] / 10;
    const double deviation = std::max(1e-9, std::sqrt(p * (1 - p)));  // what has no weight never comes
    EXPECT_TRUE(has_mean(p, deviation, [&] { return choice(chance) == i; })) << i;
  }
}

}  // namespace
}  // namespace chronoveil::simulate
