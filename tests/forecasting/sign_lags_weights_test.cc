#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "chronoveil/forecasting/sign_lags/weights.h"

namespace chronoveil::forecasting {
namespace {

double uniform(BitSource& bits) { return (static_cast<double>(bits.next_u64() >> 11) + 0.5) * 0x1p-53; }
double normal(BitSource& bits) {
  return std::sqrt(-2 * std::log(uniform(bits))) * std::cos(2 * std::numbers::pi * uniform(bits));
}

// A walk whose changes follow an AR(1) law; their spread moves, which signs do not see.
std::vector<float> walk(double memory, std::size_t length, BitSource& bits) {
  std::vector<float> values;
  double change = 0, level = 0;
  for (std::size_t t = 0; t < length; ++t) {
    change = memory * change + normal(bits);
    level += change * (1 + 0.9 * std::sin(0.01 * static_cast<double>(t)));
    values.push_back(static_cast<float>(level));
  }
  return values;
}

// Whether the Toeplitz matrix of rho(0..n-1) has a Cholesky factor.
bool positive_definite(const std::vector<double>& rho, std::size_t n) {
  std::vector<double> factor(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = rho[i - j];
      for (std::size_t k = 0; k < j; ++k) sum -= factor[i * n + k] * factor[j * n + k];
      if (i == j && !(sum > 0)) return false;
      factor[i * n + j] = i == j ? std::sqrt(sum) : sum / factor[j * n + j];
    }
  }
  return true;
}

std::vector<std::int64_t> alternating(std::size_t size, std::int64_t count) {
  std::vector<std::int64_t> products;
  for (std::size_t k = 0; k < size; ++k) products.push_back(k % 3 == 0 ? count : -count);
  return products;
}

TEST(SignLagsWeights, CorrelationsAreRepairedToBePositiveDefinite) {
  const std::vector<std::int64_t> counts(61, 1000);
  EXPECT_FALSE(positive_definite({1, -1, -1, 1, -1, -1}, 6)) << "what is given is no correlation";
  for (const double noise : {0.0, 50.0}) {
    const Correlations made = correlations_of(alternating(61, 1000), counts, noise);
    EXPECT_NEAR(made.rho[0], 1, 1e-12);
    EXPECT_TRUE(positive_definite(made.rho, 61));
    for (const double rho : made.rho) EXPECT_LE(std::abs(rho), 1 + 1e-12);
  }
  BitSource bits = BitSource::with_seed(1);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<std::int64_t> products = {700};
    for (int k = 1; k <= 60; ++k) products.push_back(static_cast<std::int64_t>(2000 * uniform(bits)) - 1000);
    EXPECT_TRUE(positive_definite(correlations_of(products, counts, 0).rho, 61));
  }
}

TEST(SignLagsWeights, CorrelationsThatAreOneStayAsTheyAre) {
  // P(agree) of an AR(1): signs of correlation 2/π asin(φ^k), of 90 % of the steps.
  const double memory = 0.7;
  std::vector<std::int64_t> products = {900'000'000'000}, counts(31, 1'000'000'000'000);
  for (int k = 1; k <= 30; ++k)
    products.push_back(std::llround(900'000'000'000 * 2 / std::numbers::pi * std::asin(std::pow(memory, k))));
  const Correlations made = correlations_of(products, counts, 0);
  for (int k = 0; k <= 30; ++k) EXPECT_NEAR(made.rho[static_cast<std::size_t>(k)], std::pow(memory, k), 2e-5) << k;
}

TEST(SignLagsWeights, NoiseIsTakenOffAndLagsWithoutProductsAreZero) {
  const std::vector<std::int64_t> products = {1000, 10, -10, 900, 77}, counts = {1000, 1000, 1000, 1000, 0};
  const Correlations made = correlations_of(products, counts, 40);
  EXPECT_NEAR(made.noise[1], std::numbers::pi / 2 * 40 / 1000, 1e-12);
  EXPECT_EQ(made.noise[4], 0);
  EXPECT_NEAR(made.rho[1] / made.rho[3], 0, 0.2) << "hidden by its noise, but for the repair";
  const Correlations nothing = correlations_of(std::vector<std::int64_t>(5, 0), counts, 0);
  for (std::size_t k = 1; k < 5; ++k) EXPECT_EQ(nothing.rho[k], 0);
}

TEST(SignLagsWeights, SolveTheirEquations) {
  BitSource bits = BitSource::with_seed(2);
  std::vector<std::int64_t> products = {800};
  for (int k = 1; k <= 24; ++k)
    products.push_back(static_cast<std::int64_t>(600 * std::cos(0.7 * k) + 400 * (uniform(bits) - 0.5)));
  const Correlations made = correlations_of(products, std::vector<std::int64_t>(25, 1000), 5);
  const std::int64_t context = 20, forecast = 4;
  const SeasonWeights weights = weights_of(made, context, forecast);
  double squares = 0;
  for (const double noise : made.noise) squares += noise * noise;
  const double ridge = 0.02 + 0.5 * std::sqrt(2 * squares);
  for (std::size_t h = 1; h <= 4; ++h) {
    const double* a = weights.weights.data() + (h - 1) * 20;
    double explained = 0, form = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      double left = ridge * a[i], row = 0;
      for (std::size_t j = 0; j < 20; ++j) row += made.rho[i > j ? i - j : j - i] * a[j];
      left += row - made.rho[h + i];
      EXPECT_NEAR(left, 0, 1e-10) << h << " " << i;
      explained += a[i] * made.rho[h + i];
      form += a[i] * row;
    }
    EXPECT_NEAR(weights.variances[h - 1], std::clamp(1 - 2 * explained + form, 0.05, 1.0), 1e-10);
  }
}

TEST(SignLagsWeights, WithoutNoiseAreThoseOfLinearPrediction) {
  BitSource bits = BitSource::with_seed(3);
  const double memory = 0.8;
  const SignLagsConfig config{.forecast = 3, .context = 8, .day = 1, .seasons = {1}};
  SignProducts products = SignProducts::make(config).value();
  for (int i = 0; i < 10; ++i) products.add(walk(memory, 60'000, bits));
  const SignLagsModel model = model_of(without_noise(products).value()).value();
  // The best forecast of an AR(1) h steps on is φ^h times the newest value; λ = 0.02 takes a little away and gives some
  // of it to the values before.
  Correlations exact{{}, std::vector<double>(12, 0.0)};
  for (int k = 0; k < 12; ++k) exact.rho.push_back(std::pow(memory, k));
  const SeasonWeights best = weights_of(exact, 8, 3);
  for (std::size_t i = 0; i < best.weights.size(); ++i)
    EXPECT_NEAR(model.seasons[0].weights[i], best.weights[i], 0.02) << i;
  for (std::size_t h = 1; h <= 3; ++h) {
    EXPECT_NEAR(model.seasons[0].weights[(h - 1) * 8], std::pow(memory, h), 0.07) << h;
    EXPECT_NEAR(model.seasons[0].variances[h - 1], 1 - std::pow(memory, 2 * h), 0.03) << h;
  }
}

TEST(SignLagsWeights, VanishUnderNoiseThatHidesEverything) {
  BitSource bits = BitSource::with_seed(4);
  const SignLagsConfig config{.forecast = 3, .context = 8, .day = 1, .seasons = {1}};
  SignProducts products = SignProducts::make(config).value();
  products.add(walk(0.8, 1000, bits));
  DrawRight right = DrawRight::seeded(1);
  const SignLagsModel model = model_of(release(products, 1e6, 1, right).value()).value();
  for (const double weight : model.seasons[0].weights) EXPECT_NEAR(weight, 0, 0.01);
  for (const double variance : model.seasons[0].variances) EXPECT_NEAR(variance, 1, 0.01);
  const SignLagsModel none = without_data(config);
  EXPECT_EQ(none.seasons[0].weights, std::vector<double>(24, 0.0));
  EXPECT_EQ(none.seasons[0].variances, std::vector<double>(3, 1.0));
}

TEST(SignLagsWeights, AreTheSameForTheSameRelease) {
  BitSource bits = BitSource::with_seed(5);
  const SignLagsConfig config{.forecast = 4, .context = 24, .day = 4, .seasons = {4, 8}};
  SignProducts products = SignProducts::make(config).value();
  products.add(walk(0.5, 2000, bits));
  DrawRight one = DrawRight::seeded(9), same = DrawRight::seeded(9);
  const SignLagsModel first = model_of(release(products, 2, 1, one).value()).value();
  const SignLagsModel second = model_of(release(products, 2, 1, same).value()).value();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(first.seasons[i].weights, second.seasons[i].weights);
    EXPECT_EQ(first.seasons[i].variances, second.seasons[i].variances);
  }
}

}  // namespace
}  // namespace chronoveil::forecasting
