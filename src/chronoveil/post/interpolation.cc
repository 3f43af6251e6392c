#include "chronoveil/post/interpolation.h"

#include <cmath>

namespace chronoveil::post {
namespace {

constexpr std::string_view kNames[] = {"linear", "nearest", "pchip", "smooth"};

// Copies the ends outward and calls between(k, offset, gap) for the steps strictly between samples k and k + 1.
template <class Between>
std::vector<double> fill(const Samples& samples, Between between) {
  std::vector<double> all(static_cast<std::size_t>(samples.length), 0.0);
  if (samples.steps.empty()) return all;
  const auto at = [&](std::int64_t step) -> double& { return all[static_cast<std::size_t>(step)]; };
  for (std::int64_t t = 0; t < samples.steps.front(); ++t) at(t) = samples.values.front();
  for (std::int64_t t = samples.steps.back(); t < samples.length; ++t) at(t) = samples.values.back();
  for (std::size_t k = 0; k + 1 < samples.steps.size(); ++k) {
    const std::int64_t first = samples.steps[k], gap = samples.steps[k + 1] - first;
    at(first) = samples.values[k];
    for (std::int64_t offset = 1; offset < gap; ++offset) at(first + offset) = between(k, offset, gap);
  }
  return all;
}

double end_slope(double gap, double next_gap, double secant, double next_secant) {
  const double slope = ((2 * gap + next_gap) * secant - gap * next_secant) / (gap + next_gap);
  if (slope * secant <= 0) return 0;
  if (secant * next_secant < 0 && std::abs(slope) > 3 * std::abs(secant)) return 3 * secant;
  return slope;
}

std::vector<double> monotone_slopes(const Samples& samples) {
  const std::size_t n = samples.steps.size();
  std::vector<double> gaps(n - 1), secants(n - 1), slopes(n);
  for (std::size_t k = 0; k + 1 < n; ++k) {
    gaps[k] = static_cast<double>(samples.steps[k + 1] - samples.steps[k]);
    secants[k] = (samples.values[k + 1] - samples.values[k]) / gaps[k];
  }
  if (n == 2) return {secants[0], secants[0]};
  slopes.front() = end_slope(gaps[0], gaps[1], secants[0], secants[1]);
  slopes.back() = end_slope(gaps[n - 2], gaps[n - 3], secants[n - 2], secants[n - 3]);
  for (std::size_t k = 1; k + 1 < n; ++k) {
    // Signs, not the product: that of two tiny secants would vanish.
    if (!((secants[k - 1] > 0 && secants[k] > 0) || (secants[k - 1] < 0 && secants[k] < 0))) continue;
    const double before = 2 * gaps[k] + gaps[k - 1], after = gaps[k] + 2 * gaps[k - 1];
    slopes[k] = (before + after) / (before / secants[k - 1] + after / secants[k]);
  }
  return slopes;
}

}  // namespace

std::string_view name(Interpolation interpolation) { return kNames[static_cast<std::size_t>(interpolation)]; }

Result<Interpolation> parse_interpolation(std::string_view text) {
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == text) return static_cast<Interpolation>(i);
  return invalid("interpolation", text, "linear, nearest, pchip or smooth");
}

std::vector<double> linear(const Samples& samples) {
  return fill(samples, [&](std::size_t k, std::int64_t offset, std::int64_t gap) {
    const double weight = static_cast<double>(offset) / static_cast<double>(gap);
    return (1 - weight) * samples.values[k] + weight * samples.values[k + 1];
  });
}

std::vector<double> nearest(const Samples& samples) {
  return fill(samples, [&](std::size_t k, std::int64_t offset, std::int64_t gap) {
    return samples.values[offset <= gap - offset ? k : k + 1];
  });
}

std::vector<double> pchip(const Samples& samples) {
  if (samples.steps.size() < 2) return linear(samples);
  const std::vector<double> slopes = monotone_slopes(samples);
  return fill(samples, [&](std::size_t k, std::int64_t offset, std::int64_t gap) {
    const double width = static_cast<double>(gap), u = static_cast<double>(offset) / width, v = 1 - u;
    // Hermite's cubic: with the symmetric weights, each end is met exactly.
    return v * v * (1 + 2 * u) * samples.values[k] + u * u * (1 + 2 * v) * samples.values[k + 1] +
           width * u * v * (v * slopes[k] - u * slopes[k + 1]);
  });
}

}  // namespace chronoveil::post
