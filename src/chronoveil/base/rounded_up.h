// Arithmetic that never comes out too small: the least double at or above the exact result. The error of rounding to
// nearest is found exactly: by a fused multiplication or, for a difference, because it is a double itself.
// Preconditions: nothing over- or underflows, and square >= 0.
#pragma once

#include <cmath>
#include <limits>

namespace chronoveil {

inline double next_above(double value) { return std::nextafter(value, std::numeric_limits<double>::infinity()); }

// upper - lower
inline double difference_up(double upper, double lower) {
  const double difference = upper - lower;
  const double part = difference - upper;
  const double left_out = (upper - (difference - part)) - (lower + part);
  return left_out > 0 ? next_above(difference) : difference;
}

inline double product_up(double one, double other) {
  const double product = one * other;
  return std::fma(one, other, -product) > 0 ? next_above(product) : product;
}

// For a divisor greater than 0.
inline double quotient_up(double value, double divisor) {
  const double quotient = value / divisor;
  return std::fma(quotient, divisor, -value) < 0 ? next_above(quotient) : quotient;
}

inline double root_up(double square) {
  const double root = std::sqrt(square);
  return std::fma(root, root, -square) < 0 ? next_above(root) : root;
}

}  // namespace chronoveil
