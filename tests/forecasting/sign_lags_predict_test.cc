#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "chronoveil/forecasting/sign_lags/predict.h"

namespace chronoveil::forecasting {
namespace {

std::vector<StepLaw> laws(const SignLagsModel& model, const std::vector<float>& past) {
  return laws_after(model, past).value();
}
std::vector<double> locations(const SignLagsModel& model, const std::vector<float>& past) {
  std::vector<double> made;
  for (const StepLaw& law : laws(model, past)) made.push_back(law.location);
  return made;
}

// Forecasts a step from the newest difference alone.
SignLagsModel newest(const SignLagsConfig& config, double weight, double variance) {
  SignLagsModel model = without_data(config);
  for (SeasonWeights& season : model.seasons) {
    for (std::size_t h = 0; h < static_cast<std::size_t>(config.forecast); ++h)
      season.weights[h * static_cast<std::size_t>(config.context)] = weight;
    season.variances.assign(season.variances.size(), variance);
  }
  return model;
}

const SignLagsConfig kOne{.forecast = 2, .context = 4, .day = 2, .seasons = {2}};

TEST(SignLagsForecast, WithoutDataRepeatsTheSeasonWithTheSpreadOfItsSlots) {
  // Differences over two steps: 2, -1, -2, 3: both slots have spread 2, and so has the season.
  const std::vector<float> past = {0, 0, 2, -1, 0, 2};
  const std::vector<StepLaw> made = laws(without_data(kOne), past);
  EXPECT_NEAR(made[0].location, 0, 1e-12);
  EXPECT_NEAR(made[1].location, 2, 1e-12);
  EXPECT_NEAR(made[0].deviation, 1.4 * 2, 1e-12);
  EXPECT_NEAR(made[1].deviation, 1.4 * 2, 1e-12);
}

TEST(SignLagsForecast, AddsWeighedDifferencesInUnitsOfTheirSlots) {
  const SignLagsConfig config{.forecast = 3, .context = 6, .day = 3, .seasons = {3}};
  const std::vector<float> past = {0, 0, 0, 1, 5, 9, 2, 0, 0};  // differences 1, 5, 9, 1, -5, -9
  // Slots have spreads 1, 5 and 9, each the mean of itself and its neighbours, 5, for three slots; the season 5.
  const std::vector<StepLaw> made = laws(newest(config, 0.5, 0.64), past);
  const double newest_input = -9.0 / 5;
  EXPECT_NEAR(made[0].location, 2 + 5 * 0.5 * newest_input, 1e-12);
  EXPECT_NEAR(made[1].location, 0 + 5 * 0.5 * newest_input, 1e-12);
  EXPECT_NEAR(made[2].deviation, 1.4 * 5 * 0.8, 1e-12);
}

TEST(SignLagsForecast, ReadsTheNewestDifferenceFirst) {
  SignLagsModel model = without_data({.forecast = 1, .context = 3, .day = 1, .seasons = {1}});
  model.seasons[0].weights = {0, 0, 1};               // the oldest of three
  const std::vector<float> past = {100, 0, 1, 3, 6};  // differences 1, 2, 3 with mean 2
  EXPECT_NEAR(locations(model, past)[0], 6 + 1, 1e-12);
  model.seasons[0].weights = {1, 0, 0};
  EXPECT_NEAR(locations(model, past)[0], 6 + 3, 1e-12);
}

TEST(SignLagsForecast, OfStepsAddUpAndGrowLessCertain) {
  const SignLagsConfig config{.forecast = 3, .context = 2, .day = 1, .seasons = {1}};
  const std::vector<StepLaw> made = laws(newest(config, 0.5, 1), {0, 1, 4});  // differences 1, 3
  for (std::size_t h = 0; h < 3; ++h) {
    EXPECT_NEAR(made[h].location, 4 + 0.5 * 3 * static_cast<double>(h + 1), 1e-12);
    EXPECT_NEAR(made[h].deviation, 1.4 * 2 * std::sqrt(static_cast<double>(h + 1)), 1e-12);
  }
}

TEST(SignLagsForecast, LimitsWhatOneValueCanDo) {
  const SignLagsConfig config{.forecast = 1, .context = 100, .day = 1, .seasons = {1}};
  std::vector<float> past;
  for (int t = 0; t <= 100; ++t) past.push_back(static_cast<float>(t % 2));
  past.back() = 1001;  // mean |difference| is (99 + 1000) / 100
  EXPECT_NEAR(locations(newest(config, 1, 1), past)[0], 1001 + 4 * 10.99, 1e-9);
}

TEST(SignLagsForecast, GivesTheSeasonsThatErrLessMoreWeight) {
  const SignLagsConfig config{.forecast = 1, .context = 4, .day = 1, .seasons = {2, 4}};
  // Repeats itself every four steps but for the newest value, so differences over four steps are small.
  const std::vector<float> past = {0, 8, 0, -8, 0, 8, 0, -8, 0, 8, 0, -7};
  const StepLaw made = laws(without_data(config), past)[0];
  const double two = 1.25 * (0 + 16 + 0 + 15) / 4, four = 1.25 * 1 / 4;
  const double w2 = 1 / std::sqrt(two), w4 = 1 / std::sqrt(four);
  EXPECT_NEAR(made.location, 0, 1e-12);
  EXPECT_NEAR(made.deviation, (w2 * two + w4 * four) / (w2 + w4), 1e-9);
}

TEST(SignLagsForecast, OfAConstantHistoryRepeatsIt) {
  const std::vector<float> past(12, 7.0F);
  for (const StepLaw& law : laws(newest(kOne, 0.9, 0.5), past)) {
    EXPECT_EQ(law.location, 7);
    EXPECT_GT(law.deviation, 0);
    EXPECT_LT(law.deviation, 1e-11);
  }
}

TEST(SignLagsForecast, AMissingBaseIsThatOfAnEarlierSeasonElseTheLastValue) {
  EXPECT_EQ(locations(without_data(kOne), {1, 10, 2, 20, kMissing, kMissing}), (std::vector<double>{2, 20}));
  EXPECT_EQ(locations(without_data(kOne), {1, kMissing, 2, kMissing, 4, kMissing}), (std::vector<double>{4, 4}));
}

TEST(SignLagsForecast, MissingDifferencesAreLeftOutOfSpreadsAndAreNoInput) {
  const SignLagsConfig config{.forecast = 1, .context = 4, .day = 1, .seasons = {1}};
  const StepLaw whole = laws(newest(config, 0, 1), {0, 3, 0, 3, 0})[0];
  const StepLaw gaps = laws(newest(config, 0, 1), {0, 3, 0, kMissing, 0})[0];
  EXPECT_EQ(whole.deviation, gaps.deviation);
  EXPECT_EQ(locations(newest(config, 1, 1), {0, 3, 0, kMissing, 0})[0], 0);
  const StepLaw infinite = laws(newest(config, 1, 1), {0, 3, 0, std::numeric_limits<float>::infinity(), 0})[0];
  EXPECT_EQ(infinite.location, 0);
}

TEST(SignLagsForecast, OfAShortHistoryTakesWhatThereIs) {
  // Steps before the first are missing.
  const std::vector<StepLaw> made = laws(newest(kOne, 0.5, 1), {3, 4, 5});
  EXPECT_NEAR(made[0].location, 4 + 0.5 * 2, 1e-12);
  EXPECT_NEAR(made[0].deviation, 1.4 * 2, 1e-12);
  EXPECT_EQ(laws_after(without_data(kOne), std::vector<float>{3, 4}).error().kind, ErrorKind::bad_data);
  EXPECT_EQ(laws_after(without_data(kOne), std::vector<float>{kMissing}).error().kind, ErrorKind::bad_data);
  EXPECT_EQ(laws_after(without_data(kOne), std::vector<float>{}).error().kind, ErrorKind::bad_data);
}

TEST(SignLagsForecast, ASeasonThatIsNeverObservedTwiceIsLeftOut) {
  const SignLagsConfig both{.forecast = 2, .context = 4, .day = 2, .seasons = {2, 4}};
  const std::vector<float> past = {1, 2, 5, 7};  // no two values four steps apart
  EXPECT_NEAR(locations(without_data(both), past)[0], 5, 1e-12);
}

TEST(SignLagsForecast, MovesAndGrowsWithTheSeries) {
  const SignLagsModel model = newest({.forecast = 2, .context = 4, .day = 2, .seasons = {2, 4}}, 0.3, 0.7);
  const std::vector<float> past = {0, 4, 1, 2, 5, 3, 2, 8};
  std::vector<float> moved = past;
  for (float& value : moved) value = 8 * value - 64;
  const auto one = laws(model, past), other = laws(model, moved);
  for (std::size_t h = 0; h < 2; ++h) {
    EXPECT_NEAR(other[h].location, 8 * one[h].location - 64, 1e-9);
    EXPECT_NEAR(other[h].deviation, 8 * one[h].deviation, 1e-9);
  }
}

TEST(SignLagsForecast, QuantilesAreLogistic) {
  const StepLaw law{3, std::numbers::pi / std::sqrt(3.0)};  // of scale 1
  EXPECT_EQ(quantile_of(law, 0.5), 3);
  EXPECT_NEAR(quantile_of(law, 0.1), 3 - std::log(9), 1e-12);
  EXPECT_NEAR(quantile_of(law, 0.9), 3 + std::log(9), 1e-12);
  // Its standard deviation is 1 for a law of 1: the mean of squares over evenly spaced levels.
  double squares = 0;
  for (int i = 0; i < 100'000; ++i) squares += std::pow(quantile_of({0, 1}, (i + 0.5) / 100'000), 2);
  EXPECT_NEAR(squares / 100'000, 1, 1e-3);
}

Panel two_channels() {
  PanelSeries series{.key = "both", .start = 100, .length = 8, .values = {}};
  for (int t = 0; t < 8; ++t) {
    series.values.push_back(static_cast<float>(t * t % 5));
    series.values.push_back(static_cast<float>(1000 + t % 3));
  }
  return {2, {series}};
}

TEST(SignLagsForecast, IsMadeChannelByChannelFromWhatCameBeforeTheWindow) {
  const Panel panel = two_channels();
  const SignLagsModel model = newest(kOne, 0.5, 0.8);
  const std::vector<Window> windows = {{0, 6}, {0, 8}};
  const std::vector<Forecast> made = predict(model, panel, windows).value();
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0].start, 106);
  EXPECT_EQ(made[1].start, 108);
  EXPECT_EQ(made[0].length, 2);
  EXPECT_EQ(made[0].channels, 2);
  EXPECT_TRUE(made[0].paths.empty());
  for (std::size_t channel = 0; channel < 2; ++channel) {
    std::vector<float> past;
    for (std::size_t t = 0; t < 6; ++t) past.push_back(panel.series[0].values[2 * t + channel]);
    const std::vector<StepLaw> expected = laws(model, past);
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t level = 0; level < 9; ++level)
        EXPECT_EQ(made[0].quantiles[(h * 2 + channel) * 9 + level],
                  static_cast<float>(quantile_of(expected[h], kLevels[level])));
  }
  for (std::size_t i = 0; i + 1 < made[0].quantiles.size(); ++i)
    EXPECT_TRUE(i % 9 == 8 || made[0].quantiles[i] <= made[0].quantiles[i + 1]);
  EXPECT_FALSE(predict(model, panel, std::vector<Window>{{0, 9}}));
  EXPECT_FALSE(predict(model, panel, std::vector<Window>{{1, 6}}));
  EXPECT_FALSE(predict(model, panel, windows, {.paths = -1}));
}

TEST(SignLagsForecast, PathsFollowTheLawOfEveryStep) {
  const Panel panel = two_channels();
  const SignLagsModel model = newest(kOne, 0.5, 0.8);
  const std::vector<Window> windows = {{0, 8}};
  const Forecast made = predict(model, panel, windows, {.paths = 20'000, .seed = 3})->front();
  EXPECT_EQ(made.path_count, 20'000);
  ASSERT_EQ(made.paths.size(), 20'000u * 4);
  for (std::size_t place = 0; place < 4; ++place) {
    for (std::size_t level = 0; level < 9; ++level) {
      const float quantile = made.quantiles[place * 9 + level];
      double below = 0;
      for (std::size_t path = 0; path < 20'000; ++path) below += made.paths[path * 4 + place] <= quantile ? 1 : 0;
      EXPECT_NEAR(below / 20'000, kLevels[level], 0.02);  // the seed is fixed
    }
  }
  EXPECT_EQ(predict(model, panel, windows, {.paths = 5, .seed = 3})->front().paths,
            predict(model, panel, windows, {.paths = 5, .seed = 3})->front().paths);
  EXPECT_NE(predict(model, panel, windows, {.paths = 5, .seed = 3})->front().paths,
            predict(model, panel, windows, {.paths = 5, .seed = 4})->front().paths);
}

TEST(SignLagsForecast, StaysFinite) {
  const SignLagsConfig config{.forecast = 2, .context = 2, .day = 1, .seasons = {1}};
  const float huge = std::numeric_limits<float>::max();
  const Panel panel{1, {{.key = "huge", .start = 0, .length = 4, .values = {-huge, huge, -huge, huge}}}};
  const Forecast made = predict(newest(config, 1, 1), panel, std::vector<Window>{{0, 4}})->front();
  for (const float quantile : made.quantiles) EXPECT_TRUE(std::isfinite(quantile));
}

}  // namespace
}  // namespace chronoveil::forecasting
