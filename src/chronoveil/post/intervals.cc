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
  const std::size_t n = samples.steps.size();
  if (n < 2) return kInfinity;
  const double span = static_cast<double>(samples.steps.back() - samples.steps.front());
  const double noise = 2 * noise_variance * static_cast<double>(n - 1);
  double squares = 0;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const double difference = samples.values[k + 1] - samples.values[k];
    squares += difference * difference;
  }
  const double estimate = std::max(0.0, (squares - noise) / span);
  double spread = 4 * noise_variance * noise_variance * static_cast<double>(n - 2);
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const double gap = static_cast<double>(samples.steps[k + 1] - samples.steps[k]);
    const double square = 2 * noise_variance + estimate * gap;
    spread += 2 * square * square;
  }
  const double expected = noise + estimate * span, freedom = 2 * expected * expected / spread;
  constexpr double kOneSided = 0.16;  // what one standard error leaves out
  const double unlucky = boost::math::quantile(boost::math::chi_squared(freedom), kOneSided) / freedom;
  return std::max(0.0, (squares / unlucky - noise) / span);
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
