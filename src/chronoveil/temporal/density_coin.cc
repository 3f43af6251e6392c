#include "chronoveil/temporal/density_coin.h"

#include <algorithm>
#include <cmath>

namespace chronoveil::temporal {

DensityCoin::DensityCoin(double scale, std::int64_t x, int t) : curve_{false, scale}, x_(x), exponent_(62 + t) {
  // Twice the error that near_density() allows for leaves room for the roundings here; 1e-299 is what it may leave out
  // far from 0. If the integer part of a height is at least 1 below the truth, its fraction cannot matter.
  const double density = noise::near_density(curve_, static_cast<double>(x));
  const double below = std::ldexp(density * (1 - 2 * noise::kNearDensityError), exponent_);
  const double above = std::ldexp(density * (1 + 2 * noise::kNearDensityError) + 1e-299, exponent_);
  least_ = static_cast<std::uint64_t>(std::min(std::max(below - 1, 0.0), 0x1p62));
  greatest_ = static_cast<std::uint64_t>(std::min(std::ceil(above), 0x1p62));
}

bool DensityCoin::settle(std::uint64_t height, BitSource& bits) const {
  return noise::accepts(curve_, {height, static_cast<noise::Uint128>(x_), true, 1, exponent_}, bits);
}

}  // namespace chronoveil::temporal
