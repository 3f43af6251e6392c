#include "chronoveil/plan/noise_error.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace chronoveil::plan {
namespace {

// A sum of many independent draws is close to normal.
double mean_absolute_normal(double deviation) { return deviation * std::sqrt(2 / std::numbers::pi); }

// Σ c_k² of the square root of the prefix sum, c_0 = 1, c_k = c_{k−1} (2k − 1)/(2k): the last step's share of noise.
double prefix_energy(std::int64_t steps) {
  double coefficient = 1, energy = 1;
  for (std::int64_t k = 1; k < steps; ++k) {
    coefficient *= static_cast<double>(2 * k - 1) / static_cast<double>(2 * k);
    energy += coefficient * coefficient;
  }
  return energy;
}

// The scale of one measured step. w_event's scale is that of a step that spends what w steps may; with a w-th of that
// it is w times as large.
double scale(const mechanisms::SeriesPlan& plan) {
  if (plan.mechanism != "w_event") return plan.scale;
  return plan.scale * static_cast<double>(std::min(plan.shape.width, plan.shape.steps));
}

}  // namespace

double variance(const mechanisms::SeriesPlan& plan) {
  const double one = scale(plan) * scale(plan);
  return plan.noise == NoiseKind::laplace ? 2 * one : one;
}

double noise_error(const mechanisms::SeriesPlan& plan) {
  const double deviation = std::sqrt(variance(plan));
  if (plan.mechanism == "dft") {  // an orthonormal basis spreads the noise of m coefficients over T steps
    const double values = static_cast<double>(plan.shape.series) * static_cast<double>(plan.shape.steps);
    return mean_absolute_normal(deviation * std::sqrt(static_cast<double>(plan.measured) / values));
  }
  if (plan.mechanism == "running_total")
    return mean_absolute_normal(deviation * std::sqrt(prefix_energy(plan.shape.steps)));
  return plan.noise == NoiseKind::laplace ? scale(plan) : mean_absolute_normal(scale(plan));
}

double information(const mechanisms::SeriesPlan& plan) { return static_cast<double>(plan.measured) / variance(plan); }

}  // namespace chronoveil::plan
