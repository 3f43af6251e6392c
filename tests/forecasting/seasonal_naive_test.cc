#include <gtest/gtest.h>

#include <cmath>

#include "chronoveil/forecasting/baselines/baselines.h"
#include "chronoveil/forecasting/panel.h"

namespace chronoveil::forecasting {
namespace {

float at(const Forecast& forecast, std::int64_t step, std::size_t level) {
  return forecast.quantiles[static_cast<std::size_t>(step) * 9 + level];
}
std::vector<float> medians(const Forecast& forecast) {
  std::vector<float> middle;
  for (std::int64_t step = 0; step < forecast.length; ++step) middle.push_back(at(forecast, step, 4));
  return middle;
}
// (0.9 quantile - median) over that of the standard normal.
double deviation(const Forecast& forecast, std::int64_t step) {
  return (at(forecast, step, 8) - at(forecast, step, 4)) / kNormalQuantiles[8];
}

TEST(SeasonalNaive, IsRightForCertainWhereEverySeasonIsTheSame) {
  const std::vector<float> values = {1, 5, 2, 1, 5, 2, 1, 5};
  const Forecast forecast = seasonal_naive(values, 3, 7).value();
  EXPECT_EQ(forecast.length, 7);
  EXPECT_EQ(forecast.channels, 1);
  EXPECT_EQ(forecast.quantiles.size(), 63u);
  EXPECT_EQ(medians(forecast), (std::vector<float>{2, 1, 5, 2, 1, 5, 2}));
  for (std::int64_t step = 0; step < 7; ++step) {
    for (std::size_t level = 0; level < 9; ++level) EXPECT_EQ(at(forecast, step, level), at(forecast, step, 4));
  }
}

TEST(SeasonalNaive, SpreadsWithTheRootOfTheSeasonsAhead) {
  const std::vector<float> values = {0, 0, 3, 4, 0, 8};  // seasonal differences 3, 4, -3, 4
  const Forecast forecast = seasonal_naive(values, 2, 5).value();
  const double once = std::sqrt((9 + 16 + 9 + 16) / 4.0);
  EXPECT_EQ(medians(forecast), (std::vector<float>{0, 8, 0, 8, 0}));
  for (std::int64_t step = 0; step < 5; ++step) {
    EXPECT_NEAR(deviation(forecast, step), once * std::sqrt(static_cast<double>(step / 2 + 1)), 1e-5) << step;
    for (std::size_t level = 0; level < 9; ++level)
      EXPECT_NEAR(at(forecast, step, level),
                  at(forecast, step, 4) + kNormalQuantiles[level] * deviation(forecast, step), 1e-5);
  }
}

TEST(SeasonalNaive, AMissingValueIsThatOfAnEarlierSeasonAndLessCertain) {
  const std::vector<float> values = {1, 10, 2, 20, 4, kMissing};  // differences 1, 2, 10
  const Forecast forecast = seasonal_naive(values, 2, 4).value();
  const double once = std::sqrt((1 + 4 + 100) / 3.0);
  EXPECT_EQ(medians(forecast), (std::vector<float>{4, 20, 4, 20}));
  EXPECT_NEAR(deviation(forecast, 0), once, 1e-5);
  EXPECT_NEAR(deviation(forecast, 1), once * std::sqrt(2), 1e-5);
  EXPECT_NEAR(deviation(forecast, 3), once * std::sqrt(3), 1e-5);
}

TEST(SeasonalNaive, APlaceThatWasNeverObservedTakesTheLastValueOfAll) {
  const std::vector<float> values = {1, kMissing, 2, kMissing, 4, kMissing};
  EXPECT_EQ(medians(seasonal_naive(values, 2, 4).value()), (std::vector<float>{4, 4, 4, 4}));
}

TEST(SeasonalNaive, ASeriesShorterThanASeasonRepeatsItsLastValue) {
  const std::vector<float> values = {1, 3, 2};
  const Forecast forecast = seasonal_naive(values, 4, 4).value();
  EXPECT_EQ(medians(forecast), (std::vector<float>{2, 2, 2, 2}));
  EXPECT_NEAR(deviation(forecast, 3), std::sqrt((4 + 1) / 2.0) * std::sqrt(4), 1e-5);
}

TEST(SeasonalNaive, OneSeasonIsRepeatedWithTheSpreadOfItsSteps) {
  const std::vector<float> values = {1, 3, 2};
  const Forecast forecast = seasonal_naive(values, 3, 4).value();
  EXPECT_EQ(medians(forecast), (std::vector<float>{1, 3, 2, 1}));
  EXPECT_NEAR(deviation(forecast, 0), std::sqrt((4 + 1) / 2.0), 1e-5);
  EXPECT_NEAR(deviation(forecast, 3), std::sqrt((4 + 1) / 2.0) * std::sqrt(2), 1e-5);
}

TEST(SeasonalNaive, OneValueIsRepeatedWithoutSpread) {
  const Forecast forecast = seasonal_naive(std::vector<float>{kMissing, 6}, 24, 2).value();
  EXPECT_EQ(medians(forecast), (std::vector<float>{6, 6}));
  EXPECT_EQ(deviation(forecast, 1), 0);
}

TEST(SeasonalNaive, RefusesWhatItCannotRepeat) {
  const std::vector<float> values = {1, 2};
  EXPECT_EQ(seasonal_naive(values, 0, 1).error().kind, ErrorKind::usage);
  EXPECT_EQ(seasonal_naive(values, 1, 0).error().kind, ErrorKind::usage);
  EXPECT_EQ(seasonal_naive({}, 1, 1).error().kind, ErrorKind::bad_data);
  EXPECT_EQ(seasonal_naive(std::vector<float>{kMissing, kMissing}, 1, 1).error().kind, ErrorKind::bad_data);
}

}  // namespace
}  // namespace chronoveil::forecasting
