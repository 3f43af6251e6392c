#include "chronoveil/report/perturbed/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/frame.h"
#include "chronoveil/report/draw/paths.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"
#include "chronoveil/report/perturbed/words.h"

namespace chronoveil::report {
namespace {

constexpr std::int64_t kMostBars = 61;

std::int64_t last_of(const mechanisms::Moves& moves) {
  return moves.first + static_cast<std::int64_t>(moves.shares.size()) - 1;
}

// Distances in bars of an odd width, so that one of them has 0 in its middle.
class Bars {
 public:
  Bars(std::int64_t first, std::int64_t last) {
    width_ = (last - first + kMostBars) / kMostBars;
    if (width_ % 2 == 0) ++width_;
    from_ = number_of(first);
    count_ = static_cast<std::size_t>(number_of(last) - from_ + 1);
  }
  std::int64_t width() const { return width_; }
  std::size_t count() const { return count_; }
  std::vector<double> heights(const mechanisms::Moves& moves) const {
    std::vector<double> all(count_);
    for (std::size_t i = 0; i < moves.shares.size(); ++i)
      all[static_cast<std::size_t>(number_of(moves.first + static_cast<std::int64_t>(i)) - from_)] += moves.shares[i];
    return all;
  }
  // Where a distance lies between the left edge and the right.
  double position(double distance) const {
    const double width = static_cast<double>(width_);
    return ((distance / width) + 0.5 - static_cast<double>(from_)) / static_cast<double>(count_);
  }
  // The distances of a bar in words: "stay in their row", "1 row later", "3 to 7 rows earlier".
  std::string words(std::size_t bar) const {
    const std::int64_t middle = (from_ + static_cast<std::int64_t>(bar)) * width_;
    if (middle == 0 && width_ == 1) return "stay in their row";
    if (middle == 0) return fmt::format("move by at most {} {}", grouped(width_ / 2), width_ == 3 ? "row" : "rows");
    const std::int64_t near = std::abs(middle) - width_ / 2, far = std::abs(middle) + width_ / 2;
    return fmt::format("{}{} {} {}", near == far ? "" : grouped(near) + " to ", grouped(far), far == 1 ? "row" : "rows",
                       middle < 0 ? "earlier" : "later");
  }
  std::vector<Tick> ticks() const {
    const double left = static_cast<double>(from_ * width_),
                 span = static_cast<double>(width_) * static_cast<double>(count_ - 1);
    const double unit = std::max(1.0, nice_scale(left, left + std::max(span, 1.0), 8).unit);
    std::vector<Tick> all;
    for (double at = std::ceil(left / unit) * unit; at <= left + span; at += unit)
      all.push_back({position(at), (at > 0 ? "+" : "") + tick_text(at, unit), std::fmod(at / unit, 2) == 0});
    return all;
  }

 private:
  std::int64_t number_of(std::int64_t distance) const {
    const std::int64_t shifted = distance + width_ / 2;
    return shifted >= 0 ? shifted / width_ : -((width_ - 1 - shifted) / width_);
  }
  std::int64_t width_ = 1, from_ = 0;
  std::size_t count_ = 1;
};

std::string bars_path(const std::vector<double>& heights, const Scale& scale) {
  const double wide = 1.0 / static_cast<double>(heights.size());
  std::string out;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    const int left = across_at((static_cast<double>(i) + 0.1) * wide);
    const int right = across_at((static_cast<double>(i) + 0.9) * wide);
    const int top = up_at(scale.position(heights[i]));
    if (top < kFrameHigh) out += fmt::format("M{} {}h{}V{}h{}z", left, top, right - left, kFrameHigh, left - right);
  }
  return out;
}

std::string outline_path(const std::vector<double>& heights, const Scale& scale) {
  std::string out = fmt::format("M0 {}", kFrameHigh);
  for (std::size_t i = 0; i < heights.size(); ++i)
    out += fmt::format("V{}H{}", up_at(scale.position(heights[i])),
                       across_at(static_cast<double>(i + 1) / static_cast<double>(heights.size())));
  return out + fmt::format("V{}", kFrameHigh);
}

// δ upwards: by powers of ten where small ones would be invisible otherwise.
class DeltaAxis {
 public:
  explicit DeltaAxis(const std::vector<double>& deltas) {
    constexpr double kFarApart = 30;
    double least = std::numeric_limits<double>::infinity(), most = 0;
    bool zero = false;
    for (const double delta : deltas) {
      if (delta > 0) least = std::min(least, delta);
      most = std::max(most, delta);
      zero = zero || delta <= 0;
    }
    linear_ = nice_scale(0, most, 5);
    if (!(most > least * kFarApart)) return;
    logarithmic_ = log_scale(least, most);
    // Room below for 0, which has no logarithm.
    zero_ = zero;
    if (zero_) --logarithmic_->low;
  }
  bool logarithmic() const { return logarithmic_.has_value(); }
  double position(double delta) const { return logarithmic_ ? logarithmic_->position(delta) : linear_.position(delta); }
  std::vector<Tick> ticks() const {
    if (!logarithmic_) return ticks_of(linear_);
    std::vector<Tick> all;
    if (zero_) all.push_back({0, "0", true});
    for (const double tick : logarithmic_->ticks(7))
      if (!zero_ || position(tick) > 0) all.push_back({position(tick), rounded(tick), true});
    return all;
  }

 private:
  Scale linear_;
  std::optional<LogScale> logarithmic_;
  bool zero_ = false;
};

bool is_finite(const CurvePoint& point) { return std::isfinite(point.epsilon) && std::isfinite(point.delta); }

}  // namespace

Figure moves_drawn(const mechanisms::Moves& law, const mechanisms::Moves* realised) {
  if (law.shares.empty() && (!realised || realised->shares.empty())) return {};
  std::int64_t first = 0, last = 0;
  for (const mechanisms::Moves* moves : {&law, realised}) {
    if (!moves || moves->shares.empty()) continue;
    first = std::min(first, moves->first);
    last = std::max(last, last_of(*moves));
  }
  const Bars bars(first, last);
  const std::vector<double> heights = bars.heights(law);
  const std::vector<double> outline = realised ? bars.heights(*realised) : std::vector<double>{};
  double most = *std::max_element(heights.begin(), heights.end());
  for (const double height : outline) most = std::max(most, height);
  const Scale scale = nice_scale(0, most, 4);
  std::vector<Mark> marks;
  Table table{.head = {"Values that", realised ? "By the law" : "Share"}, .rows = {}};
  if (realised) table.head.emplace_back("This release");
  for (std::size_t i = 0; i < bars.count(); ++i) {
    const double wide = 1 / static_cast<double>(bars.count()), left = static_cast<double>(i) * wide;
    const std::string which = bars.words(i), share = percent(heights[i]);
    table.rows.push_back({which, share});
    if (realised) table.rows.back().push_back(percent(outline[i]));
    marks.push_back(
        {left, left + wide, fmt::format("{}: {}{}", which, share, realised ? ", here " + percent(outline[i]) : "")});
  }
  std::vector<Tick> up;
  for (const double tick : scale.ticks())
    up.push_back({scale.position(tick), tick_text(tick * 100, scale.unit * 100) + " %", true});
  std::vector<LegendEntry> legend;
  if (realised) legend = {{"bars", "M0 0h22v12h-22z", "the law"}, {"truth", "M0 6h22", "this release"}};
  return {
      legend,
      Frame{.id = "moves",
            .title = realised ? "How far values moved" : "How far values move",
            .note = bars.width() == 1 ? "by rows" : fmt::format("a bar for {} rows", grouped(bars.width())),
            .description = fmt::format("Bars from {} to {} rows. {}", grouped(first), grouped(last), moves_words(law)),
            .across = bars.ticks(),
            .up = up,
            .drawing = path_of("bars", bars_path(heights, scale)) +
                       (realised ? path_of("truth", outline_path(outline, scale)) : ""),
            .large = true,
            .across_title = "Rows; left of 0: released earlier than measured, right: later",
            .up_title = "Share of the values",
            .marks = marks},
      table};
}

Figure curve_drawn(const Perturbed& perturbed) {
  std::vector<CurvePoint> curve;
  std::copy_if(perturbed.curve.begin(), perturbed.curve.end(), std::back_inserter(curve), is_finite);
  if (curve.empty()) return {};
  std::optional<CurvePoint> claim, paper;
  if (const CurvePoint point{perturbed.guarantee.epsilon, perturbed.guarantee.delta};
      perturbed.mark.empty() && !is_nominal(perturbed.guarantee) && is_finite(point))
    claim = point;
  if (const auto nominal = nominal_of(perturbed.plan))
    if (const CurvePoint point{nominal->epsilon, nominal->delta}; is_finite(point)) paper = point;

  std::vector<CurvePoint> all = curve;
  if (claim) all.push_back(*claim);
  if (paper) all.push_back(*paper);
  std::vector<double> deltas;
  double far = 0;
  for (const CurvePoint& point : all) {
    deltas.push_back(point.delta);
    far = std::max(far, point.epsilon);
  }
  const DeltaAxis up(deltas);
  const Scale across = nice_scale(0, far, 8);
  const auto at = [&](const CurvePoint& point) {
    return fmt::format("{} {}", across_at(across.position(point.epsilon)), up_at(up.position(point.delta)));
  };
  std::vector<LegendEntry> legend{{"line", "M0 6h22", "certified δ at every ε"}};
  std::vector<Point> points;
  std::vector<std::pair<double, std::string>> words;
  Table table{.head = {"ε", "δ at most"}, .rows = {}};
  const std::size_t every = (curve.size() + kMostNumbers - 1) / kMostNumbers;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const std::string epsilon = rounded_up(curve[i].epsilon), delta = rounded_up(curve[i].delta);
    points.push_back({across.position(curve[i].epsilon), up.position(curve[i].delta)});
    if (i % every != 0 && i + 1 != curve.size()) continue;
    words.emplace_back(points.back().across, fmt::format("ε = {}: δ at most {}", epsilon, delta));
    table.rows.push_back({epsilon, delta});
  }
  std::string drawing = path_of("line", line_through(points));
  if (claim) {
    drawing += path_of("claim", "M" + at(*claim) + "h0");
    legend.push_back({"claim", "M11 6h0", "what is promised"});
  }
  if (paper) {
    drawing += path_of("paper", "M" + at(*paper) + "h0");
    legend.push_back({"paper", "M11 6h0", "what a paper states, for single outputs only"});
  }
  return {legend,
          Frame{.id = "curve",
                .title = "The certified curve",
                .note = "less of both is more private",
                .description = fmt::format("A falling line: δ from {} at ε = {} to {} at ε = {}.",
                                           rounded_up(curve.front().delta), rounded_up(curve.front().epsilon),
                                           rounded_up(curve.back().delta), rounded_up(curve.back().epsilon)),
                .across = ticks_of(across),
                .up = up.ticks(),
                .drawing = drawing,
                .large = true,
                .across_title = "ε",
                .up_title = up.logarithmic() ? "δ, in powers of ten" : "δ",
                .marks = marks_at(words)},
          table};
}

namespace {

std::string as_html(const Figure& drawn) {
  if (!drawn.frame) return "";
  return legend_of(drawn.legend) + to_html(*drawn.frame) +
         numbers_behind("first", drawn.numbers.rows.size(), drawn.numbers.rows.size(), to_html(drawn.numbers));
}

}  // namespace

std::string moves_figure(const mechanisms::Moves& law, const mechanisms::Moves* realised) {
  return as_html(moves_drawn(law, realised));
}
std::string curve_figure(const Perturbed& perturbed) { return as_html(curve_drawn(perturbed)); }

std::string averages_figure(const PerturbedInternal::Column& column, std::size_t number) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& point : column.averages) {
    for (const double value : {point.before, point.after}) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (!(low <= high)) return "";
  const Scale up = nice_scale(low, high, 5);
  const double first = static_cast<double>(column.averages.front().step);
  const double last = std::max(static_cast<double>(column.averages.back().step), first + 1);
  const auto position = [&](double step) { return std::clamp((step - first) / (last - first), 0.0, 1.0); };
  std::vector<Point> before, after;
  for (const auto& point : column.averages) {
    const double across = position(static_cast<double>(point.step));
    before.push_back({across, height_of(up, point.before)});
    after.push_back({across, height_of(up, point.after)});
  }
  std::vector<std::pair<double, std::string>> words;
  Table table{.head = {"Row", "Before", "After"}, .rows = {}};
  const std::size_t every = (column.averages.size() + kMostNumbers - 1) / kMostNumbers;
  for (std::size_t i = 0; i < column.averages.size(); i += every) {
    const auto& point = column.averages[i];
    words.emplace_back(before[i].across, fmt::format("row {}: before {}, after {}", grouped(point.step),
                                                     rounded(point.before), rounded(point.after)));
    table.rows.push_back(
        {grouped(point.step), rounded(point.before, kTableDigits), rounded(point.after, kTableDigits)});
  }
  std::vector<Tick> across;
  const double unit = std::max(1.0, nice_scale(first, last, 6).unit);
  for (double at = std::ceil(first / unit) * unit; at <= last; at += unit)
    across.push_back({position(at), tick_text(at, unit), true});
  return to_html(Frame{.id = fmt::format("average{}", number),
                       .title = column.name,
                       .note = "root mean square error " + rounded(column.average_error),
                       .description = fmt::format("Two lines between {} and {}.", rounded(low), rounded(high)),
                       .across = across,
                       .up = ticks_of(up),
                       .drawing = path_of("line", line_through(after)) + path_of("truth", line_through(before)),
                       .large = false,
                       .across_title = "Row",
                       .up_title = fmt::format("Mean of {} rows of {}", grouped(column.range), column.name),
                       .marks = marks_at(words)}) +
         numbers_behind("first", table.rows.size(), table.rows.size(), to_html(table));
}

}  // namespace chronoveil::report
