#include "chronoveil/engine/perturb/internal.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "chronoveil/data/real_reader.h"

namespace chronoveil::engine {
namespace {

constexpr std::size_t kDrawn = 2000;    // points of an average
constexpr std::size_t kDifferent = 20;  // values that are counted one by one

// Every text as a number; an empty slot repeats the number before it. Empty if a text is no number.
std::optional<std::vector<double>> numbers_of(const std::vector<std::string>& texts) {
  std::vector<double> numbers;
  numbers.reserve(texts.size());
  for (const std::string& text : texts) {
    double number = numbers.empty() ? 0 : numbers.back();
    if (!text.empty() && data::read_real(text, number) != data::RealProblem::none) return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<double> moving_average(const std::vector<double>& values, std::size_t range) {
  std::vector<double> averages;
  long double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    if (i >= range) sum -= values[i - range];
    if (i + 1 >= range) averages.push_back(static_cast<double>(sum / static_cast<long double>(range)));
  }
  return averages;
}

void add_averages(const std::vector<double>& before, const std::vector<double>& after, std::size_t range,
                  report::PerturbedInternal::Column& column) {
  const std::vector<double> first = moving_average(before, range), second = moving_average(after, range);
  const std::size_t steps = std::min(first.size(), second.size());
  const std::size_t stride = std::max<std::size_t>(1, (steps + kDrawn - 1) / kDrawn);
  long double squares = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    squares += (first[i] - second[i]) * static_cast<long double>(first[i] - second[i]);
    if (i % stride == 0) column.averages.push_back({static_cast<std::int64_t>(i), first[i], second[i]});
  }
  if (steps > 0) column.average_error = static_cast<double>(std::sqrt(squares / static_cast<long double>(steps)));
}

void add_counts(const BeforeAfter& values, report::PerturbedInternal::Column& column) {
  std::map<std::string_view, std::pair<std::int64_t, std::int64_t>> counts;
  for (const std::string& text : values.before) {
    ++counts[text].first;
    if (counts.size() > kDifferent) return;
  }
  for (const std::string& text : values.after) {
    ++counts[text].second;
    if (counts.size() > 2 * kDifferent) return;
  }
  for (const auto& [text, count] : counts) column.counts.push_back({std::string(text), count.first, count.second});
}

}  // namespace

report::PerturbedInternal::Column compared(const BeforeAfter& values, std::int64_t range) {
  report::PerturbedInternal::Column column;
  column.name = values.name;
  column.range = range;
  const auto before = numbers_of(values.before), after = numbers_of(values.after);
  column.numeric = before && after;
  if (column.numeric) add_averages(*before, *after, static_cast<std::size_t>(range), column);
  add_counts(values, column);
  return column;
}

}  // namespace chronoveil::engine
