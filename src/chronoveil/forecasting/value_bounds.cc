#include "chronoveil/forecasting/value_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "chronoveil/base/rounded_up.h"
#include "chronoveil/forecasting/panel.h"

namespace chronoveil::forecasting {

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
  return product_up(root_up(static_cast<double>(channels)), difference_up(upper_, lower_));
}

void ValueBounds::clamp(Panel& panel) const {
  for (PanelSeries& series : panel.series) {
    for (float& value : series.values) {
      if (!std::isnan(value)) value = std::clamp(value, least_, greatest_);
    }
  }
}

}  // namespace chronoveil::forecasting
