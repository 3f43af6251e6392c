#include "chronoveil/accounting/events/subsampled/filter_kernel.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace chronoveil::accounting {

std::vector<std::int64_t> filter_kernel(std::int64_t length, double width) {
  const auto n = static_cast<std::size_t>(length);
  std::vector<long double> shape(n);
  long double sum = 0;
  for (std::size_t t = 0; t < n; ++t) {
    const long double half = static_cast<long double>(length) / 2;
    const long double distance = (half - std::abs(static_cast<long double>(t) - half)) / width;
    shape[t] = std::exp(-distance * distance / 2);
    sum += shape[t];
  }
  std::vector<std::int64_t> kernel(n);
  for (std::size_t t = 0; t < n; ++t)
    kernel[t] = static_cast<std::int64_t>(std::floor(std::ldexp(shape[t] / sum, kFilterBits) * (1 - 1e-16L)));
  return kernel;
}

FilterReach filter_reach(const std::vector<std::int64_t>& kernel, std::int64_t participation) {
  const auto n = static_cast<std::int64_t>(kernel.size());
  const std::int64_t block = std::min(participation, n);
  // (Ad)_t for d = 1 on a block: a sliding sum of the kernel around the circle, exact in integers.
  std::int64_t window = 0;
  for (std::int64_t j = 0; j < block; ++j) window += kernel[static_cast<std::size_t>(j)];
  long double energy = 0;
  for (std::int64_t t = 0; t < n; ++t) {
    energy += static_cast<long double>(window) * static_cast<long double>(window);
    window += kernel[static_cast<std::size_t>((t + block) % n)] - kernel[static_cast<std::size_t>(t)];
  }
  std::vector<std::int64_t> sorted = kernel;
  std::nth_element(sorted.begin(), sorted.begin() + (block - 1), sorted.end(), std::greater<>());
  std::int64_t largest = 0;
  for (std::int64_t j = 0; j < block; ++j) largest += sorted[static_cast<std::size_t>(j)];
  const long double peak = std::ldexp(static_cast<long double>(largest), -kFilterBits);
  // n squares, each rounded once and added with one more rounding, 64 bits each.
  const long double up = 1 + std::ldexp(static_cast<long double>(n + 8), -63);
  const auto rounded_up = [](long double value) {
    const auto nearest = static_cast<double>(value);
    return nearest < value ? std::nextafter(nearest, std::numeric_limits<double>::infinity()) : nearest;
  };
  return {.energy = rounded_up(std::ldexp(energy, -2 * kFilterBits) * up), .highest = rounded_up(peak * peak * up)};
}

}  // namespace chronoveil::accounting
