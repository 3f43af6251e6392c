#include "chronoveil/base/staircase.h"

#include <cmath>
#include <limits>

namespace chronoveil {

// With s = 1/(e^(ε/2) - 1) and y = 2r - 1 + 2Ds, summing the levels gives E|x| = y/4 + γ/y with 4γ = 4 D^2 (s + s^2) -
// 1. That is convex in r, and r + 1 is no better than r when 4γ <= y (y + 2), that is D^2 <= r^2 / s + 2 r D.
std::int64_t staircase_plateau(std::int64_t window, double epsilon) {
  const auto width = static_cast<double>(window - 1);
  const double fall = std::expm1(epsilon / 2);
  std::int64_t least = 1, enough = window / 2;  // 2 r D >= D^2 from r = D/2 on
  while (least < enough) {
    const std::int64_t middle = least + (enough - least) / 2;
    const auto r = static_cast<double>(middle);
    if (r * r * fall + 2 * r * width >= width * width) {
      enough = middle;
    } else {
      least = middle + 1;
    }
  }
  return least;
}

double key_scale(std::int64_t window, double epsilon) {
  const double reach = 2 * static_cast<double>(window - 1);
  const double nearest = reach / epsilon;
  // fma() rounds once, so its sign is that of the exact difference.
  return std::fma(nearest, epsilon, -reach) < 0 ? std::nextafter(nearest, std::numeric_limits<double>::infinity())
                                                : nearest;
}

}  // namespace chronoveil
