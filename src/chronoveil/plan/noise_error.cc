#include "chronoveil/plan/noise_error.h"

#include <cmath>
#include <numbers>

namespace chronoveil::plan {
namespace {

// A sum of many independent draws is close to normal.
double mean_absolute_normal(double deviation) { return deviation * std::sqrt(2 / std::numbers::pi); }

double scale(const mechanisms::SeriesMechanism& mechanism, const mechanisms::SeriesPlan& plan) {
  return mechanism.step_scale ? mechanism.step_scale(plan) : plan.scale;
}

// Of one draw: 2b² or σ².
double variance(const mechanisms::SeriesMechanism& mechanism, const mechanisms::SeriesPlan& plan) {
  const double one = scale(mechanism, plan) * scale(mechanism, plan);
  return plan.noise == NoiseKind::laplace ? 2 * one : one;
}

}  // namespace

double noise_error(const mechanisms::SeriesMechanism& mechanism, const mechanisms::SeriesPlan& plan) {
  if (mechanism.step_spread)
    return mean_absolute_normal(std::sqrt(variance(mechanism, plan)) * mechanism.step_spread(plan));
  const double one = scale(mechanism, plan);
  return plan.noise == NoiseKind::laplace ? one : mean_absolute_normal(one);
}

double information(const mechanisms::SeriesMechanism& mechanism, const mechanisms::SeriesPlan& plan) {
  return static_cast<double>(plan.measured) / variance(mechanism, plan);
}

}  // namespace chronoveil::plan
