// Linear maps before noise, without floating point: coefficients are integers in units of 2^-kFixedBits, counts are
// integers, sums are exact, and one rounding brings the sum to the grid.
//   Size      46 bits for a coefficient of at most 1, 53 for a count and 27 for the number of terms are 126 bits
//   Rounding  floor(x / g + ½): two sums that are d apart become less than |d| + g apart
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "chronoveil/noise/sampler.h"

namespace chronoveil::mechanisms {

inline constexpr int kFixedBits = 46;
inline constexpr double kFixedStep = 0x1p-46;
inline constexpr std::int64_t kMostTerms = std::int64_t{1} << 27;

__extension__ using FixedSum = __int128;

// What the grid must have room for if counts of at most `maximum` are multiplied by coefficients with this sum. Limited
// to 2^28, which leaves room for 2^30 counts on a grid so fine (2^-31) that its rounding never shows.
inline double largest_sum(std::int64_t maximum, double coefficients) {
  return std::min(static_cast<double>(maximum) * coefficients, 0x1p28);
}

// floor(sum 2^-kFixedBits / grid + ½), limited to the noise's value limit, which cannot raise a sensitivity. The grid
// is a power of two of at most 1.
inline std::int64_t to_grid(FixedSum sum, double grid) {
  constexpr FixedSum limit = noise::kValueLimit;
  const int drop = kFixedBits + std::ilogb(grid);  // bits below the grid
  if (drop > 0)
    return static_cast<std::int64_t>(std::clamp((sum + (FixedSum{1} << (drop - 1))) >> drop, -limit, limit));
  return static_cast<std::int64_t>(std::clamp(sum, -(limit >> -drop), limit >> -drop)) << -drop;
}

}  // namespace chronoveil::mechanisms
