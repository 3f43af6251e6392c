// Windows exactly as in the proof [Schuchardt25]: L_C zeros are prepended to a series of length L; windows start at
// t = 0, ..., T - 1 of the padded series, T = L - L_F + 1, and are L_C + L_F long. So window t forecasts steps
// t, ..., t + L_F - 1 from the L_C steps before t, those before step 0 being padding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/forecasting/calendar.h"
#include "chronoveil/forecasting/panel.h"

namespace chronoveil::forecasting {

struct WindowShape {
  std::int64_t context = 0;   // L_C, everything that a model reads before the forecast, lags included
  std::int64_t forecast = 0;  // L_F
  std::int64_t windows(std::int64_t length) const { return length - forecast + 1; }  // T
};

struct Window {
  std::int64_t series = 0;
  std::int64_t start = 0;  // t; for prediction after the end of a series, t = L
  bool operator==(const Window&) const = default;
};

// How a missing value of a window is filled: from nothing but that window.
enum class Fill { zero, window_mean, last };

// What a model reads of B windows, row-major. Missing and padded values are filled and marked 0 in `observed`.
// The forecast part of a window that reaches beyond the end of its series is all unobserved zeros.
struct WindowValues {
  std::int64_t batch = 0, context = 0, forecast = 0, channels = 0, covariates = 0;
  std::vector<float> values;    // [B, L_C + L_F, D]
  std::vector<float> observed;  // the same shape, 0 or 1
  std::vector<float> calendar;  // [B, L_C + L_F, F], public
};

// window_mean: the mean of the observed context of that window and channel; last: the last observed before it in the
// window, the mean where there is none; 0 where nothing was observed. Filling the forecast part has no effect: the loss
// leaves it out.
Result<WindowValues> cut(const Panel&, const WindowShape&, const Calendar&, Fill, std::span<const Window>);

}  // namespace chronoveil::forecasting
