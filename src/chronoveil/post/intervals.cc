#include "chronoveil/post/intervals.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>

namespace chronoveil::post {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Calls between(offset, gap) for the steps strictly between two samples; outside, R + d · rate.
template <class Between>
std::vector<double> variances(const Samples& samples, double noise_variance, double rate, Between between) {
  std::vector<double> all(static_cast<std::size_t>(samples.length), kInfinity);
  if (samples.steps.empty()) return all;
  const auto at = [&](std::int64_t step) -> double& { return all[static_cast<std::size_t>(step)]; };
  const std::int64_t first = samples.steps.front(), last = samples.steps.back();
  for (std::int64_t t = 0; t < first; ++t) at(t) = noise_variance + static_cast<double>(first - t) * rate;
  for (std::int64_t t = last + 1; t < samples.length; ++t)
    at(t) = noise_variance + static_cast<double>(t - last) * rate;
  at(last) = noise_variance;
  for (std::size_t k = 0; k + 1 < samples.steps.size(); ++k) {
    const std::int64_t a = samples.steps[k], gap = samples.steps[k + 1] - a;
    at(a) = noise_variance;
    for (std::int64_t offset = 1; offset < gap; ++offset)
      at(a + offset) = between(static_cast<double>(offset), static_cast<double>(gap));
  }
  return all;
}

}  // namespace

double step_rate(const Samples& samples, double noise_variance) {
  Moves moves;
  moves.samples = samples.steps.empty() ? 0 : 1;
  for (std::size_t k = 0; k + 1 < samples.steps.size(); ++k)
    moves.add(static_cast<double>(samples.steps[k + 1] - samples.steps[k]), samples.values[k + 1] - samples.values[k]);
  return step_rate_of(moves, noise_variance);
}

double step_rate_of(const Moves& moves, double noise_variance) {
  if (moves.samples < 2) return kInfinity;
  // In units of R, so that squares of squares neither overflow nor underflow.
  const double pairs = static_cast<double>(moves.samples - 1), squares = moves.squares / noise_variance;
  const double estimate = std::max(0.0, (squares - 2 * pairs) / moves.gaps);
  // Σ 2(2 + q̂ g)² + 4(n − 2)
  const double spread =
      2 * (4 * pairs + 4 * estimate * moves.gaps + estimate * estimate * moves.squared_gaps) + 4 * (pairs - 1);
  const double expected = 2 * pairs + estimate * moves.gaps, freedom = 2 * expected * expected / spread;
  constexpr double kOneSided = 0.16;  // what one standard error leaves out
  const double unlucky = boost::math::quantile(boost::math::chi_squared(freedom), kOneSided) / freedom;
  return std::max(0.0, (squares / unlucky - 2 * pairs) / moves.gaps) * noise_variance;
}

std::vector<double> linear_variance(const Samples& samples, double noise_variance, double rate) {
  return variances(samples, noise_variance, rate, [&](double offset, double gap) {
    const double w = offset / gap, v = 1 - w;
    return (v * v + w * w) * noise_variance + rate * offset * v;
  });
}

std::vector<double> nearest_variance(const Samples& samples, double noise_variance, double rate) {
  return variances(samples, noise_variance, rate,
                   [&](double offset, double gap) { return noise_variance + rate * std::min(offset, gap - offset); });
}

double normal_half_width(double level) { return std::sqrt(2.0) * boost::math::erf_inv(level); }

}  // namespace chronoveil::post
