// Series to learn from: N of them, each with its own length, all with the same channels. Which series there are, when
// each starts and how long it is are public; the values are not.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::forecasting {

// A missing value. It may be filled from inside a window, never from outside it.
inline constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

// Clocks reach no further from 0 than this, so that every step of a window is an exact double.
inline constexpr std::int64_t kClockLimit = std::int64_t{1} << 52;

struct PanelSeries {
  std::string key;
  std::int64_t start = 0;     // its first step on the public clock of the panel
  std::int64_t length = 0;    // L
  std::vector<float> values;  // length × channels, step by step; finite or kMissing
};

struct Panel {
  std::int64_t channels = 1;  // D: a model that reads D channels makes them one series
  std::vector<PanelSeries> series;
};

// Sizes agree, keys are distinct, no infinite values, at least one series, every length >= forecast_length >= 1, every
// start within kClockLimit. An error names the series and what is wrong with it, never a value.
Result<void> check_panel(const Panel&, std::int64_t forecast_length);

// Distinct lengths, ascending: what an event of training says of a panel.
std::vector<std::int64_t> lengths_of(const Panel&);

// The panel without the last `steps` >= 0 of each series: what a backtest trains on. Refused if nothing would be left
// of a series.
Result<Panel> without_last(const Panel&, std::int64_t steps);

}  // namespace chronoveil::forecasting
