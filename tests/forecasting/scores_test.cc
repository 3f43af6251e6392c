// Quantiles of samples, and what a forecast is scored by.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/forecasting/crps.h"

namespace chronoveil::forecasting {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(NormalQuantiles, AreThoseOfTheNormalLaw) {
  for (std::size_t i = 0; i < kLevels.size(); ++i)
    EXPECT_NEAR(kNormalQuantiles[i], boost::math::quantile(boost::math::normal(), kLevels[i]), 1e-15);
}

TEST(QuantilesOf, AreOrderStatisticsWhereTheyFallOnThem) {
  std::vector<float> values = {10, 3, 7, 0, 1, 9, 2, 4, 8, 5, 6};
  EXPECT_EQ(quantiles_of(values), (std::array<float, 9>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  std::vector<float> many;
  for (int i = 200; i >= 0; --i) many.push_back(static_cast<float>(i * i));
  EXPECT_EQ(quantiles_of(many), (std::array<float, 9>{400, 1600, 3600, 6400, 10000, 14400, 19600, 25600, 32400}));
}

TEST(QuantilesOf, AreLinearBetweenOrderStatistics) {
  std::vector<float> values = {3, 1};
  const auto quantiles = quantiles_of(values);
  for (std::size_t i = 0; i < kLevels.size(); ++i)
    EXPECT_FLOAT_EQ(quantiles[i], static_cast<float>(1 + 2 * kLevels[i]));
}

TEST(QuantilesOf, OneValueIsEveryQuantileAndNoValueIsNone) {
  std::vector<float> one = {4};
  for (const float quantile : quantiles_of(one)) EXPECT_EQ(quantile, 4);
  for (const float quantile : quantiles_of({})) EXPECT_TRUE(std::isnan(quantile));
}

Forecast forecast_of(std::vector<float> quantiles, std::int64_t length, std::int64_t channels = 1) {
  Forecast forecast;
  forecast.length = length;
  forecast.channels = channels;
  forecast.quantiles = std::move(quantiles);
  return forecast;
}

Forecast constant(const std::vector<float>& middles) {
  std::vector<float> quantiles;
  for (const float middle : middles) quantiles.insert(quantiles.end(), 9, middle);
  return forecast_of(std::move(quantiles), static_cast<std::int64_t>(middles.size()));
}

TEST(QuantileLoss, APerfectForecastScoresZero) {
  QuantileLoss loss;
  const std::vector<float> truth = {1, -2, 3};
  loss.add(constant(truth), truth);
  EXPECT_EQ(loss.crps(), 0);
}

TEST(QuantileLoss, NothingAndOnlyZerosHaveNoScore) {
  QuantileLoss loss;
  EXPECT_TRUE(std::isnan(loss.crps()));
  EXPECT_TRUE(std::isnan(loss.at(0)));
  loss.add(constant({1, 1}), std::vector<float>{0, 0});
  EXPECT_TRUE(std::isnan(loss.crps()));
  loss.add(constant({1}), std::vector<float>{kNan});
  EXPECT_TRUE(std::isnan(loss.crps()));
}

TEST(QuantileLoss, OfAConstantForecastIsTheAbsoluteErrorOverTheTruth) {
  // Averaged over levels that are symmetric about 1/2, 2 ρ is |y - x|.
  QuantileLoss loss;
  loss.add(constant({2, 2}), std::vector<float>{5, 1});
  EXPECT_NEAR(loss.crps(), (3.0 + 1.0) / 6.0, 1e-15);
  EXPECT_NEAR(loss.at(0), 2 * (3 * 0.1 + 1 * 0.9) / 6.0, 1e-15);
  EXPECT_NEAR(loss.at(8), 2 * (3 * 0.9 + 1 * 0.1) / 6.0, 1e-15);
}

TEST(QuantileLoss, IsWhatTheFormulaSaysWithMissingValuesLeftOut) {
  BitSource bits = BitSource::with_seed(3);
  const auto number = [&] {
    return static_cast<float>(static_cast<std::int64_t>(bits.next_u64() >> 40)) / 65536 - 100;
  };
  QuantileLoss all, first, second;
  std::array<double, 9> sums{};
  double total = 0;
  for (int window = 0; window < 20; ++window) {
    std::vector<float> quantiles, truth;
    for (int i = 0; i < 5 * 2; ++i) {
      std::vector<float> row;
      for (int level = 0; level < 9; ++level) row.push_back(number());
      std::sort(row.begin(), row.end());
      const float y = i % 4 == 1 ? kNan : number();
      for (std::size_t level = 0; level < 9 && !std::isnan(y); ++level) {
        const double x = row[level], q = 0.1 * static_cast<double>(level + 1);
        sums[level] += y >= x ? 2 * q * (y - x) : 2 * (1 - q) * (x - y);
      }
      total += std::isnan(y) ? 0 : std::abs(y);
      quantiles.insert(quantiles.end(), row.begin(), row.end());
      truth.push_back(y);
    }
    const Forecast forecast = forecast_of(std::move(quantiles), 5, 2);
    all.add(forecast, truth);
    (window < 7 ? first : second).add(forecast, truth);
  }
  double mean = 0;
  for (std::size_t level = 0; level < 9; ++level) {
    EXPECT_NEAR(all.at(level), sums[level] / total, 1e-12);
    mean += sums[level] / total / 9;
  }
  EXPECT_NEAR(all.crps(), mean, 1e-12);
  first.merge(second);
  EXPECT_NEAR(first.crps(), mean, 1e-12);
}

}  // namespace
}  // namespace chronoveil::forecasting
