#include "chronoveil/report/draw/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chronoveil/report/document/intervals.h"
#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/thinning.h"
#include "chronoveil/report/page/markup.h"

namespace chronoveil::report {
namespace {

std::string step_words(const Chart& chart, std::size_t step) {
  const std::string words = chart.lower.empty()
                                ? rounded(chart.value[step])
                                : between_words(chart.value[step], chart.lower[step], chart.upper[step]);
  return slot_phrase(*chart.axis, step) + ": " + words;
}

std::string stretch_words(const Chart& chart, Stretch part) {
  if (part.to - part.from == 1) return step_words(chart, part.from);
  const auto [least, greatest] = std::minmax_element(chart.value.begin() + static_cast<std::ptrdiff_t>(part.from),
                                                     chart.value.begin() + static_cast<std::ptrdiff_t>(part.to));
  return fmt::format("{} to {}: values from {} to {}", slot_phrase(*chart.axis, part.from),
                     slot_phrase(*chart.axis, part.to - 1), rounded(*least), rounded(*greatest));
}

}  // namespace

std::string value_marks(const Chart& chart) {
  const SlotAxis& axis = *chart.axis;
  const double start = static_cast<double>(axis.boundaries.front());
  const double span = static_cast<double>(axis.boundaries.back()) - start;
  const std::size_t marks = std::min(chart.value.size(), chart.large ? kMostMarks : kMostSmallMarks);
  std::string out =
      fmt::format("<div class=\"marks\" role=\"radiogroup\" aria-label=\"Values of {}\">", escaped(chart.title));
  for (std::size_t i = 0; i < marks; ++i) {
    const Stretch part = stretch(i, marks, chart.value.size());
    const double left = (static_cast<double>(axis.boundaries[part.from]) - start) / span * 100;
    const double right = (static_cast<double>(axis.boundaries[part.to]) - start) / span * 100;
    out += fmt::format(
        "<label{} style=\"left:{:.2f}%;width:{:.2f}%\"><input type=\"radio\" name=\"{}\"><span>{}</span></label>",
        left > 50 ? " class=\"far\"" : "", left, right - left, chart.id, escaped(stretch_words(chart, part)));
  }
  return out + "</div>";
}

}  // namespace chronoveil::report
