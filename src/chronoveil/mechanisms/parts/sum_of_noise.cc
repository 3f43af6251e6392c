#include "chronoveil/mechanisms/parts/sum_of_noise.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "chronoveil/mechanisms/parts/calibrated.h"

namespace chronoveil::mechanisms {
namespace {

constexpr std::int64_t kExact = 512;

// P(|sum of n| > x), b = 1. A gamma law of shape a exceeds x with probability Σ_{j<a} x^j e^(−x)/j!, so the weights of
// all shapes above j go with term j.
double tail(const std::vector<double>& weight_above, double x) {
  double term = std::exp(-x), sum = 0;
  for (std::size_t j = 0; j < weight_above.size(); ++j) {
    sum += term * weight_above[j];
    term *= x / static_cast<double>(j + 1);
  }
  return sum;
}

double laplace(double level, std::int64_t n) {
  std::vector<double> weight_above(static_cast<std::size_t>(n));  // at j: of shapes j + 1 to n
  double weight = std::ldexp(1.0, static_cast<int>(1 - n)), sum = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    sum += weight;
    weight_above[static_cast<std::size_t>(n - 1 - k)] = sum;
    weight *= static_cast<double>(n + k) / static_cast<double>(2 * (k + 1));
  }
  double low = 0, high = 1;
  while (tail(weight_above, high) > 1 - level) low = high, high *= 2;
  while (high - low > 1e-14 * high) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (tail(weight_above, middle) > 1 - level ? low : high) = middle;
  }
  return high;
}

}  // namespace

double half_width_of_sum(NoiseKind noise, double scale, double level, std::int64_t n) {
  const double normal = noise_half_width(NoiseKind::gaussian,
                                         standard_deviation(noise, scale) * std::sqrt(static_cast<double>(n)), level);
  if (noise == NoiseKind::gaussian) return normal;
  if (n == 1) return noise_half_width(noise, scale, level);
  if (n <= kExact) return scale * laplace(level, n);
  const double wider = std::sqrt(static_cast<double>(n) / static_cast<double>(kExact));
  return std::max(normal, wider * scale * laplace(level, kExact));
}

}  // namespace chronoveil::mechanisms
