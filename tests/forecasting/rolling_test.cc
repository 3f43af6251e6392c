#include "chronoveil/forecasting/rolling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chronoveil/forecasting/baselines/baselines.h"

namespace chronoveil::forecasting {
namespace {

constexpr Baseline kBoth[] = {Baseline::seasonal_naive, Baseline::auto_ets};

// Two series of two channels, 40 and 43 steps, with a gap.
Panel two_series() {
  Panel panel;
  panel.channels = 2;
  for (std::int64_t i = 0; i < 2; ++i) {
    PanelSeries series;
    series.key = i == 0 ? "a" : "b";
    series.start = 100 * i;
    series.length = 40 + 3 * i;
    for (std::int64_t j = 0; j < 2 * series.length; ++j)
      series.values.push_back(static_cast<float>(10 + std::sin(static_cast<double>(j * j + i)) + (j % 2 == 0 ? 5 : 0)));
    series.values[30] = kMissing;
    panel.series.push_back(std::move(series));
  }
  return panel;
}

TEST(Rolling, TheLastWindowEndsWithItsSeriesAndTheOthersComeBefore) {
  const Rolling rolling{3, 2};
  EXPECT_EQ(rolling.held_back(4), 8);
  const auto windows = rolling_windows(two_series(), 4, rolling);
  ASSERT_TRUE(windows);
  EXPECT_EQ(*windows, (std::vector<Window>{{0, 32}, {0, 34}, {0, 36}, {1, 35}, {1, 37}, {1, 39}}));
  EXPECT_EQ(rolling_windows(two_series(), 4, {}).value(), (std::vector<Window>{{0, 36}, {1, 39}}));
}

TEST(Rolling, NoWindowForecastsWhatTrainingSaw) {
  const Panel panel = two_series();
  const Rolling rolling{4, 3};
  const Panel seen = without_last(panel, rolling.held_back(5)).value();
  const std::vector<Window> windows = rolling_windows(panel, 5, rolling).value();
  for (const Window& window : windows)
    EXPECT_GE(window.start, seen.series[static_cast<std::size_t>(window.series)].length);
}

TEST(Rolling, RefusesASeriesThatIsNoLongerThanWhatIsHeldBack) {
  const Panel panel = two_series();
  EXPECT_TRUE(rolling_windows(panel, 39, {}));
  const auto refused = rolling_windows(panel, 20, {2, 20});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::bad_data);
  EXPECT_NE(refused.error().text().find("'a'"), std::string::npos);
}

TEST(Rolling, RefusesNoForecastNoWindowsAndNoStride) {
  EXPECT_EQ(rolling_windows(two_series(), 0, {}).error().kind, ErrorKind::usage);
  EXPECT_EQ(rolling_windows(two_series(), 4, {0, 1}).error().kind, ErrorKind::usage);
  EXPECT_EQ(rolling_windows(two_series(), 4, {2, 0}).error().kind, ErrorKind::usage);
}

TEST(BaselineForecasts, AreThoseOfEachChannelByItself) {
  const Panel panel = two_series();
  const std::vector<Window> windows = rolling_windows(panel, 4, {2, 3}).value();
  for (const Baseline baseline : kBoth) {
    const auto all = baseline_forecasts(baseline, panel, windows, 4, 3);
    ASSERT_TRUE(all) << all.error().text();
    ASSERT_EQ(all->size(), windows.size());
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const PanelSeries& series = panel.series[static_cast<std::size_t>(windows[i].series)];
      const Forecast& forecast = (*all)[i];
      EXPECT_EQ(forecast.key, series.key);
      EXPECT_EQ(forecast.start, series.start + windows[i].start);
      EXPECT_EQ(forecast.length, 4);
      EXPECT_EQ(forecast.channels, 2);
      ASSERT_EQ(forecast.quantiles.size(), 4u * 2 * 9);
      for (std::size_t channel = 0; channel < 2; ++channel) {
        std::vector<float> past;
        for (std::size_t step = 0; step < static_cast<std::size_t>(windows[i].start); ++step)
          past.push_back(series.values[2 * step + channel]);
        const Forecast alone =
            (baseline == Baseline::auto_ets ? auto_ets(past, 3, 4) : seasonal_naive(past, 3, 4)).value();
        for (std::size_t step = 0; step < 4; ++step)
          for (std::size_t level = 0; level < 9; ++level)
            EXPECT_EQ(forecast.quantiles[(2 * step + channel) * 9 + level], alone.quantiles[9 * step + level]);
      }
    }
  }
}

TEST(BaselineForecasts, NeverLookAtTheWindowOrAfterIt) {
  const Panel panel = two_series();
  const std::vector<Window> windows = {{0, 30}, {1, 33}};
  Panel future = panel, past = panel;
  for (const Window& window : windows) {
    const auto which = static_cast<std::size_t>(window.series), from = 2 * static_cast<std::size_t>(window.start);
    for (std::size_t i = from; i < future.series[which].values.size(); ++i) future.series[which].values[i] = 1000;
    past.series[which].values[from - 1] = past.series[which].values[from - 2] = 1000;
  }
  for (const Baseline baseline : kBoth) {
    const auto before = baseline_forecasts(baseline, panel, windows, 4, 3).value();
    const auto same = baseline_forecasts(baseline, future, windows, 4, 3).value();
    const auto other = baseline_forecasts(baseline, past, windows, 4, 3).value();
    for (std::size_t i = 0; i < windows.size(); ++i) {
      EXPECT_EQ(before[i].quantiles, same[i].quantiles);
      EXPECT_NE(before[i].quantiles, other[i].quantiles);
    }
  }
}

TEST(BaselineForecasts, SayWhichSeriesHasNothingToStartFrom) {
  Panel panel = two_series();
  for (std::size_t i = 0; i < 70; ++i) panel.series[1].values[i] = kMissing;
  for (const Baseline baseline : kBoth) {
    const auto refused = baseline_forecasts(baseline, panel, std::vector<Window>{{0, 30}, {1, 33}}, 4, 3);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::bad_data);
    EXPECT_NE(refused.error().text().find(std::string(name(baseline)) + " of series 'b' before step 33"),
              std::string::npos)
        << refused.error().text();
  }
}

TEST(Score, IsTheQuantileLossOverAllWindowsStepsAndChannels) {
  Panel panel = two_series();
  panel.series[0].values[2 * 38] = kMissing;  // within the windows
  const std::vector<Window> windows = rolling_windows(panel, 4, {3, 2}).value();
  const auto forecasts = baseline_forecasts(Baseline::seasonal_naive, panel, windows, 4, 3).value();
  double crps = 0;
  for (std::size_t level = 0; level < 9; ++level) {
    double loss = 0, total = 0;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      for (std::size_t at = 0; at < 8; ++at) {
        const double truth = panel.series[static_cast<std::size_t>(windows[i].series)]
                                 .values[2 * static_cast<std::size_t>(windows[i].start) + at];
        if (std::isnan(truth)) continue;
        const double guess = forecasts[i].quantiles[at * 9 + level], q = 0.1 * static_cast<double>(level + 1);
        loss += 2 * (truth < guess ? (1 - q) * (guess - truth) : q * (truth - guess));
        total += std::abs(truth);
      }
    }
    crps += loss / total / 9;
  }
  EXPECT_GT(crps, 0.01);
  EXPECT_NEAR(score(panel, windows, forecasts).crps(), crps, 1e-9);
}

}  // namespace
}  // namespace chronoveil::forecasting
