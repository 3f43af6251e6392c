// Tests of counts against exact probabilities, as p-values.
#pragma once

#include <cstdint>
#include <vector>

namespace chronoveil::noise {

// Every single check rejects below this p-value. All the programs that include this file make fewer than 5000 checks,
// so together they reject a correct sampler with probability below 1e-6.
inline constexpr double kLevel = 1e-10;

// The exact two-sided binomial test (twice the smaller tail).
double binomial_p_value(std::int64_t successes, std::int64_t trials, double probability);

// Pearson's test. So far out in its tail, the chi-squared approximation needs large expectations: cells below 1000 are
// pooled, and where even the pool is below, it is judged by the exact binomial test instead.
double chi_squared_p_value(const std::vector<std::int64_t>& counts, const std::vector<double>& probabilities);

}  // namespace chronoveil::noise
