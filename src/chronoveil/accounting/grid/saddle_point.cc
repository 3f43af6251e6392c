#include "chronoveil/accounting/grid/saddle_point.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace chronoveil::accounting {
namespace {

// A root of a falling function by the secant rule inside a bracket.
double falling_root(const std::function<double(double)>& f, double low, double high) {
  double f_low = f(low), f_high = f(high);
  if (!(f_low > 0)) return low;
  if (!(f_high < 0)) return high;
  for (int i = 0; i < 60 && high - low > 5e-3; ++i) {
    double x = low + (high - low) * f_low / (f_low - f_high);
    if (!(x > low + 0.05 * (high - low) && x < high - 0.05 * (high - low)) || i % 3 == 2) x = 0.5 * (low + high);
    const double value = f(x);
    if (std::abs(value) < 5e-3) return x;
    (value > 0 ? low : high) = x;
    (value > 0 ? f_low : f_high) = value;
  }
  return 0.5 * (low + high);
}

}  // namespace

SaddlePoint::SaddlePoint(std::vector<Sketch> sketches, std::optional<double> near)
    : sketches_(std::move(sketches)), near_(near) {
  for (Sketch& sketch : sketches_) {
    steps_ += static_cast<double>(sketch.count);
    for (double loss : sketch.loss) highest_ = std::max(highest_, loss);
    for (double& mass : sketch.mass) mass = std::log(mass);
  }
}

SaddlePoint::Cumulants SaddlePoint::cumulants(double tilt) const {
  Cumulants total;
  for (const Sketch& sketch : sketches_) {
    const auto& log_mass = sketch.mass;
    double peak = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < log_mass.size(); ++i) peak = std::max(peak, log_mass[i] + tilt * sketch.loss[i]);
    double m0 = 0, m1 = 0, m2 = 0;
    for (std::size_t i = 0; i < log_mass.size(); ++i) {
      const double exponent = log_mass[i] + tilt * sketch.loss[i] - peak;
      if (exponent < -60) continue;
      const double weight = std::exp(exponent);
      m0 += weight;
      m1 += weight * sketch.loss[i];
      m2 += weight * sketch.loss[i] * sketch.loss[i];
    }
    const double n = static_cast<double>(sketch.count), mean = m1 / m0;
    total.k += n * (std::log(m0) + peak);
    total.mean += n * mean;
    total.variance += n * std::max(0.0, m2 / m0 - mean * mean);
  }
  return total;
}

double SaddlePoint::tilt_root(const std::function<double(double)>& f) const {
  if (near_) {
    const double low = std::log(*near_) - 0.5, high = low + 1;
    if (f(low) > 0 && f(high) < 0) return std::exp(falling_root(f, low, high));
  }
  const double deviation = std::max(std::sqrt(cumulants(0).variance), 1e-12 * highest_);
  const double centre = -std::log(deviation);
  return std::exp(falling_root(f, centre - 14, centre + 14));
}

double SaddlePoint::tilt_for_epsilon(double epsilon) const {
  if (last_for_epsilon_.first == epsilon) return last_for_epsilon_.second;
  const double tilt = tilt_root([&](double x) {
    const double t = std::exp(x);
    const Cumulants c = cumulants(t);
    const double value = (epsilon + 1 / t + 1 / (1 + t) - c.mean) / std::max(std::sqrt(c.variance), 1e-12 * highest_);
    return std::isnan(value) ? -1.0 : value;
  });
  last_for_epsilon_ = {epsilon, tilt};
  return tilt;
}

double SaddlePoint::log_delta(double tilt) const {
  const Cumulants c = cumulants(tilt);
  const double epsilon = c.mean - 1 / tilt - 1 / (1 + tilt);
  const double curvature = c.variance + 1 / (tilt * tilt) + 1 / ((1 + tilt) * (1 + tilt));
  return c.k - tilt * epsilon - std::log(tilt * (1 + tilt)) - 0.5 * std::log(2 * std::numbers::pi * curvature);
}

double SaddlePoint::log_moment(double tilt) const {
  for (const auto& [at, moment] : log_moments_)
    if (at == tilt) return moment;
  return log_moments_.emplace_back(tilt, cumulants(tilt).k).second;
}

double SaddlePoint::tilt_for_delta(double delta) const {
  // Both bounds ask with one δ less their infinite losses.
  if (std::abs(last_for_delta_.first - delta) <= 1e-4 * delta) return last_for_delta_.second;
  const double wanted = std::log(delta);
  const double tilt = tilt_root([&](double x) {
    const double value = log_delta(std::exp(x)) - wanted;
    return std::isnan(value) ? -1.0 : value;
  });
  last_for_delta_ = {delta, tilt};
  return tilt;
}

double SaddlePoint::epsilon(double tilt) const { return cumulants(tilt).mean - 1 / tilt - 1 / (1 + tilt); }

double SaddlePoint::step_deviation(double tilt) const { return std::sqrt(cumulants(tilt).variance / steps_); }

}  // namespace chronoveil::accounting
