#include "chronoveil/forecasting/windows.h"

#include <algorithm>
#include <limits>
#include <string>

namespace chronoveil::forecasting {
namespace {

// Copies with zeros in place of missing values and marks observed ones. Returns how many were missing. Without
// branches, so that the compiler can vectorise it.
std::int64_t copy_observed(const float* from, std::int64_t count, float* values, float* observed) {
  std::int64_t missing = 0;
  for (std::int64_t done = 0; done < count;) {
    const auto block = static_cast<std::int32_t>(std::min<std::int64_t>(count - done, 1 << 20));
    std::int32_t missing_here = 0;  // as wide as a float
    for (std::int32_t i = 0; i < block; ++i) {
      const bool there = from[i] == from[i];
      values[i] = there ? from[i] : 0.0f;
      observed[i] = there ? 1.0f : 0.0f;
      missing_here += there ? 0 : 1;
    }
    missing += missing_here;
    from += block;
    values += block;
    observed += block;
    done += block;
  }
  return missing;
}

// Fills one channel of one window. Steps [first, last) are inside the series, those below `context` are the context.
void fill_channel(float* values, const float* observed, std::int64_t stride, std::int64_t first, std::int64_t context,
                  std::int64_t last, Fill fill) {
  double sum = 0, count = 0;
  for (std::int64_t s = first; s < std::min(context, last); ++s) {
    sum += values[s * stride];  // a missing value is still 0 here
    count += observed[s * stride];
  }
  float filler = count == 0 ? 0.0f : static_cast<float>(sum / count);
  for (std::int64_t s = first; s < last; ++s) {
    const bool there = observed[s * stride] != 0;
    values[s * stride] = there ? values[s * stride] : filler;
    filler = there && fill == Fill::last ? values[s * stride] : filler;
  }
}

// Where the windows lie on the clock of the panel: [first, last).
struct ClockRange {
  std::int64_t first = 0, last = 0;
};
ClockRange clock_range(const Panel& panel, const WindowShape& shape, std::span<const Window> windows) {
  ClockRange range{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (const Window& window : windows) {
    const std::int64_t start = panel.series[static_cast<std::size_t>(window.series)].start + window.start;
    range.first = std::min(range.first, start - shape.context);
    range.last = std::max(range.last, start + shape.forecast);
  }
  return range;
}

void write_calendar(const Panel& panel, const WindowShape& shape, const Calendar& calendar,
                    std::span<const Window> windows, float* out) {
  if (windows.empty() || calendar.cycles.empty()) return;
  const std::int64_t steps = shape.context + shape.forecast, covariates = calendar.covariates();
  const ClockRange range = clock_range(panel, shape, windows);
  const auto first_step = [&](const Window& window) {
    return panel.series[static_cast<std::size_t>(window.series)].start + window.start - shape.context;
  };
  // Windows that lie far apart on the clock share too little for a common table.
  if (range.last - range.first > 2 * steps * std::ssize(windows)) {
    for (const Window& window : windows) {
      const std::int64_t first = first_step(window);
      for (std::int64_t i = 0; i < steps; ++i, out += covariates) calendar.at(first + i, out);
    }
    return;
  }
  const CalendarRows rows(calendar, range.first, range.last - range.first);
  for (const Window& window : windows) out = std::copy_n(rows.from(first_step(window)), steps * covariates, out);
}

}  // namespace

Result<void> check_windows(const Panel& panel, const WindowShape& shape, std::span<const Window> windows,
                           WindowUse use) {
  if (shape.context < 0) return invalid("context_length", std::to_string(shape.context), "at least 0");
  if (shape.forecast < 1) return invalid("forecast_length", std::to_string(shape.forecast), "at least 1");
  for (const Window& window : windows) {
    if (window.series < 0 || window.series >= std::ssize(panel.series))
      return invalid("window.series", std::to_string(window.series),
                     "between 0 and " + std::to_string(std::ssize(panel.series) - 1));
    const std::int64_t length = panel.series[static_cast<std::size_t>(window.series)].length;
    const std::int64_t last = use == WindowUse::training ? shape.windows(length) - 1 : length;
    if (window.start < 0 || window.start > last)
      return invalid("window.start", std::to_string(window.start), "between 0 and " + std::to_string(last));
  }
  return {};
}

Result<void> cut(const Panel& panel, const WindowShape& shape, const Calendar& calendar, Fill fill,
                 std::span<const Window> windows, WindowValues* out) {
  CV_CHECK(check_windows(panel, shape, windows, WindowUse::prediction));
  const std::int64_t steps = shape.context + shape.forecast, channels = panel.channels;
  out->batch = std::ssize(windows);
  out->context = shape.context;
  out->forecast = shape.forecast;
  out->channels = channels;
  out->covariates = calendar.covariates();
  const auto size = static_cast<std::size_t>(out->batch * steps * channels);
  out->values.resize(size);
  out->observed.resize(size);
  out->calendar.resize(static_cast<std::size_t>(out->batch * steps * out->covariates));
  float* values = out->values.data();
  float* observed = out->observed.data();
  for (const Window& window : windows) {
    const PanelSeries& series = panel.series[static_cast<std::size_t>(window.series)];
    // Steps of the window; the step `first` of it is step window.start - L_C + first of the series.
    const std::int64_t first = std::max<std::int64_t>(0, shape.context - window.start);
    const std::int64_t last = std::min(steps, series.length - window.start + shape.context);
    for (float* part : {values, observed}) {
      std::fill(part, part + first * channels, 0.0f);
      std::fill(part + last * channels, part + steps * channels, 0.0f);
    }
    const float* from = series.values.data() + (window.start - shape.context + first) * channels;
    const std::int64_t missing =
        copy_observed(from, (last - first) * channels, values + first * channels, observed + first * channels);
    if (missing > 0 && fill != Fill::zero) {
      for (std::int64_t c = 0; c < channels; ++c)
        fill_channel(values + c, observed + c, channels, first, shape.context, last, fill);
    }
    values += steps * channels;
    observed += steps * channels;
  }
  write_calendar(panel, shape, calendar, windows, out->calendar.data());
  return {};
}

Result<WindowValues> cut(const Panel& panel, const WindowShape& shape, const Calendar& calendar, Fill fill,
                         std::span<const Window> windows) {
  WindowValues values;
  CV_CHECK(cut(panel, shape, calendar, fill, windows, &values));
  return values;
}

}  // namespace chronoveil::forecasting
