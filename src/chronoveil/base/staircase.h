// The staircase law of the keys of noisy_sort: P(x) proportional to exp(-(ε/2) lev(x)) on the integers, with
//   lev(x) = 0 for |x| < r, else 1 + floor((|x| - r) / (k - 1)),   1 <= r <= k - 1.
// A shift by at most k - 1 changes lev by at most 1, so a key costs ε/2 at most, whatever r is.
#pragma once

#include <cstdint>

namespace chronoveil {

// lev(x) for the plateau r. Precondition: window >= 2, 1 <= plateau <= window - 1.
constexpr std::int64_t staircase_level(std::int64_t x, std::int64_t window, std::int64_t plateau) {
  const std::int64_t size = x < 0 ? -x : x;
  return size < plateau ? 0 : 1 + (size - plateau) / (window - 1);
}

// The r with the least E|x|, the smallest of those where there are several: a function of public parameters alone, so
// that an event needs not say it. Precondition: window >= 2, epsilon > 0.
std::int64_t staircase_plateau(std::int64_t window, double epsilon);

}  // namespace chronoveil
