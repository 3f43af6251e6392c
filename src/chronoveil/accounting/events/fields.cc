#include "chronoveil/accounting/events/fields.h"

#include <bit>
#include <cmath>
#include <numeric>
#include <string>

namespace chronoveil::accounting {
namespace {

constexpr double kWeightTolerance = 1e-9;

// 1048576, 2^40.
std::string text_of(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  if (value >= (std::int64_t{1} << 30) && std::has_single_bit(bits))
    return "2^" + std::to_string(std::countr_zero(bits));
  return std::to_string(value);
}

}  // namespace

Result<void> check_range(const Range& range, std::string_view name, double value) {
  switch (range.kind) {
    case Range::Kind::positive:
      if (!std::isfinite(value) || value <= 0) return invalid(name, value, "a finite number greater than 0");
      if (value < 1e-150 || value > 1e150) return invalid(name, value, "between 1e-150 and 1e150");
      return {};
    case Range::Kind::not_negative:
      if (!std::isfinite(value) || value < 0) return invalid(name, value, "a finite number, at least 0");
      return {};
    case Range::Kind::share:
      if (!(value >= 0 && value <= 1)) return invalid(name, value, "between 0 and 1");
      return {};
    default: return {};
  }
}

Result<void> check_range(const Range& range, std::string_view name, std::int64_t value) {
  const std::string text = std::to_string(value);
  if (range.kind == Range::Kind::between && (value < range.least || value > range.most))
    return invalid(name, text, "a whole number between " + text_of(range.least) + " and " + text_of(range.most));
  if (range.kind != Range::Kind::at_least) return {};
  if (value < range.least) return invalid(name, text, "a whole number, at least " + text_of(range.least));
  if (value > range.most) return invalid(name, text, "at most " + text_of(range.most));
  return {};
}

Result<void> check_range(const Range& range, std::string_view name, const std::vector<std::int64_t>& values) {
  if (values.empty()) return invalid(name, "an empty list", "a number or a list of numbers");
  for (const std::int64_t value : values) CV_CHECK(check_range(range, name, value));
  return {};
}

Result<void> check_range(const Range&, std::string_view name, const GaussianMixture& mixture) {
  const std::string means = std::string(name) + ".means", weights = std::string(name) + ".weights";
  if (mixture.means.empty()) return invalid(means, "an empty list", "a list of at least one finite number");
  if (mixture.means.size() != mixture.weights.size())
    return invalid(weights, "a list of " + std::to_string(mixture.weights.size()),
                   "as long as means (" + std::to_string(mixture.means.size()) + ")");
  for (double mean : mixture.means)
    if (!std::isfinite(mean) || std::abs(mean) > 1e100) return invalid(means, mean, "finite, at most 1e100 in size");
  for (double weight : mixture.weights)
    if (!(weight >= 0 && weight <= 1)) return invalid(weights, weight, "between 0 and 1");
  const double sum = std::accumulate(mixture.weights.begin(), mixture.weights.end(), 0.0);
  if (std::abs(sum - 1) > kWeightTolerance) return invalid(weights, "a sum of " + shortest(sum), "a sum of one");
  return {};
}

}  // namespace chronoveil::accounting
