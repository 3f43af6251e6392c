#include "chronoveil/report/draw/fan_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/frame.h"
#include "chronoveil/report/draw/paths.h"
#include "chronoveil/report/forecast/forecasted_parts.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"

namespace chronoveil::report {
namespace {

constexpr std::size_t kMostPast = 400;  // steps of the past that are drawn, the last ones

// What is drawn: the end of the past, and all of the forecast.
struct Drawn {
  SlotAxis axis;
  std::size_t past = 0;
  std::span<const double> history;
  const ForecastSeries& series;
  Scale scale;

  Drawn(const Forecasted& forecasted, const ForecastSeries& one) : series(one) {
    past = std::min({forecasted.past, one.history.size(), kMostPast});
    axis = part_of(forecasted.axis, forecasted.past - past);
    history = std::span(one.history).last(past);
  }
  std::size_t steps() const { return series.quantiles.size(); }
  // A step of the forecast, and the point of one of its quantiles.
  Point point(std::size_t step, std::size_t quantile) const {
    return {middle_of(axis, past + step), height_of(scale, series.quantiles[step][quantile])};
  }
  // The last value of the past, where everything ahead begins; none if it is missing.
  std::vector<Point> origin() const {
    if (past == 0 || !std::isfinite(history.back())) return {};
    return {{middle_of(axis, past - 1), height_of(scale, history.back())}};
  }
};

std::string median_path(const Drawn& drawn) {
  std::vector<Point> points = drawn.origin();
  for (std::size_t step = 0; step < drawn.steps(); ++step) points.push_back(drawn.point(step, kMedian));
  return line_through(points);
}

std::string history_path(const Drawn& drawn) {
  std::vector<Point> points;
  for (std::size_t step = 0; step < drawn.past; ++step)
    points.push_back({middle_of(drawn.axis, step), height_of(drawn.scale, drawn.history[step])});
  return line_through(points);
}

// The band between quantile `low` and its mirror image. A step of which any quantile is not finite is a gap.
std::string band_path(const Drawn& drawn, std::size_t low) {
  std::vector<Point> upper = drawn.origin(), lower = upper;
  for (std::size_t step = 0; step < drawn.steps(); ++step) {
    upper.push_back(drawn.point(step, 2 * kMedian - low));
    lower.push_back(drawn.point(step, low));
    if (!is_finite(drawn.series.quantiles[step])) upper.back().up = std::numeric_limits<double>::quiet_NaN();
  }
  return area_between(upper, lower);
}

std::string read_words(const Drawn& drawn, Stretch part) {
  const std::string first = slot_phrase(drawn.axis, part.from);
  if (part.to - part.from == 1) {
    const double value = drawn.history[part.from];
    return first + ": " + (std::isfinite(value) ? rounded(value) : "missing");
  }
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : drawn.history.subspan(part.from, part.to - part.from)) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const std::string values = low <= high ? fmt::format("values from {} to {}", rounded(low), rounded(high)) : "missing";
  return fmt::format("{} to {}: {}", first, slot_phrase(drawn.axis, part.to - 1), values);
}

std::string forecast_words(const Drawn& drawn, Stretch part) {
  const std::string first = slot_phrase(drawn.axis, drawn.past + part.from);
  const std::vector<double>& from = drawn.series.quantiles[part.from];
  if (part.to - part.from == 1) return first + ": " + chance_words(from);
  return fmt::format("{} to {}: median from {} to {}", first, slot_phrase(drawn.axis, drawn.past + part.to - 1),
                     rounded(from[kMedian]), rounded(drawn.series.quantiles[part.to - 1][kMedian]));
}

// Half of the marks for the past, half for what is ahead.
std::vector<Mark> fan_marks(const Drawn& drawn, bool large) {
  const std::size_t most = (large ? kMostMarks : kMostSmallMarks) / 2;
  const auto mark = [&](std::size_t from, std::size_t to, std::string words) {
    return Mark{start_of(drawn.axis, from), start_of(drawn.axis, to), std::move(words)};
  };
  std::vector<Mark> all =
      marks_of(drawn.past, most, [&](Stretch part) { return mark(part.from, part.to, read_words(drawn, part)); });
  for (Mark& ahead : marks_of(drawn.steps(), most, [&](Stretch part) {
         return mark(drawn.past + part.from, drawn.past + part.to, forecast_words(drawn, part));
       }))
    all.push_back(std::move(ahead));
  return all;
}

// What is ahead, then the end of what was read.
std::string fan_numbers(const Drawn& drawn, const std::string& csv) {
  Table ahead{.head = {"Time", "Median", "8 in 10 from", "to"}, .rows = {}};
  const std::size_t shown = std::min(drawn.steps(), kMostNumbers);
  for (std::size_t step = 0; step < shown; ++step) {
    const std::vector<double>& quantiles = drawn.series.quantiles[step];
    ahead.rows.push_back({escaped(slot_phrase(drawn.axis, drawn.past + step)),
                          rounded(quantiles[kMedian], kTableDigits), rounded(quantiles.front(), kTableDigits),
                          rounded(quantiles.back(), kTableDigits)});
  }
  Table read{.head = {"Read by the model, the newest first", "Value"}, .rows = {}};
  for (std::size_t i = 0; i < std::min(drawn.past, kMostNumbers); ++i) {
    const std::size_t step = drawn.past - 1 - i;
    read.rows.push_back({escaped(slot_phrase(drawn.axis, step)),
                         std::isfinite(drawn.history[step]) ? rounded(drawn.history[step], kTableDigits) : "missing"});
  }
  return numbers_behind("first", shown, drawn.steps(), to_html(ahead) + (read.rows.empty() ? "" : to_html(read)) + csv);
}

// None if there is nothing to draw; sets the scale.
std::optional<Frame> frame_of(Drawn& drawn, std::size_t number, bool large) {
  const ForecastSeries& series = drawn.series;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const auto take = [&](std::span<const double> values) {
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  };
  take(drawn.history);
  for (const std::vector<double>& quantiles : series.quantiles) take(quantiles);
  if (!(low <= high) || series.quantiles.empty()) return std::nullopt;
  drawn.scale = nice_scale(low, high, large ? 5 : 4);
  std::string drawing;
  for (std::size_t level = 0; level < kMedian; ++level) drawing += path_of("band", band_path(drawn, level));
  drawing += path_of("truth", history_path(drawn)) + path_of("line", median_path(drawn));
  const std::string label = label_of(series);
  return Frame{
      .id = "f" + std::to_string(number),
      .title = label.empty() ? "Forecast" : label,
      .note = "next: " + chance_words(series.quantiles.front()),
      .description = fmt::format("A line over the past, then a median from {} to {} over {} steps, with bands.",
                                 rounded(series.quantiles.front()[kMedian]), rounded(series.quantiles.back()[kMedian]),
                                 drawn.steps()),
      .across = time_ticks(drawn.axis, large ? 9 : 6),
      .up = ticks_of(drawn.scale),
      .drawing = drawing,
      .large = large,
      .across_title = "Time (" + drawn.axis.zone + ")",
      .up_title = measure_of(series),
      .marks = fan_marks(drawn, large)};
}

}  // namespace

std::string fan_chart(const Forecasted& forecasted, const ForecastSeries& series, std::size_t number, bool large,
                      const std::string& csv) {
  Drawn drawn(forecasted, series);
  const std::optional<Frame> frame = frame_of(drawn, number, large);
  return frame ? to_html(*frame) + fan_numbers(drawn, csv) : "";
}

std::optional<Frame> fan_frame(const Forecasted& forecasted, const ForecastSeries& series, std::size_t number,
                               bool large) {
  Drawn drawn(forecasted, series);
  return frame_of(drawn, number, large);
}

std::vector<LegendEntry> fan_legend() {
  return {{"truth", "M0 6h22", "what the model read"},
          {"line", "M0 6h22", "median of the forecast"},
          {"band", "M0 0h22v12h-22z", "2, 4, 6 and 8 in 10 chances"}};
}

}  // namespace chronoveil::report
