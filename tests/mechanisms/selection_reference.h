// The selections of levy and the quantiles once more, over real numbers and from their definitions alone: nothing here
// shares code with what it checks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace chronoveil::mechanisms::testing {

using Means = std::vector<std::uint32_t>;
using Probabilities = std::vector<long double>;

inline Probabilities normalised(Probabilities weights) {
  long double total = 0;
  for (const long double weight : weights) total += weight;
  for (long double& weight : weights) weight /= total;
  return weights;
}

// exp of each, times how many there are of it, without underflow of them all.
inline Probabilities from_exponents(const Probabilities& exponents, const Probabilities& times) {
  long double greatest = -HUGE_VALL;
  for (std::size_t i = 0; i < exponents.size(); ++i)
    if (times[i] > 0) greatest = std::max(greatest, exponents[i]);
  Probabilities weights;
  for (std::size_t i = 0; i < exponents.size(); ++i)
    weights.push_back(times[i] > 0 ? times[i] * std::exp(exponents[i] - greatest) : 0);
  return normalised(weights);
}

// Bin s of width τ = U √(ln(2K/0.2) / (2m)) with probability ∝ exp(−(ε/2) c(s) / 2), ε being that of the cell.
inline Probabilities levy_reference(const Means& means, long double upper, long double m_ub, long double epsilon) {
  const auto arrays = static_cast<long double>(means.size());
  const long double tau = upper * std::sqrt(std::log(2 * arrays / 0.2L) / (2 * m_ub));
  const auto bins = static_cast<int>(std::ceil(upper / tau));
  Probabilities exponents;
  for (int s = 0; s < bins; ++s) {
    const auto below = std::count_if(means.begin(), means.end(), [&](long double mean) { return mean < s * tau; });
    const auto above =
        std::count_if(means.begin(), means.end(), [&](long double mean) { return mean >= (s + 1) * tau; });
    exponents.push_back(-(epsilon / 2) * static_cast<long double>(std::max(below, above)) / 2);
  }
  return from_exponents(exponents, Probabilities(exponents.size(), 1));
}

// Interval i = 0, ..., K of z_0 = 0, the sorted means, z_{K+1} = U with probability ∝ (z_{i+1} − z_i) exp(−(ε/4) |i −
// αK| / 2).
inline Probabilities quantile_reference(Means means, std::uint32_t upper, long double alpha, long double epsilon) {
  std::sort(means.begin(), means.end());
  const auto arrays = static_cast<long double>(means.size());
  means.insert(means.begin(), 0);
  means.push_back(upper);
  Probabilities exponents, lengths;
  for (std::size_t i = 0; i + 1 < means.size(); ++i) {
    exponents.push_back(-(epsilon / 4) * std::abs(static_cast<long double>(i) - alpha * arrays) / 2);
    lengths.push_back(static_cast<long double>(means[i + 1]) - static_cast<long double>(means[i]));
  }
  return from_exponents(exponents, lengths);
}

}  // namespace chronoveil::mechanisms::testing
