// The privacy loss of a mechanism on a sample that holds the unit with probability η, from the loss of the mechanism
// itself: e^{outside} = 1 − η + η e^{inside}, that is α' = 1 + (α − 1)/η.
#pragma once

#include <cmath>

namespace chronoveil::accounting {

// For losses of either sign; η = 1 changes nothing.
inline double loss_outside(double inside, double share) {
  if (share >= 1) return inside;
  // A sum of logarithms would lose a small loss; above 700 the loss is large for every share that can be priced.
  return inside > 700 ? inside + std::log(share) + std::log1p((1 / share - 1) * std::exp(-inside))
                      : std::log1p(std::expm1(inside) * share);
}

// For losses from 0 on.
inline double loss_inside(double outside, double share) {
  if (share >= 1) return outside;
  if (outside > 30) return outside - std::log(share) + std::log1p(-(1 - share) * std::exp(-outside));
  // A quotient that overflows does not mean an infinite loss.
  const double grown = std::expm1(outside) / share;
  return grown < 1e300 ? std::log1p(grown) : std::log(std::expm1(outside)) - std::log(share);
}

}  // namespace chronoveil::accounting
