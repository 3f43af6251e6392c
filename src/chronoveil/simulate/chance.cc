#include "chronoveil/simulate/chance.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace chronoveil::simulate {

double Chance::normal(double mean, double deviation) {
  if (has_spare_) {
    has_spare_ = false;
    return mean + deviation * spare_;
  }
  const double radius = std::sqrt(-2 * std::log1p(-uniform()));  // 1 - u is in (0, 1]: the logarithm is finite
  const double angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return mean + deviation * radius * std::cos(angle);
}

double Chance::lognormal(double median, double deviation) { return median * std::exp(normal(0, deviation)); }

double Chance::exponential(double mean) { return -mean * std::log1p(-uniform()); }

// Marsaglia and Tsang's method; a shape below 1 is raised by one and scaled back.
double Chance::gamma(double shape, double mean) {
  const double raised = shape < 1 ? shape + 1 : shape;
  const double d = raised - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  double value = 0;
  for (;;) {
    const double x = normal(0, 1);
    const double v = std::pow(1 + c * x, 3);
    if (v > 0 && std::log1p(-uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      value = d * v;
      break;
    }
  }
  if (shape < 1) value *= std::pow(1 - uniform(), 1 / shape);
  return value * mean / shape;
}

std::int64_t Chance::poisson(double mean) {
  if (mean <= 0) return 0;
  // A rounded normal variable is close enough for data that is made up.
  if (mean > 64) return std::max<std::int64_t>(0, std::llround(normal(mean, std::sqrt(mean))));
  const double stop = std::exp(-mean);
  std::int64_t count = 0;
  double product = uniform();
  while (product > stop) {
    product *= uniform();
    ++count;
  }
  return count;
}

std::int64_t Chance::geometric(double mean) {
  if (mean <= 0) return 0;
  return static_cast<std::int64_t>(std::log1p(-uniform()) / -std::log1p(1 / mean));
}

std::int64_t Chance::overdispersed(double mean, double shape) { return mean <= 0 ? 0 : poisson(gamma(shape, mean)); }

WeightedChoice::WeightedChoice(std::span<const double> weights) : keep_(weights.size()), other_(weights.size()) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::uint32_t> small, large;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    keep_[i] = weights[i] / total * static_cast<double>(weights.size());
    other_[i] = i;
    (keep_[i] < 1 ? small : large).push_back(i);
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t poor = small.back(), rich = large.back();
    small.pop_back();
    other_[poor] = rich;
    keep_[rich] -= 1 - keep_[poor];
    if (keep_[rich] < 1) {
      large.pop_back();
      small.push_back(rich);
    }
  }
  // What is left differs from 1 by rounding only.
  for (const std::uint32_t i : small) keep_[i] = 1;
  for (const std::uint32_t i : large) keep_[i] = 1;
}

std::int64_t WeightedChoice::operator()(Chance& chance) const {
  const double position = chance.uniform() * static_cast<double>(keep_.size());
  const auto index = static_cast<std::size_t>(position);
  return position - static_cast<double>(index) < keep_[index] ? static_cast<std::int64_t>(index) : other_[index];
}

}  // namespace chronoveil::simulate
