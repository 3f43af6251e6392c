#include "chronoveil/report/draw/fan_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/frame.h"
#include "chronoveil/report/forecast/forecasted_parts.h"

namespace chronoveil::report {
namespace {

constexpr std::size_t kMedian = 4;      // of the nine quantiles
constexpr std::size_t kMostPast = 400;  // steps of the past that are drawn, the last ones

// The slots that are drawn: the end of the past, and all of the forecast.
struct Drawn {
  SlotAxis axis;
  std::size_t past = 0;
  std::vector<double> history;

  Drawn(const Forecasted& forecasted, const ForecastSeries& series) {
    past = std::min({forecasted.past, series.history.size(), kMostPast});
    const auto from = static_cast<std::ptrdiff_t>(forecasted.past - past);
    axis.zone = forecasted.axis.zone;
    axis.labels.assign(forecasted.axis.labels.begin() + from, forecasted.axis.labels.end());
    axis.boundaries.assign(forecasted.axis.boundaries.begin() + from, forecasted.axis.boundaries.end());
    history.assign(series.history.end() - static_cast<std::ptrdiff_t>(past), series.history.end());
  }
  bool ends_in_value() const { return past > 0 && std::isfinite(history.back()); }
  int x(std::size_t step) const {
    const double start = static_cast<double>(axis.boundaries.front());
    const double span = static_cast<double>(axis.boundaries.back()) - start;
    const double middle =
        (static_cast<double>(axis.boundaries[step]) + static_cast<double>(axis.boundaries[step + 1])) / 2;
    return across_at((middle - start) / span);
  }
};

std::string line(const Drawn& drawn, const Scale& scale, std::size_t first, const std::vector<double>& values) {
  std::string out;
  bool drawing = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i]))
      out += fmt::format("{}{} {}", drawing ? 'L' : 'M', drawn.x(first + i), up_at(scale.position(values[i])));
    drawing = std::isfinite(values[i]);
  }
  return out;
}

bool is_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

// The band between quantile `low` and its mirror image; it opens at the last value of the past, if any. A step without
// finite quantiles ends the band, and the next finite step begins a new one.
std::string band(const Drawn& drawn, const Scale& scale, const ForecastSeries& series, std::size_t low) {
  std::string out;
  const std::size_t steps = series.quantiles.size();
  for (std::size_t first = 0; first < steps; ++first) {
    std::size_t end = first;
    while (end < steps && is_finite(series.quantiles[end])) ++end;
    if (end == first) continue;
    const auto point = [&](char letter, std::size_t step, double value) {
      out += fmt::format("{}{} {}", letter, drawn.x(step), up_at(scale.position(value)));
    };
    const bool opens = first == 0 && drawn.ends_in_value();
    if (opens) point('M', drawn.past - 1, drawn.history.back());
    for (std::size_t step = first; step < end; ++step)
      point(step > first || opens ? 'L' : 'M', drawn.past + step, series.quantiles[step][2 * kMedian - low]);
    for (std::size_t step = end; step-- > first;) point('L', drawn.past + step, series.quantiles[step][low]);
    out += 'z';
    first = end;
  }
  return out;
}

}  // namespace

std::string fan_chart(const Forecasted& forecasted, const ForecastSeries& series, std::size_t number, bool large) {
  const Drawn drawn(forecasted, series);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const auto take = [&](double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const double value : drawn.history) take(value);
  std::vector<double> median;
  for (const std::vector<double>& quantiles : series.quantiles) {
    for (const double value : quantiles) take(value);
    median.push_back(quantiles[kMedian]);
  }
  if (!(low <= high) || median.empty()) return "";
  const std::vector<double>& next = series.quantiles.front();
  const Scale scale = nice_scale(low, high, large ? 5 : 4);
  std::string drawing;
  for (std::size_t level = 0; level < kMedian; ++level) drawing += path_of("band", band(drawn, scale, series, level));
  std::vector<double> onward = median;
  if (drawn.ends_in_value()) onward.insert(onward.begin(), drawn.history.back());
  drawing += path_of("truth", line(drawn, scale, 0, drawn.history)) +
             path_of("line", line(drawn, scale, drawn.past + median.size() - onward.size(), onward));
  const std::string label = label_of(series);
  return to_html(
      Frame{.id = "f" + std::to_string(number),
            .title = label.empty() ? "Forecast" : label,
            .note = fmt::format("next: {}, with 8 in 10 chances between {} and {}", rounded(next[kMedian]),
                                rounded(next.front()), rounded(next.back())),
            .description = fmt::format("A line over the past, then a median from {} to {} over {} steps, with bands.",
                                       rounded(median.front()), rounded(median.back()), median.size()),
            .across = time_ticks(drawn.axis, large ? 9 : 6),
            .up = ticks_of(scale),
            .drawing = drawing,
            .large = large});
}

std::string fan_legend() {
  return "<p class=\"legend\">" + legend_entry("truth", "M0 6h22", "what the model read") +
         legend_entry("line", "M0 6h22", "median of the forecast") +
         legend_entry("band", "M0 0h22v12h-22z", "2, 4, 6 and 8 in 10 chances") + "</p>\n";
}

}  // namespace chronoveil::report
