#include "chronoveil/report/draw/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "chronoveil/report/document/intervals.h"
#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/frame.h"
#include "chronoveil/report/draw/marks.h"
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

class Pen {
 public:
  Pen(const SlotAxis& axis, const Scale& scale) : axis_(axis), scale_(scale) {}

  int x(std::size_t step) const {
    const double start = static_cast<double>(axis_.boundaries.front());
    const double span = static_cast<double>(axis_.boundaries.back()) - start;
    const double middle =
        (static_cast<double>(axis_.boundaries[step]) + static_cast<double>(axis_.boundaries[step + 1])) / 2;
    return across_at((middle - start) / span);
  }
  int y(double value) const { return up_at(scale_.position(value)); }

  // Relative moves by whole numbers: short, without rounding errors that add up.
  void move(int x, int y) { go('M', x, y); }
  void draw(int x, int y) {
    out_ += fmt::format("l{} {}", x - x_, y - y_);
    x_ = x, y_ = y;
  }
  void dot(int x, int y) {
    go('M', x, y);
    out_ += "h0";
  }
  void close() { out_ += 'z'; }
  std::string take() { return std::exchange(out_, {}); }

 private:
  void go(char command, int x, int y) {
    out_ += fmt::format("{}{} {}", command, x, y);
    x_ = x, y_ = y;
  }
  const SlotAxis& axis_;
  const Scale& scale_;
  std::string out_;
  int x_ = 0, y_ = 0;
};

std::string line_path(Pen& pen, std::span<const double> values) {
  bool drawing = false;
  for (const std::size_t i : thinned(values, kColumns)) {
    if (!std::isfinite(values[i])) {
      drawing = false;
    } else if (drawing) {
      pen.draw(pen.x(i), pen.y(values[i]));
    } else {
      pen.move(pen.x(i), pen.y(values[i]));
      drawing = true;
    }
  }
  return pen.take();
}

// Along the upper bounds and back along the lower ones, at the widest of each stretch.
std::string band_path(Pen& pen, std::span<const double> lower, std::span<const double> upper) {
  const std::size_t columns = std::min(lower.size(), kColumns);
  if (columns == 0) return "";
  for (std::size_t column = 0; column < columns; ++column) {
    const auto [from, to] = stretch(column, columns, upper.size());
    const double most = *std::max_element(upper.begin() + static_cast<std::ptrdiff_t>(from),
                                          upper.begin() + static_cast<std::ptrdiff_t>(to));
    const int x = pen.x((from + to - 1) / 2);
    column == 0 ? pen.move(x, pen.y(most)) : pen.draw(x, pen.y(most));
  }
  for (std::size_t column = columns; column-- > 0;) {
    const auto [from, to] = stretch(column, columns, lower.size());
    const double least = *std::min_element(lower.begin() + static_cast<std::ptrdiff_t>(from),
                                           lower.begin() + static_cast<std::ptrdiff_t>(to));
    pen.draw(pen.x((from + to - 1) / 2), pen.y(least));
  }
  pen.close();
  return pen.take();
}

std::string dots_path(Pen& pen, const Chart& chart) {
  const std::size_t dots = static_cast<std::size_t>(std::count(chart.sampled.begin(), chart.sampled.end(), 1));
  if (dots == chart.sampled.size() && dots > kMostDotsOnEveryStep) return "";
  std::vector<double> values;
  std::vector<std::size_t> steps;
  for (std::size_t i = 0; i < chart.sampled.size(); ++i) {
    if (!chart.sampled[i]) continue;
    values.push_back(chart.value[i]);
    steps.push_back(i);
  }
  for (const std::size_t i : thinned(values, kColumns / 2)) pen.dot(pen.x(steps[i]), pen.y(values[i]));
  return pen.take();
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
  Pen pen(*chart.axis, scale);
  Range values;
  values.take(chart.value);

  return Frame{.id = chart.id,
               .title = chart.title,
               .note = chart.note,
               .description = described(chart, values),
               .across = time_ticks(*chart.axis, chart.large ? 9 : 6),
               .up = ticks_of(scale),
               .drawing = path_of("band", band_path(pen, chart.lower, chart.upper)) +
                          path_of("truth", line_path(pen, chart.truth)) + path_of("line", line_path(pen, chart.value)) +
                          path_of("dots", dots_path(pen, chart)),
               .large = chart.large,
               .across_title = "Time (" + chart.axis->zone + ")",
               .up_title = chart.measure,
               .overlay = ""};
}

std::string to_html(const Chart& chart) {
  if (chart.value.empty()) return "";
  Frame frame = frame_of(chart);
  frame.overlay = value_marks(chart);
  return to_html(frame);
}

}  // namespace chronoveil::report
