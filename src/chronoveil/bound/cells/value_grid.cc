#include <algorithm>
#include <cmath>

#include "chronoveil/bound/cells/bounded_cells.h"

namespace chronoveil::bound {

Result<ValueGrid> ValueGrid::make(double lower, double upper) {
  const double largest = std::ldexp(1.0, 500);
  for (const auto& [name, bound] : {std::pair{"lower", lower}, std::pair{"upper", upper}}) {
    if (!(std::abs(bound) <= largest)) return invalid(name, bound, "a finite number, at most 2^500 in magnitude");
  }
  if (!(lower < upper)) return invalid("upper", upper, "greater than lower, which is " + shortest(lower));
  const double width = upper - lower;
  if (width < std::ldexp(std::max(std::abs(lower), std::abs(upper)), -40) || width < 1 / largest) {
    return invalid("upper", upper,
                   "farther from lower, which is " + shortest(lower) +
                       ": by 2^-40 of the larger of both, and by 2^-500, or numbers are too coarse between them");
  }
  int exponent = 0;
  const bool power_of_two = std::frexp(width, &exponent) == 0.5;  // width = fraction × 2^exponent, fraction in [½, 1)
  exponent -= power_of_two ? 31 : 30;
  ValueGrid grid;
  grid.lower_ = lower;
  grid.upper_ = upper;
  grid.step_ = std::ldexp(1.0, exponent);
  grid.steps_per_unit_ = std::ldexp(1.0, -exponent);
  grid.steps_ = static_cast<std::uint32_t>(width * grid.steps_per_unit_);
  return grid;
}

}  // namespace chronoveil::bound
