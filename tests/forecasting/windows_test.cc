#include "chronoveil/forecasting/windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "chronoveil/base/bit_source.h"

namespace chronoveil::forecasting {
namespace {

constexpr WindowShape kShape{4, 3};

// Series of several lengths, short ones included, with values that are all different; one in five missing if asked for.
Panel random_panel(std::int64_t channels, bool missing) {
  BitSource bits = BitSource::with_seed(7);
  Panel panel{channels, {}};
  for (const std::int64_t length : {3, 4, 6, 9, 20}) {
    PanelSeries series{"s" + std::to_string(length), 100 - 7 * length, length, {}};
    for (std::int64_t i = 0; i < length * channels; ++i) {
      const std::uint64_t word = bits.next_u64();
      const float value = static_cast<float>(static_cast<std::int64_t>(word >> 44)) / 1024 - 300;
      series.values.push_back(missing && word % 5 == 0 ? kMissing : value);
    }
    panel.series.push_back(std::move(series));
  }
  return panel;
}

std::vector<Window> all_windows(const Panel& panel, WindowUse use) {
  std::vector<Window> windows;
  for (std::int64_t i = 0; i < std::ssize(panel.series); ++i) {
    const std::int64_t length = panel.series[static_cast<std::size_t>(i)].length;
    const std::int64_t last = use == WindowUse::training ? length - kShape.forecast : length;
    for (std::int64_t t = 0; t <= last; ++t) windows.push_back({i, t});
  }
  return windows;
}

// One channel of a window, step by step from the padded series, in the words of the header.
struct Cell {
  float value = 0, observed = 0;
};
std::vector<Cell> by_brute_force(const Panel& panel, const WindowShape& shape, Fill fill, const Window& window,
                                 std::int64_t channel) {
  const PanelSeries& series = panel.series[static_cast<std::size_t>(window.series)];
  std::vector<std::optional<float>> padded(static_cast<std::size_t>(shape.context));
  for (std::int64_t s = 0; s < series.length; ++s)
    padded.push_back(series.values[static_cast<std::size_t>(s * panel.channels + channel)]);
  padded.resize(padded.size() + static_cast<std::size_t>(shape.forecast));
  std::vector<std::optional<float>> inside(padded.begin() + window.start,
                                           padded.begin() + window.start + shape.context + shape.forecast);
  const auto there = [](const std::optional<float>& x) { return x.has_value() && !std::isnan(*x); };
  double sum = 0, count = 0;
  for (std::int64_t s = 0; s < shape.context; ++s) {
    if (!there(inside[static_cast<std::size_t>(s)])) continue;
    sum += *inside[static_cast<std::size_t>(s)];
    ++count;
  }
  const float mean = count > 0 ? static_cast<float>(sum / count) : 0;
  std::vector<Cell> cells;
  for (std::size_t s = 0; s < inside.size(); ++s) {
    Cell cell;
    if (there(inside[s])) {
      cell = {*inside[s], 1};
    } else if (inside[s].has_value() && fill != Fill::zero) {
      cell.value = mean;
      for (std::size_t before = 0; before < s && fill == Fill::last; ++before) {
        if (there(inside[before])) cell.value = *inside[before];
      }
    }
    cells.push_back(cell);
  }
  return cells;
}

class EveryFill : public testing::TestWithParam<Fill> {};
INSTANTIATE_TEST_SUITE_P(Cut, EveryFill, testing::Values(Fill::zero, Fill::window_mean, Fill::last));

TEST_P(EveryFill, IsWhatThePaddedSeriesShows) {
  for (const std::int64_t channels : {1, 3}) {
    for (const bool missing : {false, true}) {
      const Panel panel = random_panel(channels, missing);
      const auto windows = all_windows(panel, WindowUse::prediction);
      const WindowValues cut_out = cut(panel, kShape, {}, GetParam(), windows).value();
      ASSERT_EQ(cut_out.batch, std::ssize(windows));
      ASSERT_EQ(std::ssize(cut_out.values), std::ssize(windows) * 7 * channels);
      ASSERT_EQ(cut_out.observed.size(), cut_out.values.size());
      for (std::size_t b = 0; b < windows.size(); ++b) {
        for (std::int64_t c = 0; c < channels; ++c) {
          const auto cells = by_brute_force(panel, kShape, GetParam(), windows[b], c);
          for (std::size_t s = 0; s < cells.size(); ++s) {
            const std::size_t at = (b * 7 + s) * static_cast<std::size_t>(channels) + static_cast<std::size_t>(c);
            ASSERT_EQ(cut_out.observed[at], cells[s].observed) << b << " " << c << " " << s;
            ASSERT_EQ(cut_out.values[at], cells[s].value) << b << " " << c << " " << s;
          }
        }
      }
    }
  }
}

TEST_P(EveryFill, NothingThatIsCutIsMissing) {
  const Panel panel = random_panel(2, true);
  const auto cut_out = cut(panel, kShape, {}, GetParam(), all_windows(panel, WindowUse::prediction)).value();
  EXPECT_TRUE(std::all_of(cut_out.values.begin(), cut_out.values.end(), [](float x) { return std::isfinite(x); }));
}

// What a model would read of one window.
using CutOne = std::function<std::vector<float>(const Panel&, const Window&)>;
CutOne cut_with(Fill fill) {
  return [fill](const Panel& panel, const Window& window) {
    WindowValues one = cut(panel, kShape, {}, fill, {&window, 1}).value();
    one.values.insert(one.values.end(), one.observed.begin(), one.observed.end());
    return one.values;
  };
}

// The training windows of a series that look different once the value of one step is exchanged.
std::vector<std::int64_t> touched(const Panel& panel, std::int64_t series, std::int64_t step, float value,
                                  const CutOne& cut_one) {
  Panel changed = panel;
  changed.series[static_cast<std::size_t>(series)].values[static_cast<std::size_t>(step)] = value;
  std::vector<std::int64_t> starts;
  for (std::int64_t t = 0; t < kShape.windows(panel.series[static_cast<std::size_t>(series)].length); ++t) {
    const Window window{series, t};
    if (cut_one(panel, window) != cut_one(changed, window)) starts.push_back(t);
  }
  return starts;
}

// The largest number of windows that one event touches in each series, over places and over what the value becomes.
std::vector<std::int64_t> most_touched(const Panel& panel, const CutOne& cut_one) {
  std::vector<std::int64_t> most;
  for (std::int64_t i = 0; i < std::ssize(panel.series); ++i) {
    most.push_back(0);
    for (std::int64_t s = 0; s < panel.series[static_cast<std::size_t>(i)].length; ++s) {
      for (const float value : {1e6f, kMissing})
        most.back() = std::max<std::int64_t>(most.back(), std::ssize(touched(panel, i, s, value, cut_one)));
    }
  }
  return most;
}

// K = min(L_C + L_F, T), what the accountant charges for one event.
std::vector<std::int64_t> charged(const Panel& panel) {
  std::vector<std::int64_t> most;
  for (const PanelSeries& series : panel.series)
    most.push_back(std::min(kShape.context + kShape.forecast, kShape.windows(series.length)));
  return most;
}

TEST_P(EveryFill, OneEventTouchesTheWindowsThatItLiesInAndNoOther) {
  const Panel panel = random_panel(1, true);
  for (std::int64_t i = 0; i < std::ssize(panel.series); ++i) {
    const std::int64_t length = panel.series[static_cast<std::size_t>(i)].length, windows = kShape.windows(length);
    for (std::int64_t s = 0; s < length; ++s) {
      std::vector<std::int64_t> lies_in;
      for (std::int64_t t = std::max<std::int64_t>(0, s - kShape.forecast + 1);
           t <= std::min(windows - 1, s + kShape.context); ++t)
        lies_in.push_back(t);
      EXPECT_EQ(touched(panel, i, s, 1e6f, cut_with(GetParam())), lies_in) << i << " " << s;
    }
  }
}

TEST_P(EveryFill, OneEventTouchesAsManyWindowsAsTheAccountantCharges) {
  EXPECT_EQ(most_touched(random_panel(1, true), cut_with(GetParam())), charged(random_panel(1, true)));
}

TEST(Cut, ATwinThatFillsFromTheWholeSeriesTouchesMoreThanIsCharged) {
  const auto twin = [](const Panel& panel, const Window& window) {
    Panel filled = panel;
    for (PanelSeries& series : filled.series) {
      double sum = 0, count = 0;
      for (const float value : series.values) {
        sum += std::isnan(value) ? 0 : value;
        count += std::isnan(value) ? 0 : 1;
      }
      for (float& value : series.values) value = std::isnan(value) ? static_cast<float>(sum / count) : value;
    }
    return cut_with(Fill::zero)(filled, window);
  };
  const Panel panel = random_panel(1, true);
  EXPECT_GT(most_touched(panel, twin).back(), charged(panel).back());
}

TEST(Cut, ATwinThatFillsWithTheLastValueBeforeTheWindowTouchesMoreThanIsCharged) {
  Panel panel{1, {{"a", 0, 20, std::vector<float>(20, kMissing)}}};
  panel.series[0].values[3] = 1;
  const auto twin = [](const Panel& given, const Window& window) {
    Panel filled = given;
    for (std::size_t s = 1; s < filled.series[0].values.size(); ++s) {
      if (std::isnan(filled.series[0].values[s])) filled.series[0].values[s] = filled.series[0].values[s - 1];
    }
    return cut_with(Fill::zero)(filled, window);
  };
  EXPECT_GT(most_touched(panel, twin).front(), charged(panel).front());
  EXPECT_EQ(most_touched(panel, cut_with(Fill::last)), charged(panel));
}

TEST(Cut, AWindowIsTheSameWhateverElseIsInTheBatch) {
  const Panel panel = random_panel(2, true);
  const Calendar calendar = calendar_of(3600, 0);
  const auto windows = all_windows(panel, WindowUse::prediction);
  const WindowValues together = cut(panel, kShape, calendar, Fill::last, windows).value();
  for (std::size_t b = 0; b < windows.size(); ++b) {
    const WindowValues alone = cut(panel, kShape, calendar, Fill::last, {&windows[b], 1}).value();
    EXPECT_TRUE(std::equal(alone.values.begin(), alone.values.end(),
                           together.values.begin() + std::ssize(alone.values) * static_cast<std::ptrdiff_t>(b)));
    EXPECT_TRUE(std::equal(alone.calendar.begin(), alone.calendar.end(),
                           together.calendar.begin() + std::ssize(alone.calendar) * static_cast<std::ptrdiff_t>(b)));
  }
}

TEST(Cut, MemoryThatIsUsedAgainKeepsNothingOfTheStepBefore) {
  const Panel panel = random_panel(2, true);
  const auto windows = all_windows(panel, WindowUse::prediction);
  WindowValues kept;
  ASSERT_TRUE(cut(panel, {9, 5}, calendar_of(3600, 0), Fill::last, windows, &kept));
  const std::vector<Window> few = {{0, 0}, {1, 4}, {4, 20}};
  ASSERT_TRUE(cut(panel, kShape, calendar_of(86400, 0), Fill::window_mean, few, &kept));
  const WindowValues fresh = cut(panel, kShape, calendar_of(86400, 0), Fill::window_mean, few).value();
  EXPECT_EQ(kept.batch, 3);
  EXPECT_EQ(kept.covariates, 4);
  EXPECT_EQ(kept.values, fresh.values);
  EXPECT_EQ(kept.observed, fresh.observed);
  EXPECT_EQ(kept.calendar, fresh.calendar);
}

// Every row of the calendar against Calendar::at() of its step on the clock.
void expect_calendar(const Panel& panel, const Calendar& calendar, const std::vector<Window>& windows) {
  const WindowValues cut_out = cut(panel, kShape, calendar, Fill::zero, windows).value();
  const auto covariates = static_cast<std::size_t>(calendar.covariates());
  ASSERT_EQ(cut_out.covariates, calendar.covariates());
  ASSERT_EQ(cut_out.calendar.size(), windows.size() * 7 * covariates);
  std::vector<float> row(covariates);
  for (std::size_t b = 0; b < windows.size(); ++b) {
    const std::int64_t start = panel.series[static_cast<std::size_t>(windows[b].series)].start + windows[b].start - 4;
    for (std::size_t s = 0; s < 7; ++s) {
      calendar.at(start + static_cast<std::int64_t>(s), row.data());
      EXPECT_TRUE(std::equal(row.begin(), row.end(), cut_out.calendar.data() + (b * 7 + s) * covariates));
    }
  }
}

TEST(Cut, CovariatesFollowTheClockOfThePanelNotTheSeries) {
  const Panel panel = random_panel(1, false);
  const auto windows = all_windows(panel, WindowUse::prediction);
  expect_calendar(panel, calendar_of(3600, 7200), windows);
  expect_calendar(panel, calendar_of(86400, 0), windows);
  Panel far = panel;  // too far apart for a common table
  far.series[0].start = -kClockLimit;
  far.series[1].start = kClockLimit;
  expect_calendar(far, calendar_of(3600, 7200), windows);
}

TEST(Cut, AnEmptyBatchIsEmpty) {
  const WindowValues nothing = cut(random_panel(1, false), kShape, calendar_of(3600, 0), Fill::zero, {}).value();
  EXPECT_EQ(nothing.batch, 0);
  EXPECT_EQ(nothing.context, 4);
  EXPECT_EQ(nothing.forecast, 3);
  EXPECT_TRUE(nothing.values.empty());
  EXPECT_TRUE(nothing.calendar.empty());
}

TEST(Cut, RefusesWindowsThatDoNotExist) {
  const Panel panel = random_panel(1, false);  // the last series has 20 steps
  for (const Window& window : {Window{-1, 0}, Window{5, 0}, Window{4, -1}, Window{4, 21}}) {
    const auto refused = cut(panel, kShape, {}, Fill::zero, {&window, 1});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  }
  const Window fine{4, 20};
  EXPECT_TRUE(cut(panel, kShape, {}, Fill::zero, {&fine, 1}));
  EXPECT_FALSE(cut(panel, {-1, 3}, {}, Fill::zero, {&fine, 1}));
  EXPECT_FALSE(cut(panel, {4, 0}, {}, Fill::zero, {&fine, 1}));
}

TEST(CheckWindows, TrainingEndsWithTheLastWindowThatIsWholeAndPredictionAfterTheSeries) {
  const Panel panel = random_panel(1, false);
  const auto accepted = [&](std::int64_t start, WindowUse use) {
    const Window window{4, start};
    return check_windows(panel, kShape, {&window, 1}, use).has_value();
  };
  EXPECT_TRUE(accepted(0, WindowUse::training));
  EXPECT_TRUE(accepted(17, WindowUse::training));
  EXPECT_FALSE(accepted(18, WindowUse::training));
  EXPECT_FALSE(accepted(20, WindowUse::training));
  EXPECT_TRUE(accepted(20, WindowUse::prediction));
  EXPECT_FALSE(accepted(21, WindowUse::prediction));
}

TEST(Cut, AContextOfNothingHasTheForecastAlone) {
  const Panel panel{1, {{"a", 0, 4, {1, 2, kMissing, 4}}}};
  const std::vector<Window> windows = {{0, 0}, {0, 1}, {0, 4}};
  const WindowValues cut_out = cut(panel, {0, 3}, {}, Fill::last, windows).value();
  EXPECT_EQ(cut_out.values, (std::vector<float>{1, 2, 2, 2, 2, 4, 0, 0, 0}));
  EXPECT_EQ(cut_out.observed, (std::vector<float>{1, 1, 0, 1, 0, 1, 0, 0, 0}));
}

}  // namespace
}  // namespace chronoveil::forecasting
