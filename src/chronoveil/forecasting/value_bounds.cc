#include "chronoveil/forecasting/value_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace chronoveil::forecasting {
namespace {

double above(double value) { return std::nextafter(value, std::numeric_limits<double>::infinity()); }

// upper - lower. What rounding left out of a difference is a double itself, and is found exactly.
double difference_upwards(double upper, double lower) {
  const double difference = upper - lower;
  const double part = difference - upper;
  const double error = (upper - (difference - part)) + (-lower - part);
  return error > 0 ? above(difference) : difference;
}

double root_upwards(double square) {
  const double root = std::sqrt(square);
  return std::fma(root, root, -square) < 0 ? above(root) : root;
}

double product_upwards(double one, double other) {
  const double product = one * other;
  return std::fma(one, other, -product) > 0 ? above(product) : product;
}

}  // namespace

Result<ValueBounds> ValueBounds::make(double lower, double upper) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const auto& [name, bound] : {std::pair{"lower", lower}, std::pair{"upper", upper}}) {
    if (!(std::abs(bound) <= std::numeric_limits<float>::max()))
      return invalid(name, bound, "a finite number of single precision, at most 3.4e38 in magnitude");
  }
  if (!(lower < upper)) return invalid("upper", upper, "greater than lower, which is " + shortest(lower));
  auto least = static_cast<float>(lower), greatest = static_cast<float>(upper);
  if (least < lower) least = std::nextafter(least, kInfinity);
  if (greatest > upper) greatest = std::nextafter(greatest, -kInfinity);
  if (!(least < greatest))
    return invalid("upper", upper,
                   "farther from lower, which is " + shortest(lower) +
                       ": values are numbers of single precision, and there are not two of them between both");
  return ValueBounds(lower, upper, least, greatest);
}

double ValueBounds::largest_change(std::int64_t channels) const {
  return product_upwards(root_upwards(static_cast<double>(channels)), difference_upwards(upper_, lower_));
}

void ValueBounds::clamp(Panel& panel) const {
  for (PanelSeries& series : panel.series) {
    for (float& value : series.values) {
      if (!std::isnan(value)) value = std::clamp(value, least_, greatest_);
    }
  }
}

}  // namespace chronoveil::forecasting
