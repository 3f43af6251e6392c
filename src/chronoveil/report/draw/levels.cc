#include "chronoveil/report/draw/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/report/document/numbers.h"

namespace chronoveil::report {

Levels::Levels(std::span<const double> values, double interval, std::size_t palest) : palest_(palest) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (!(low < high) || !std::isfinite(interval)) return;
  const std::size_t levels = kColours - palest;
  double power = std::pow(10, std::floor(std::log10((high - low) / static_cast<double>(levels))));
  if (!(power > 0)) return;  // too close together for any step
  for (;; power *= 10) {
    for (const double lead : {1.0, 2.0, 5.0}) {
      const double step = lead * power;
      if (step < interval) continue;
      const double first = std::floor(low / step) + 1, last = std::floor(high / step);
      if (last - first + 2 > static_cast<double>(levels)) continue;
      for (double at = first; at <= last; ++at) limits_.push_back(at * step);
      step_ = step;
      return;
    }
  }
}

// The last level is always the strongest.
std::size_t Levels::colour_at(std::size_t level) const {
  if (limits_.empty()) return palest_;
  return palest_ + (level * (kColours - 1 - palest_) + limits_.size() / 2) / limits_.size();
}

std::size_t Levels::colour_of(double value) const {
  return colour_at(static_cast<std::size_t>(std::upper_bound(limits_.begin(), limits_.end(), value) - limits_.begin()));
}

std::vector<Levels::Level> Levels::all() const {
  std::vector<Level> levels;
  if (limits_.empty()) return levels;
  const auto words = [&](std::size_t limit) { return tick_text(limits_[limit], step_); };
  for (std::size_t level = 0; level <= limits_.size(); ++level)
    levels.push_back({colour_at(level), level == 0 ? "below " + words(0) : "from " + words(level - 1)});
  return levels;
}

std::string Levels::swatches() const {
  std::string out;
  for (const Level& level : all())
    out += fmt::format(
        "<span><svg class=\"swatch\" viewBox=\"0 0 1 1\" aria-hidden=\"true\"><path class=\"h{}\" "
        "d=\"M0 .5h1\"/></svg>{}</span>",
        level.colour, level.words);
  return out;
}

}  // namespace chronoveil::report
