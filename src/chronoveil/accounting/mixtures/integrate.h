// Integrals of normal densities by Gauss and Legendre.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {

inline constexpr double kInvSqrtTwoPi = std::numbers::inv_sqrtpi / std::numbers::sqrt2;

// Calls f(x, weight) on Gauss-Legendre nodes of [low, high], cut so that densities centred within `reach` of x are
// exact.
template <class F>
void integrate(double low, double high, double reach_low, double reach_high, F f) {
  for (double left = low; left < high;) {
    const double distance = std::max(std::abs(left - reach_low), std::abs(left - reach_high));
    const double right = std::min(high, left + gauss_width(distance));
    const double mid = 0.5 * (left + right), half = 0.5 * (right - left);
    if ((right - left) * std::max(2.0, distance) <= 0.3) {
      for (int i = 0; i < 2; ++i) {
        f(mid - half * kFourNodes[i], half * kFourWeights[i]);
        f(mid + half * kFourNodes[i], half * kFourWeights[i]);
      }
    } else {
      for (int i = 0; i < 4; ++i) {
        f(mid - half * kGaussNodes[i], half * kGaussWeights[i]);
        f(mid + half * kGaussNodes[i], half * kGaussWeights[i]);
      }
    }
    if (right <= left) break;  // wider than the spacing of doubles
    left = right;
  }
}

}  // namespace chronoveil::accounting
