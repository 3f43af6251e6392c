#include "chronoveil/forecasting/rolling.h"

#include "chronoveil/forecasting/baselines/baselines.h"

namespace chronoveil::forecasting {

Result<std::vector<Window>> rolling_windows(const Panel& panel, std::int64_t forecast, const Rolling& rolling) {
  if (forecast < 1) return invalid("forecast_length", std::to_string(forecast), "at least 1");
  if (rolling.count < 1) return invalid("windows", std::to_string(rolling.count), "at least 1");
  if (rolling.stride < 1) return invalid("stride", std::to_string(rolling.stride), "at least 1");
  const std::int64_t held_back = rolling.held_back(forecast);
  std::vector<Window> windows;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    const PanelSeries& series = panel.series[i];
    if (series.length <= held_back)
      return fail(ErrorKind::bad_data, "series '" + series.key + "': it has " + std::to_string(series.length) +
                                           " steps, and " + std::to_string(held_back) + " are held back for the test");
    for (std::int64_t window = 0; window < rolling.count; ++window)
      windows.push_back({static_cast<std::int64_t>(i), series.length - held_back + window * rolling.stride});
  }
  return windows;
}

std::string_view name(Baseline baseline) {
  return baseline == Baseline::seasonal_naive ? "seasonal_naive" : "auto_ets";
}

Result<std::vector<Forecast>> baseline_forecasts(Baseline baseline, const Panel& panel, std::span<const Window> windows,
                                                 std::int64_t forecast, std::int64_t season) {
  constexpr std::size_t kQuantiles = kLevels.size();
  const auto channels = static_cast<std::size_t>(panel.channels);
  std::vector<Forecast> all;
  std::vector<float> past;
  for (const Window& window : windows) {
    const PanelSeries& series = panel.series[static_cast<std::size_t>(window.series)];
    Forecast joined{series.key, series.start + window.start, forecast, panel.channels, {}, 0, {}};
    joined.quantiles.resize(static_cast<std::size_t>(forecast) * channels * kQuantiles);
    for (std::size_t channel = 0; channel < channels; ++channel) {
      past.clear();
      for (std::int64_t step = 0; step < window.start; ++step)
        past.push_back(series.values[static_cast<std::size_t>(step) * channels + channel]);
      const Result<Forecast> made = baseline == Baseline::seasonal_naive ? seasonal_naive(past, season, forecast)
                                                                         : auto_ets(past, season, forecast);
      if (!made)
        return tl::unexpected(at(std::string(name(baseline)) + " of series '" + series.key + "' before step " +
                                     std::to_string(window.start),
                                 made)
                                  .error());
      for (std::size_t step = 0; step < static_cast<std::size_t>(forecast); ++step)
        for (std::size_t level = 0; level < kQuantiles; ++level)
          joined.quantiles[(step * channels + channel) * kQuantiles + level] =
              made->quantiles[step * kQuantiles + level];
    }
    all.push_back(std::move(joined));
  }
  return all;
}

QuantileLoss score(const Panel& panel, std::span<const Window> windows, std::span<const Forecast> forecasts) {
  QuantileLoss loss;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const PanelSeries& series = panel.series[static_cast<std::size_t>(windows[i].series)];
    const auto first = static_cast<std::size_t>(windows[i].start * panel.channels);
    const auto size = static_cast<std::size_t>(forecasts[i].length * panel.channels);
    loss.add(forecasts[i], std::span(series.values).subspan(first, size));
  }
  return loss;
}

}  // namespace chronoveil::forecasting
