#include "chronoveil/report/draw/levels.h"

#include <fmt/format.h>

#include <algorithm>

#include "chronoveil/report/document/numbers.h"

namespace chronoveil::report {
namespace {

constexpr int kFewestDigits = 2, kMostDigits = 8;

std::vector<std::string> limit_words(const std::vector<double>& limits) {
  std::vector<std::string> words;
  for (int digits = kFewestDigits; digits <= kMostDigits; ++digits) {
    words.clear();
    for (const double limit : limits) words.push_back(rounded(limit, digits));
    if (std::adjacent_find(words.begin(), words.end()) == words.end()) break;
  }
  return words;
}

}  // namespace

Levels::Levels(std::vector<double> values, std::size_t palest) : palest_(palest) {
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  const std::size_t levels = kColours - palest;
  for (std::size_t level = 1; level < levels; ++level) {
    const double limit = values[level * values.size() / levels];
    if (limit > values.front() && (limits_.empty() || limit > limits_.back())) limits_.push_back(limit);
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

std::string Levels::swatches() const {
  if (limits_.empty()) return "";
  const std::vector<std::string> words = limit_words(limits_);
  std::string out;
  for (std::size_t level = 0; level <= limits_.size(); ++level)
    out += fmt::format(
        "<span><svg class=\"swatch\" viewBox=\"0 0 1 1\" aria-hidden=\"true\"><path class=\"h{}\" "
        "d=\"M0 .5h1\"/></svg>{} {}</span>",
        colour_at(level), level == 0 ? "below" : "from", words[level == 0 ? 0 : level - 1]);
  return out;
}

}  // namespace chronoveil::report
