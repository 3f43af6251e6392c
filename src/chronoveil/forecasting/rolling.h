// Rolling windows at the end of each series, and the score of forecasts of them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/forecasting/crps.h"
#include "chronoveil/forecasting/panel.h"
#include "chronoveil/forecasting/windows.h"

namespace chronoveil::forecasting {

// `count` forecasts of every series, `stride` steps apart; the last one ends with the series.
struct Rolling {
  std::int64_t count = 1;
  std::int64_t stride = 1;
  // Steps at the end of each series that training must not see.
  std::int64_t held_back(std::int64_t forecast) const { return forecast + (count - 1) * stride; }
};
// Series by series, each from its first window to its last. Refused: forecast, count or stride < 1 (usage), a series
// that is not longer than what is held back (bad data).
Result<std::vector<Window>> rolling_windows(const Panel&, std::int64_t forecast, const Rolling&);

std::string_view name(Baseline);
// Channel by channel, only from what came before each window. Refused: a window before which a channel has no observed
// value (bad data). Precondition: the windows are of rolling_windows().
Result<std::vector<Forecast>> baseline_forecasts(Baseline, const Panel&, std::span<const Window>, std::int64_t forecast,
                                                 std::int64_t season);

// Scores forecasts against the true values, window by window in the same order. Precondition: as many forecasts as
// windows, and no window forecasts beyond its series.
QuantileLoss score(const Panel&, std::span<const Window>, std::span<const Forecast>);

}  // namespace chronoveil::forecasting
