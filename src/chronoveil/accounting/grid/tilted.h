// Distributions on a grid under exponential tilting, and their convolution by FFT with every error bounded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chronoveil/accounting/grid/positive_loss.h"
#include "chronoveil/base/result.h"

namespace chronoveil::accounting {

enum class Side { upper, lower };

// The largest transform; a request that would need more is refused before it starts.
inline constexpr long kMostPoints = 1L << 22;

// P-mass at index i = mass[i − first] · e^{log_scale − tilt·step·i}; the masses sum to about 1, or to more after they
// were moved up a coarser grid.
struct Tilted {
  GridLoss loss;
  double tilt = 0;
  double log_scale = 0;
  std::int64_t count = 1;  // how often it is convolved
};

// f[k] = e^{rate·(first + k)}, without an exp for each k.
std::vector<double> exponentials(double rate, long first, std::size_t size);

// Rounding is charged to log_scale, outward for `side`.
Tilted tilted(const GridLoss&, double tilt, std::int64_t count, Side side);

// What a convolution may leave outside its window of the grid.
struct Outside {
  double tilted = 1e-9;   // tilted mass, on either side
  double above = 1e-300;  // P-mass above the window
};
enum class Stage { inner, last };

// The convolution of all parts, each `count` times. For Side::upper, masses are rounded up and what lies above the
// window is added to `infinite`; what lies below it is moved to its lowest point, unless this is the last stage, where
// the caller must not ask about losses below the window. For Side::lower, masses are rounded down and what lies outside
// is dropped. `infinite` and `slack` of the parts are added up.
struct Convolved {
  Tilted sum;
  double error = 0;        // bounds what was added to or taken from each mass
  bool cut_below = false;  // some mass lies below the window and was not moved
  double below = 0;        // and bounds it
  double total = 0;        // bounds the sum of all tilted masses, in the window and outside of it
};
Result<Convolved> convolve(std::span<const Tilted> parts, Side side, Stage stage, Outside outside);

}  // namespace chronoveil::accounting
