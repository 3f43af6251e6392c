#include "chronoveil/post/local_level.h"

#include <algorithm>
#include <cmath>

namespace chronoveil::post {
namespace {

double gap_after(const Samples& samples, std::size_t k) {
  return static_cast<double>(samples.steps[k + 1] - samples.steps[k]);
}

}  // namespace

Smoothed smooth(const Samples& samples, double noise_variance, double step_variance) {
  const std::size_t n = samples.steps.size();
  std::vector<double> mean(n), variance(n), covariance(n);  // covariance[k]: of samples k and k + 1
  mean[0] = samples.values[0];
  variance[0] = noise_variance;
  for (std::size_t k = 1; k < n; ++k) {
    const double predicted = variance[k - 1] + gap_after(samples, k - 1) * step_variance;
    const double gain = predicted / (predicted + noise_variance);
    mean[k] = mean[k - 1] + gain * (samples.values[k] - mean[k - 1]);
    variance[k] = gain * noise_variance;
  }
  for (std::size_t k = n - 1; k-- > 0;) {
    const double predicted = variance[k] + gap_after(samples, k) * step_variance;
    const double gain = variance[k] / predicted;
    mean[k] += gain * (mean[k + 1] - mean[k]);
    // P + J²(V − P⁻) in a form that cannot turn negative: P g q / P⁻ + J² V.
    variance[k] = gain * gap_after(samples, k) * step_variance + gain * gain * variance[k + 1];
    covariance[k] = gain * variance[k + 1];
  }

  Smoothed all;
  all.mean.resize(static_cast<std::size_t>(samples.length));
  all.variance.resize(static_cast<std::size_t>(samples.length));
  const auto set = [&](std::int64_t step, double m, double v) {
    all.mean[static_cast<std::size_t>(step)] = m;
    all.variance[static_cast<std::size_t>(step)] = v;
  };
  const std::int64_t first = samples.steps.front(), last = samples.steps.back();
  for (std::int64_t t = 0; t < first; ++t)
    set(t, mean.front(), variance.front() + static_cast<double>(first - t) * step_variance);
  for (std::int64_t t = last; t < samples.length; ++t)
    set(t, mean.back(), variance.back() + static_cast<double>(t - last) * step_variance);
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const std::int64_t a = samples.steps[k], b = samples.steps[k + 1];
    for (std::int64_t t = a; t < b; ++t) {
      const double w = static_cast<double>(t - a) / static_cast<double>(b - a), v = 1 - w;
      set(t, v * mean[k] + w * mean[k + 1],
          v * v * variance[k] + w * w * variance[k + 1] + 2 * w * v * covariance[k] +
              step_variance * static_cast<double>(t - a) * v);
    }
  }
  return all;
}

double log_likelihood(const Samples& samples, double noise_variance, double step_variance) {
  double mean = samples.values[0], variance = noise_variance, sum = 0;
  for (std::size_t k = 1; k < samples.steps.size(); ++k) {
    const double predicted = variance + gap_after(samples, k - 1) * step_variance;
    const double total = predicted + noise_variance, surprise = samples.values[k] - mean;
    sum -= (std::log(total) + surprise * surprise / total) / 2;
    mean += predicted / total * surprise;
    variance = predicted / total * noise_variance;
  }
  return sum;
}

StepVariance estimate_step_variance(const Samples& samples, double noise_variance) {
  const std::size_t n = samples.steps.size();
  const double span = static_cast<double>(samples.steps.back() - samples.steps.front());
  // Below `low` the walk moves, over the whole span, by a hundredth of the precision of the mean: no different from 0.
  // Above `high` every difference is smaller than the walk would make it, and the likelihood falls.
  const double low = 1e-4 * noise_variance / (static_cast<double>(n) * span);
  double high = 10 * low;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const double difference = samples.values[k + 1] - samples.values[k];
    high = std::max(high, difference * difference / gap_after(samples, k));
  }
  const auto at = [&](double log_variance) { return log_likelihood(samples, noise_variance, std::exp(log_variance)); };

  // The likelihood may have two peaks: scan, then close in on the best by golden section.
  constexpr int kScan = 40;
  const double from = std::log(low), step = (std::log(high) - from) / kScan;
  double best = from, highest = at(from);
  for (int i = 1; i <= kScan; ++i) {
    const double here = from + step * i, value = at(here);
    if (value > highest) {
      highest = value;
      best = here;
    }
  }
  constexpr double kGolden = 0.6180339887498949;
  double a = best - step, b = best + step;
  for (int i = 0; i < 30; ++i) {
    const double left = b - kGolden * (b - a), right = a + kGolden * (b - a);
    if (at(left) >= at(right))
      b = right;
    else
      a = left;
  }
  if (const double refined = at((a + b) / 2); refined > highest) {
    highest = refined;
    best = (a + b) / 2;
  }
  StepVariance found;
  const double still = log_likelihood(samples, noise_variance, 0);
  found.likeliest = still >= highest ? 0 : std::exp(best);
  highest = std::max(highest, still);

  double inside = best, outside = best + step;
  while (at(outside) >= highest - 0.5) {
    inside = outside;
    outside += std::max(step, 0.7);
  }
  for (int i = 0; i < 30; ++i) {
    const double middle = (inside + outside) / 2;
    (at(middle) >= highest - 0.5 ? inside : outside) = middle;
  }
  found.plausible = std::exp(outside);
  return found;
}

}  // namespace chronoveil::post
