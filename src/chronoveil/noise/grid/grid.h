// The grid: values become integers, in steps of a power of two, before any noise is added.
//   Why floor(x / g + 1/2)   rounding half-even or away from zero can turn a change of one step into two
//   Why a power of two       x / g is then exact, so is every grid point as a double of moderate size, and counts are
//                            on the grid whenever g <= 1
#pragma once

#include <cstdint>

#include "chronoveil/base/result.h"

namespace chronoveil::noise {

class Grid {
 public:
  // Refused unless `step` is a power of two between 2^-1000 and 2^1000.
  static Result<Grid> make(double step);
  // The largest step with step <= scale / 2^20, and for counts also step <= 1. Refused unless the scale is finite,
  // positive and the step within range.
  static Result<Grid> for_scale(double scale);
  static Result<Grid> for_counts(double scale);

  double step() const { return step_; }
  int step_log2() const { return log2_; }

  // floor(x / step + 1/2), exactly, for every double; refused when not finite or beyond +-kValueLimit steps.
  // An error names the limit, not the value.
  Result<std::int64_t> to_grid(double x) const;

  // A length in grid steps, for noise: length / step, exact as a double. Refused when it leaves the normal doubles.
  Result<double> in_steps(double length) const;

  // index * step, the nearest double (exact below 2^53 steps).
  double to_real(std::int64_t index) const;

 private:
  Grid(double step, int log2) : step_(step), log2_(log2) {}
  double step_;
  int log2_;
};

// Bounds on the grid. A value is clamped to them and then rounded, so that replacing it changes the result by at most
// upper - lower, exactly. Bounds that are no grid points are moved: lower up, upper down (the interval never grows).
class GridBounds {
 public:
  // Refused unless lower <= upper, both within +-kValueLimit steps and at least one grid point between them.
  static Result<GridBounds> make(const Grid&, double lower, double upper);

  std::int64_t lower() const { return lower_; }
  std::int64_t upper() const { return upper_; }
  std::int64_t width() const { return upper_ - lower_; }  // the sensitivity of a replaced value, in steps

  // Clamped, then rounded. Infinities are clamped like any number; NaN is bad data.
  Result<std::int64_t> to_grid(double x) const;

 private:
  GridBounds(const Grid& grid, std::int64_t lower, std::int64_t upper) : grid_(grid), lower_(lower), upper_(upper) {}
  Grid grid_;
  std::int64_t lower_;
  std::int64_t upper_;
};

}  // namespace chronoveil::noise
