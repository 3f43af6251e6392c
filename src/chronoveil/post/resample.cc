#include "chronoveil/post/resample.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/post/intervals.h"
#include "chronoveil/post/local_level.h"

namespace chronoveil::post {
namespace {

struct Widened {
  std::vector<double> value, half_width;
};

std::vector<double> half_widths(std::vector<double> variance, double z) {
  for (double& each : variance) each = z * std::sqrt(each);
  return variance;
}

// Adds the distance between two curves to the half widths of the second.
std::vector<double> around(const std::vector<double>& value, const std::vector<double>& other,
                           std::vector<double> half_width) {
  for (std::size_t t = 0; t < value.size(); ++t) half_width[t] += std::abs(value[t] - other[t]);
  return half_width;
}

Widened smoothed(const Samples& samples, double noise_variance, double z) {
  const StepVariance q = estimate_step_variance(samples, noise_variance);
  Smoothed likeliest = smooth(samples, noise_variance, q.likeliest);
  Smoothed plausible = smooth(samples, noise_variance, q.plausible);
  std::vector<double> wide = around(likeliest.mean, plausible.mean, half_widths(std::move(plausible.variance), z));
  return {std::move(likeliest.mean), std::move(wide)};
}

Widened widened(const Samples& samples, const Resampling& how) {
  const double noise_variance = how.noise_deviation * how.noise_deviation, z = normal_half_width(how.level);
  if (how.interpolation == Interpolation::smooth && samples.steps.size() > 1)
    return smoothed(samples, noise_variance, z);
  const double rate = step_rate(samples, noise_variance);
  if (how.interpolation == Interpolation::nearest)
    return {nearest(samples), half_widths(nearest_variance(samples, noise_variance, rate), z)};
  std::vector<double> wide = half_widths(linear_variance(samples, noise_variance, rate), z);
  if (how.interpolation != Interpolation::pchip) return {linear(samples), std::move(wide)};
  std::vector<double> value = pchip(samples);
  wide = around(value, linear(samples), std::move(wide));
  return {std::move(value), std::move(wide)};
}

}  // namespace

Estimate resample(const Samples& samples, const Resampling& how) {
  Widened each = widened(samples, how);
  Estimate estimate;
  for (std::size_t t = 0; t < each.value.size(); ++t) {
    const bool bounded = std::isfinite(each.half_width[t]);
    estimate.lower.push_back(bounded ? each.value[t] - each.half_width[t] : std::min(how.lowest, each.value[t]));
    estimate.upper.push_back(bounded ? each.value[t] + each.half_width[t] : std::max(how.highest, each.value[t]));
  }
  estimate.value = std::move(each.value);
  estimate.sampled.assign(estimate.value.size(), 0);
  for (const std::int64_t step : samples.steps) estimate.sampled[static_cast<std::size_t>(step)] = 1;
  return estimate;
}

}  // namespace chronoveil::post
