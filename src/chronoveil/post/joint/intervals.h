// How much the variances V_s(t) of the cells' intervals are raised, so that they hold the truth on average over steps
// and series. In shrink a series adds one standard error √(2/T) of Stein's estimate; here the estimates of all series
// are pooled:
//   δ_s = ST_s − mean_t V_s,  ST_s = Σ p R/T;   v = 2/T;   A = max(0, sample variance of δ − v);   b = A/(A + v)
//   raise of s: max(0, δ̄ + b(δ_s − δ̄) + √(v (b + 4(1 − b)/S)))
// After it V is limited to 1.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace chronoveil::post::joint {

// `lacks`: δ, of at least two series.
inline Eigen::ArrayXd raises(const Eigen::ArrayXd& lacks, Eigen::Index steps) {
  const double series = static_cast<double>(lacks.size()), noise = 2 / static_cast<double>(steps);
  const double mean = lacks.mean(), spread = (lacks - mean).square().sum() / (series - 1);
  const double real = std::max(0.0, spread - noise), trust = real / (real + noise);
  const double error = std::sqrt(noise * (trust + 4 * (1 - trust) / series));
  return (mean + trust * (lacks - mean) + error).max(0);
}

}  // namespace chronoveil::post::joint
