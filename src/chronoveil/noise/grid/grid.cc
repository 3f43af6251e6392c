#include "chronoveil/noise/grid/grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/noise/sampler.h"

namespace chronoveil::noise {

namespace {

constexpr int kLargestLog2 = 1000;

// floor(steps + 1/2). Adding 1/2 to the double could round up to the next integer (0.49999999999999994 + 0.5 == 1), so
// the fraction is compared instead. It is exact, or so close to 1 that its rounding does not matter to the comparison.
double round_half_up(double steps) {
  const double whole = std::floor(steps);
  return steps - whole >= 0.5 ? whole + 1 : whole;
}

// x / 2^log2. Exact, unless it overflows (beyond every limit anyway) or underflows: then it only matters that a nonzero
// number stays on its side of 0.
double in_steps_of(double x, int log2) {
  const double steps = std::ldexp(x, -log2);
  return steps == 0 && x != 0 ? std::copysign(std::numeric_limits<double>::denorm_min(), x) : steps;
}

bool within_limit(double steps) { return std::abs(steps) <= static_cast<double>(kValueLimit); }

}  // namespace

Result<Grid> Grid::make(double step) {
  int exponent = 0;
  if (!(std::isfinite(step) && std::frexp(step, &exponent) == 0.5 && std::abs(exponent - 1) <= kLargestLog2)) {
    return invalid("grid", step, "a power of two between 2^-1000 and 2^1000");
  }
  return Grid(step, exponent - 1);
}

Result<Grid> Grid::for_scale(double scale) {
  if (!(std::isfinite(scale) && scale > 0)) return invalid("scale", scale, "a finite number greater than 0");
  const int log2 = std::ilogb(scale) - 20;
  if (std::abs(log2) > kLargestLog2) return invalid("scale", scale, "between 2^-980 and 2^1020");
  return Grid(std::ldexp(1.0, log2), log2);
}

Result<Grid> Grid::for_counts(double scale) {
  CV_TRY(const Grid grid, for_scale(scale));
  return grid.step() <= 1 ? grid : Grid(1, 0);
}

Result<std::int64_t> Grid::to_grid(double x) const {
  const double steps = in_steps_of(x, log2_);
  if (!within_limit(steps)) return fail(ErrorKind::bad_data, "a value is not a number within 2^61 grid steps of 0");
  return static_cast<std::int64_t>(round_half_up(steps));
}

Result<double> Grid::in_steps(double length) const {
  const double steps = in_steps_of(length, log2_);
  if (!(std::isnormal(steps) || length == 0)) {
    return invalid("scale", length, "a normal number also when divided by the grid step");
  }
  return steps;
}

double Grid::to_real(std::int64_t index) const { return std::ldexp(static_cast<double>(index), log2_); }

Result<GridBounds> GridBounds::make(const Grid& grid, double lower, double upper) {
  const double first = std::ceil(in_steps_of(lower, grid.step_log2()));
  const double last = std::floor(in_steps_of(upper, grid.step_log2()));
  if (!within_limit(first)) return invalid("lower", lower, "within 2^61 grid steps of 0");
  if (!within_limit(last)) return invalid("upper", upper, "within 2^61 grid steps of 0");
  if (first > last) return invalid("upper", upper, "at least the first grid point from lower on");
  return GridBounds(grid, static_cast<std::int64_t>(first), static_cast<std::int64_t>(last));
}

Result<std::int64_t> GridBounds::to_grid(double x) const {
  if (std::isnan(x)) return fail(ErrorKind::bad_data, "a value is not a number");
  const double steps = in_steps_of(x, grid_.step_log2());
  // Comparing before the conversion keeps infinities out; rounding is monotone, so clamping the rounded value is the
  // same as rounding the clamped one.
  if (steps <= static_cast<double>(lower_)) return lower_;
  if (steps >= static_cast<double>(upper_)) return upper_;
  return std::clamp(static_cast<std::int64_t>(round_half_up(steps)), lower_, upper_);
}

}  // namespace chronoveil::noise
