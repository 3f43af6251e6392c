#include "chronoveil/accounting/gaussian_beside.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
static_assert(std::numeric_limits<long double>::digits >= 64, "the rounding below counts on 64 bits");

// The rounding error of Φ(−x), in units of its last place; far below 1e-300 it no longer matters.
long double lost_at(long double x) { return std::min(x * x, 2000.0L); }

// `tail` is half of 1 − distance: the tail of N(s) at s/2. Exponents of size x lose x units in its last place.
double square_above(long double tail, double reserve, long double exponent) {
  tail *= 1 - 1e-18L * (4 + exponent);
  if (!(tail > 1e-300L)) return kInfinity;
  long double low = reserve, high = low + 1;
  while (normal_tail(high / 2) > tail) high = 2 * high;
  for (int i = 0; i < 200 && high - low > 1e-19L * high; ++i) {
    const long double middle = 0.5L * (low + high);
    if (middle == low || middle == high) break;
    (normal_tail(middle / 2) > tail ? low : high) = middle;
  }
  high += 1e-18L * (1 + high);  // the rounding error of a tail near 1/2
  return std::nextafter(static_cast<double>((high - reserve) * (high + reserve) * (1 + 1e-18L)), kInfinity);
}

}  // namespace

// 1 − distance = p erfc((r/2 + ε/r)/√2) + (1 − p) erfc((r/2 − ε/r)/√2), p = 1/(1 + e^−ε); without noise 2 (1 − p).
double pure_beside_gaussian(double epsilon, double reserve) {
  const long double unlikely = 1 / (1 + std::exp(static_cast<long double>(epsilon)));
  if (reserve == 0) return square_above(unlikely, 0, epsilon);
  const long double r = reserve, near = r / 2 - epsilon / r, far = r / 2 + epsilon / r;
  return square_above((1 - unlikely) * normal_tail(far) + unlikely * normal_tail(near), reserve,
                      epsilon + lost_at(far));
}

// 1 − distance = erfc((r/2 + ε/r)/√2) + e^{−ε/2 − r²/8} erf(ε/(r√2)); without noise e^{−ε/2}.
double laplace_beside_gaussian(double epsilon, double reserve) {
  const long double r = reserve, exponent = epsilon / 2.0L + r * r / 8;
  if (reserve == 0) return square_above(std::exp(-exponent) / 2, 0, exponent);
  const long double far = r / 2 + epsilon / r;
  const long double inside = std::erf(epsilon / (r * std::numbers::sqrt2_v<long double>));
  return square_above(normal_tail(far) + std::exp(-exponent) / 2 * inside, reserve, exponent + lost_at(far));
}

}  // namespace chronoveil::accounting
