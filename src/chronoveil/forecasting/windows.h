// Windows exactly as in the proof [Schuchardt25]: L_C zeros are prepended to a series of length L; windows start at
// t = 0, ..., T - 1 of the padded series, T = L - L_F + 1, and are L_C + L_F long. So window t forecasts steps t, ...,
// t + L_F - 1 from the L_C steps before t, those before step 0 being padding. Step s lies in those of the windows
// s - L_F + 1, ..., s + L_C that exist: in at most min(L_C + L_F, T), which step L_F - 1 reaches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/forecasting/calendar.h"
#include "chronoveil/forecasting/choices.h"
#include "chronoveil/forecasting/panel.h"

namespace chronoveil::forecasting {

struct Window {
  std::int64_t series = 0;
  std::int64_t start = 0;  // t; for prediction after the end of a series, t = L
  bool operator==(const Window&) const = default;
};

enum class WindowUse { training, prediction };

// Usage error unless every series is in the panel and 0 <= t <= T - 1; for prediction 0 <= t <= L. L_C >= 0, L_F >= 1.
Result<void> check_windows(const Panel&, const WindowShape&, std::span<const Window>, WindowUse);

// What a model reads of B windows, row-major. Missing values are filled; padding and steps beyond the end of a series
// are zeros; all of these are marked 0 in `observed`.
struct WindowValues {
  std::int64_t batch = 0, context = 0, forecast = 0, channels = 0, covariates = 0;
  std::vector<float> values;    // [B, L_C + L_F, D]
  std::vector<float> observed;  // the same shape, 0 or 1
  std::vector<float> calendar;  // [B, L_C + L_F, F], public; of step series.start + t - L_C and on
};

// window_mean: the mean of the observed context of that window and channel; last: the last observed before it in the
// window, the mean if there is none; 0 if nothing was observed. Missing values of the forecast are filled in the same
// way: the loss leaves them out, but an autoregressive model reads them as the past of later steps. Windows are checked
// as for prediction. Precondition: the panel passes check_panel().
Result<WindowValues> cut(const Panel&, const WindowShape&, const Calendar&, Fill, std::span<const Window>);
// The same into memory that is reused in every step.
Result<void> cut(const Panel&, const WindowShape&, const Calendar&, Fill, std::span<const Window>, WindowValues* out);

}  // namespace chronoveil::forecasting
