#include "chronoveil/report/draw/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "chronoveil/report/document/intervals.h"
#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/frame.h"
#include "chronoveil/report/draw/marks.h"
#include "chronoveil/report/draw/paths.h"
#include "chronoveil/report/draw/scale.h"
#include "chronoveil/report/draw/thinning.h"

namespace chronoveil::report {
namespace {

constexpr std::size_t kColumns = 700;
// Dots on every step hide the line once there are many.
constexpr std::size_t kMostDotsOnEveryStep = 100;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void take(std::span<const double> values) {
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
};

// Values and band, except that a band far beyond the values is cut off: it would flatten everything else.
Range range_of(const Chart& chart) {
  Range values;
  values.take(chart.value);
  values.take(chart.truth);
  Range all = values;
  all.take(chart.lower);
  all.take(chart.upper);
  double usual = usual_width(chart.lower, chart.upper);
  if (!std::isfinite(usual)) usual = 0;
  const double room = std::max(values.high - values.low, 2 * usual);
  return {std::max(all.low, values.low - room), std::min(all.high, values.high + room)};
}

std::string line_path(const Chart& chart, const Scale& scale, std::span<const double> values) {
  std::vector<Point> points;
  for (const std::size_t i : thinned(values, kColumns))
    points.push_back({middle_of(*chart.axis, i), height_of(scale, values[i])});
  return line_through(points);
}

// At the widest of each stretch. An end at infinity lies at the edge of the plot.
std::string band_path(const Chart& chart, const Scale& scale) {
  const std::size_t columns = std::min(chart.lower.size(), kColumns);
  std::vector<Point> upper, lower;
  for (std::size_t column = 0; column < columns; ++column) {
    const auto [from, to] = stretch(column, columns, chart.upper.size());
    const double across = middle_of(*chart.axis, (from + to - 1) / 2);
    const std::span<const double> above = chart.upper.subspan(from, to - from);
    const std::span<const double> below = chart.lower.subspan(from, to - from);
    upper.push_back({across, scale.position(*std::max_element(above.begin(), above.end()))});
    lower.push_back({across, scale.position(*std::min_element(below.begin(), below.end()))});
  }
  return area_between(upper, lower);
}

std::string dots_path(const Chart& chart, const Scale& scale) {
  const std::size_t dots = static_cast<std::size_t>(std::count(chart.sampled.begin(), chart.sampled.end(), 1));
  if (dots == chart.sampled.size() && dots > kMostDotsOnEveryStep) return "";
  std::vector<double> values;
  std::vector<std::size_t> steps;
  for (std::size_t i = 0; i < chart.sampled.size(); ++i) {
    if (!chart.sampled[i]) continue;
    values.push_back(chart.value[i]);
    steps.push_back(i);
  }
  std::vector<Point> points;
  for (const std::size_t i : thinned(values, kColumns / 2))
    points.push_back({middle_of(*chart.axis, steps[i]), scale.position(values[i])});
  return dots_at(points);
}

std::string step_words(const Chart& chart, std::size_t step) {
  const std::string words = chart.lower.empty()
                                ? rounded(chart.value[step])
                                : between_words(chart.value[step], chart.lower[step], chart.upper[step]);
  return slot_phrase(*chart.axis, step) + ": " + words;
}

std::string stretch_words(const Chart& chart, Stretch part) {
  if (part.to - part.from == 1) return step_words(chart, part.from);
  const std::span<const double> values = chart.value.subspan(part.from, part.to - part.from);
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return fmt::format("{} to {}: values from {} to {}", slot_phrase(*chart.axis, part.from),
                     slot_phrase(*chart.axis, part.to - 1), rounded(*least), rounded(*greatest));
}

// A long series is shown by the least and the greatest value of each stretch.
std::vector<Mark> chart_marks(const Chart& chart) {
  return marks_of(chart.value.size(), chart.large ? kMostMarks : kMostSmallMarks, [&](Stretch part) {
    return Mark{start_of(*chart.axis, part.from), start_of(*chart.axis, part.to), stretch_words(chart, part)};
  });
}

std::string described(const Chart& chart, const Range& range) {
  return fmt::format("A line over {} {}, {}, time zone {}. Values between {} and {}.{}", grouped(chart.axis->steps()),
                     chart.axis->steps() == 1 ? slot_words(*chart.axis).one : slot_words(*chart.axis).many,
                     span_words(*chart.axis), chart.axis->zone, rounded(range.low), rounded(range.high),
                     chart.lower.empty() ? "" : " A band shows the interval of each value.");
}

}  // namespace

Frame frame_of(const Chart& chart) {
  const Range range = range_of(chart);
  const Scale scale = nice_scale(range.low, range.high, chart.large ? 5 : 4);
  Range values;
  values.take(chart.value);

  return Frame{
      .id = chart.id,
      .title = chart.title,
      .note = chart.note,
      .description = described(chart, values),
      .across = time_ticks(*chart.axis, chart.large ? 9 : 6),
      .up = ticks_of(scale),
      .drawing = path_of("band", band_path(chart, scale)) + path_of("truth", line_path(chart, scale, chart.truth)) +
                 path_of("line", line_path(chart, scale, chart.value)) + path_of("dots", dots_path(chart, scale)),
      .large = chart.large,
      .across_title = "Time (" + chart.axis->zone + ")",
      .up_title = chart.measure,
      .marks = chart_marks(chart)};
}

std::string to_html(const Chart& chart) { return chart.value.empty() ? "" : to_html(frame_of(chart)); }

}  // namespace chronoveil::report
