#include "chronoveil/forecasting/panel.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

namespace chronoveil::forecasting {

Result<void> check_panel(const Panel& panel, std::int64_t forecast_length) {
  if (panel.channels < 1) return fail(ErrorKind::bad_data, "panel", "it has no channels");
  if (forecast_length < 1) return invalid("forecast_length", std::to_string(forecast_length), "at least 1");
  if (panel.series.empty()) return fail(ErrorKind::bad_data, "panel", "it has no series");
  std::unordered_set<std::string_view> keys;
  for (const PanelSeries& series : panel.series) {
    const std::string where = "series '" + series.key + "'";
    if (!keys.insert(series.key).second) return fail(ErrorKind::bad_data, where + ": it is there twice");
    if (series.length < forecast_length)
      return fail(ErrorKind::bad_data, where + ": it has " + std::to_string(series.length) + " steps; a forecast of " +
                                           std::to_string(forecast_length) + " needs at least as many");
    const auto size = static_cast<std::int64_t>(series.values.size());  // divided: the product might overflow
    if (size % panel.channels != 0 || size / panel.channels != series.length)
      return fail(ErrorKind::bad_data, where + ": its values are not " + std::to_string(series.length) + " steps of " +
                                           std::to_string(panel.channels) + " channels");
    if (series.start < -kClockLimit || series.start > kClockLimit)
      return fail(ErrorKind::bad_data,
                  where + ": it starts more than 2^52 steps from the first on the clock of the panel");
    const auto infinite =
        std::find_if(series.values.begin(), series.values.end(), [](float x) { return std::isinf(x); });
    if (infinite != series.values.end())
      return fail(ErrorKind::bad_data, where + ": step " +
                                           std::to_string((infinite - series.values.begin()) / panel.channels + 1) +
                                           " is not finite");
  }
  return {};
}

std::vector<std::int64_t> lengths_of(const Panel& panel) {
  std::vector<std::int64_t> lengths;
  lengths.reserve(panel.series.size());
  for (const PanelSeries& series : panel.series) lengths.push_back(series.length);
  std::sort(lengths.begin(), lengths.end());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

Result<Panel> without_last(const Panel& panel, std::int64_t steps) {
  if (steps < 0) return invalid("steps", std::to_string(steps), "at least 0");
  Panel shorter{panel.channels, {}};
  shorter.series.reserve(panel.series.size());
  for (const PanelSeries& series : panel.series) {
    if (series.length <= steps)
      return fail(ErrorKind::bad_data, "series '" + series.key + "': it has " + std::to_string(series.length) +
                                           " steps, and " + std::to_string(steps) + " are held back for the test");
    PanelSeries kept{series.key, series.start, series.length - steps, {}};
    kept.values.assign(series.values.begin(),
                       series.values.end() - static_cast<std::ptrdiff_t>(steps * panel.channels));
    shorter.series.push_back(std::move(kept));
  }
  return shorter;
}

}  // namespace chronoveil::forecasting
