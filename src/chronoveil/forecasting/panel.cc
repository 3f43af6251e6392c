#include "chronoveil/forecasting/panel.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

namespace chronoveil::forecasting {

Result<void> check_panel(const Panel& panel, std::int64_t forecast_length) {
  if (panel.channels < 1) return fail(ErrorKind::bad_data, "panel: it has no channels");
  if (panel.series.empty()) return fail(ErrorKind::bad_data, "panel: it has no series");
  std::unordered_set<std::string_view> keys;
  for (const PanelSeries& series : panel.series) {
    const std::string where = "series '" + series.key + "'";
    if (!keys.insert(series.key).second) return fail(ErrorKind::bad_data, where + ": it is there twice");
    if (series.length < forecast_length)
      return fail(ErrorKind::bad_data, where + ": it has " + std::to_string(series.length) + " steps; a forecast of " +
                                           std::to_string(forecast_length) + " needs at least as many");
    if (static_cast<std::int64_t>(series.values.size()) != series.length * panel.channels)
      return fail(ErrorKind::bad_data, where + ": its values are not " + std::to_string(series.length) + " steps of " +
                                           std::to_string(panel.channels) + " channels");
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
  for (const PanelSeries& series : panel.series) lengths.push_back(series.length);
  std::sort(lengths.begin(), lengths.end());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

Result<Panel> without_last(const Panel& panel, std::int64_t steps) {
  Panel shorter{panel.channels, {}};
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
