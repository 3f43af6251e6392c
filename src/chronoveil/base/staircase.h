// The laws of the keys of noisy_sort: a shift by at most k - 1 may cost ε/2, as two keys shift.
//   Laplace    P(x) proportional to exp(-|x| / b), b = 2(k - 1)/ε
//   Staircase  P(x) proportional to exp(-(ε/2) lev(x)) [Geng15], on the integers, with
//                lev(x) = 0 for |x| < r, else 1 + floor((|x| - r) / (k - 1)),   1 <= r <= k - 1:
//              a shift by at most k - 1 changes lev by at most 1, so a key costs ε/2 at most, whatever r is
#pragma once

#include <cstdint>

namespace chronoveil {

// lev(x) for the plateau r. Precondition: window >= 2, 1 <= plateau <= window - 1.
constexpr std::int64_t staircase_level(std::int64_t x, std::int64_t window, std::int64_t plateau) {
  const std::int64_t size = x < 0 ? -x : x;
  return size < plateau ? 0 : 1 + (size - plateau) / (window - 1);
}

// The r with the least E|x|, in a tie the smallest. With D = k - 1 it is the smallest r with
// r^2 (e^(ε/2) - 1) + 2 r D >= D^2: 1 for a large ε or k = 2, close to D/2 for a small ε.
std::int64_t nearest_plateau(std::int64_t window, double epsilon);

// The r of noisy_sort: the one with which sorted values are least far from their steps, to within a normal
// approximation; for wide windows and small ε, where there is no difference, nearest_plateau(). A function of public
// parameters alone. Precondition of both: window >= 2, epsilon > 0.
// Frozen: it defines an event or a device without a plateau, and with truncated noise δ depends on it. A better rule
// must be another function, whose choice the event then states.
std::int64_t staircase_plateau(std::int64_t window, double epsilon);

// b = 2(k - 1)/ε, rounded up to a double: 2(k - 1)/b <= ε, exactly. For k = 2 it is 2/ε, the number of levels in which
// the staircase falls by a factor of e. Precondition: window >= 2, epsilon > 0, and b a normal double.
double key_scale(std::int64_t window, double epsilon);

}  // namespace chronoveil
