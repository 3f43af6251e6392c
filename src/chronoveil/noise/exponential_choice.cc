#include "chronoveil/noise/exponential_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "chronoveil/noise/bernoulli.h"
#include "chronoveil/noise/uniform.h"

namespace chronoveil::noise {

namespace {

constexpr double kStepsPerNat = 0x1p32;
constexpr double kRoundingError = 0x1p-33;  // half a step
// log() of a count below 2^63 is at most 44; 2^-40 is hundreds of times the error that any usable library makes there.
constexpr double kLogarithmError = 0x1p-40;
constexpr std::int64_t kZeroWeight = std::numeric_limits<std::int64_t>::min();

// In steps of 2^-32, rounded to the nearest. The product is exact (a power of two, far from the limits of a double) and
// so is its rounding, which adding 1/2 to a large double would not be.
std::int64_t fixed_log_weight(double log_weight) {
  if (std::isinf(log_weight)) return kZeroWeight;
  return static_cast<std::int64_t>(std::round(log_weight * kStepsPerNat));
}

Result<void> check_log_weight(double log_weight) {
  const bool zero = std::isinf(log_weight) && log_weight < 0;
  if (!zero && !(std::abs(log_weight) <= kLogWeightLimit)) {
    return fail(ErrorKind::usage, "log_weight", "must be minus infinity or a number between -2^29 and 2^29");
  }
  return {};
}

Result<void> check_input_error(double input_error) {
  if (!(input_error >= 0 && input_error <= 1)) return invalid("input_error", input_error, "between 0 and 1");
  return {};
}

double charge_for(double input_error, double own_error) {
  return std::nextafter(4 * std::nextafter(input_error + own_error, 2), 8);
}

Result<std::size_t> choose_index(std::span<const std::int64_t> fixed, BitSource& bits) {
  const auto greatest = std::max_element(fixed.begin(), fixed.end());
  if (greatest == fixed.end() || *greatest == kZeroWeight) {
    return fail(ErrorKind::usage, "log_weight", "at least one candidate must have a weight greater than 0");
  }
  for (;;) {
    const auto index = static_cast<std::size_t>(uniform_below(fixed.size(), bits));
    if (fixed[index] == kZeroWeight) continue;
    const auto below = static_cast<std::uint64_t>(*greatest - fixed[index]);
    const double fraction = static_cast<double>(below & 0xffffffffu) / kStepsPerNat;
    if (bernoulli_exp(below >> 32, fraction, bits)) return index;
  }
}

}  // namespace

double charge_of_log_weights(double input_error) { return charge_for(input_error, kRoundingError); }

double charge_of_grid_points(double input_error) {
  return charge_for(input_error, 2 * kRoundingError + kLogarithmError);
}

Result<Choice> choose_by_log_weight(std::span<const double> log_weights, double input_error, BitSource& bits) {
  CV_CHECK(check_input_error(input_error));
  std::vector<std::int64_t> fixed;
  fixed.reserve(log_weights.size());
  for (const double log_weight : log_weights) {
    CV_CHECK(check_log_weight(log_weight));
    fixed.push_back(fixed_log_weight(log_weight));
  }
  CV_TRY(const std::size_t index, choose_index(fixed, bits));
  return Choice{static_cast<std::int64_t>(index), charge_of_log_weights(input_error)};
}

Result<Choice> choose_grid_point(std::span<const WeightedInterval> intervals, double input_error, BitSource& bits) {
  CV_CHECK(check_input_error(input_error));
  std::vector<std::int64_t> fixed;
  fixed.reserve(intervals.size());
  for (const WeightedInterval& interval : intervals) {
    CV_CHECK(check_log_weight(interval.log_weight));
    if (interval.last < interval.first || std::isinf(interval.log_weight)) {
      fixed.push_back(kZeroWeight);
      continue;
    }
    const std::uint64_t steps = static_cast<std::uint64_t>(interval.last) - static_cast<std::uint64_t>(interval.first);
    if (steps >= std::uint64_t{1} << 62) {
      return fail(ErrorKind::usage, "interval", "must have at most 2^62 grid points");
    }
    // Rounded one by one: their sum as doubles would lose the low bits of the logarithm.
    fixed.push_back(fixed_log_weight(interval.log_weight) + fixed_log_weight(std::log(static_cast<double>(steps + 1))));
  }
  CV_TRY(const std::size_t index, choose_index(fixed, bits));
  const std::int64_t point = uniform_between(intervals[index].first, intervals[index].last, bits);
  return Choice{point, charge_of_grid_points(input_error)};
}

}  // namespace chronoveil::noise
