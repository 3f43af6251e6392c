#include "chronoveil/accounting/composition.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

namespace chronoveil::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Counts from which composing in two stages, the second on a coarser grid, costs less than one long transform.
constexpr std::int64_t kTwoStages = 400;

// At most `points` atoms, each at its block's mean loss: good enough to look for a tilt.
Tilted sketched(const Repeated& part) {
  constexpr std::size_t kPoints = 1024;
  const auto& mass = part.loss.mass;
  const std::size_t block = (mass.size() + kPoints - 1) / kPoints;
  Tilted out{.loss = part.loss, .tilt = 0, .log_scale = 0, .count = part.count};
  if (block <= 1) return out;
  out.loss.step = part.loss.step * static_cast<double>(block);
  out.loss.first = static_cast<long>(std::floor(static_cast<double>(part.loss.first) / static_cast<double>(block)));
  const long origin = out.loss.first * static_cast<long>(block);
  out.loss.mass.assign((mass.size() + static_cast<std::size_t>(part.loss.first - origin)) / block + 2, 0.0);
  for (std::size_t k = 0; k < mass.size(); ++k) {
    const auto offset = static_cast<std::size_t>(part.loss.first + static_cast<long>(k) - origin);
    const double share = static_cast<double>(offset % block) / static_cast<double>(block);
    out.loss.mass[offset / block] += mass[k] * (1 - share);
    out.loss.mass[offset / block + 1] += mass[k] * share;
  }
  return out;
}

// A root of a decreasing function of x = log θ by bisection with secant steps.
template <class F>
double falling_root(F f, double low, double high) {
  double f_low = f(low), f_high = f(high);
  if (!(f_low > 0)) return low;
  if (!(f_high < 0)) return high;
  for (int i = 0; i < 40 && high - low > 1e-3; ++i) {
    double x = low + (high - low) * f_low / (f_low - f_high);
    if (!(x > low + 0.05 * (high - low) && x < high - 0.05 * (high - low)) || i % 3 == 2) x = 0.5 * (low + high);
    const double value = f(x);
    if (value > 0) {
      low = x;
      f_low = value;
    } else {
      high = x;
      f_high = value;
    }
    if (std::abs(value) < 1e-3) return x;
  }
  return 0.5 * (low + high);
}

}  // namespace

Composition::Composition(std::vector<Repeated> parts, Side side) : parts_(std::move(parts)), side_(side) {
  step_ = parts_.front().loss.step;
  double no_infinite_log = 0;
  for (const Repeated& part : parts_) {
    const double n = static_cast<double>(part.count);
    steps_ += n;
    slack_ += n * part.loss.slack;
    top_ += n * static_cast<double>(part.loss.last()) * step_;
    no_infinite_log += n * std::log1p(-std::min(part.loss.infinite, 1.0));
    sketch_.push_back(sketched(part));
  }
  infinite_ = -std::expm1(no_infinite_log);
}

double Composition::tilt_for_epsilon(double epsilon) const {
  auto f = [&](double x) {
    const double t = std::exp(x);
    const auto m = moments(sketch_, t);
    const double value = epsilon + 1 / t + 1 / (1 + t) - m.mean;
    return std::isnan(value) ? -1.0 : value / std::max(std::sqrt(m.variance), step_);
  };
  return tilt_root(f);
}

// log of δ(ε) ≈ exp(K(θ) − θε) / (θ(1+θ) √(2π(K'' + 1/θ² + 1/(1+θ)²))), ε where K'(θ) = ε + 1/θ + 1/(1+θ).
double Composition::saddle_point_log_delta(double tilt) const {
  const auto m = moments(sketch_, tilt);
  const double epsilon = m.mean - 1 / tilt - 1 / (1 + tilt);
  const double curvature = m.variance + 1 / (tilt * tilt) + 1 / ((1 + tilt) * (1 + tilt));
  return m.log_moment - tilt * epsilon - std::log(tilt * (1 + tilt)) - 0.5 * std::log(2 * std::numbers::pi * curvature);
}

double Composition::tilt_for_delta(double delta) const {
  const double wanted = std::log(delta);
  auto f = [&](double x) {
    const double value = saddle_point_log_delta(std::exp(x)) - wanted;
    return std::isnan(value) ? -1.0 : value;
  };
  return tilt_root(f);
}

// The root of a function that falls with log θ, looked for where θ is comparable to 1 / deviation.
double Composition::tilt_root(const std::function<double(double)>& f) const {
  const double centre = -std::log(std::max(std::sqrt(moments(sketch_, 0).variance), step_ * 1e-3));
  return std::exp(falling_root(f, centre - 12, std::min(centre + 12, std::log(60 / step_))));
}

Result<void> Composition::transform(double tilt) {
  std::vector<Tilted> parts;
  std::int64_t most = 0;
  for (const Repeated& part : parts_) {
    parts.push_back(tilted(part.loss, tilt, part.count, side_));
    most = std::max(most, part.count);
  }
  const auto one_step = moments(parts, 0);
  step_deviation_ = std::sqrt(one_step.variance / steps_);
  double negligible = 1e-9 * std::exp(saddle_point_log_delta(tilt));
  if (!(negligible > 1e-300)) negligible = 1e-300;

  Convolved whole;
  if (most < kTwoStages) {
    CV_TRY(whole, convolve(parts, side_, negligible));
  } else {
    // n = groups × n₁ + rest: compose n₁ on the fine grid, coarsen soundly, raise to `groups`.
    const auto inner = static_cast<std::int64_t>(std::pow(static_cast<double>(most), 0.46));
    const std::int64_t groups = most / inner;
    std::vector<Tilted> once, rest;
    double inner_steps = 0;
    for (Tilted& part : parts) {
      const std::int64_t n = part.count;
      part.count = n / groups;
      inner_steps += static_cast<double>(part.count);
      if (part.count > 0) once.push_back(part);
      part.count = n % groups;
      if (part.count > 0) rest.push_back(std::move(part));
    }
    const long factor = std::max(1L, std::lround(1.2 * std::sqrt(inner_steps)));
    auto coarsened = [&](Convolved&& fine, std::int64_t count) {
      Tilted out = std::move(fine.sum);
      out.loss = side_ == Side::upper ? coarsened_up(out.loss, factor, tilt) : coarsened_down(out.loss, factor, tilt);
      out.count = count;
      return out;
    };
    std::vector<Tilted> stages;
    CV_TRY(auto group, convolve(once, side_, negligible / static_cast<double>(groups)));
    stages.push_back(coarsened(std::move(group), groups));
    if (!rest.empty()) {
      CV_TRY(auto remainder, convolve(rest, side_, negligible));
      stages.push_back(coarsened(std::move(remainder), 1));
    }
    CV_TRY(whole, convolve(stages, side_, negligible));
  }

  const Tilted& sum = whole.sum;
  tilt_ = tilt;
  log_scale_ = sum.log_scale;
  error_ = whole.error;
  first_ = sum.loss.first;
  window_step_ = sum.loss.step;
  outside_ = side_ == Side::upper ? sum.loss.infinite : infinite_;
  slack_ = sum.loss.slack;
  const std::size_t n = sum.loss.mass.size();
  above_.assign(n + 1, 0.0);
  decayed_.assign(n + 1, 0.0);
  const double keep = std::exp(-tilt_ * window_step_), keep_decayed = std::exp(-(tilt_ + 1) * window_step_);
  for (std::size_t k = n; k-- > 0;) {
    above_[k] = sum.loss.mass[k] + keep * above_[k + 1];
    decayed_[k] = sum.loss.mass[k] + keep_decayed * decayed_[k + 1];
  }
  return {};
}

double Composition::grid_loss(std::size_t k) const {
  return static_cast<double>(first_ + static_cast<long>(k)) * window_step_;
}

// log of Σ_{l_i >= l_k} (1 − e^{ε − l_i}) × mass, for ε at most l_k.
double Composition::log_delta_from(std::size_t k, double epsilon) const {
  const double value = above_[k] - std::exp(epsilon - grid_loss(k)) * decayed_[k];
  return value > 0 ? std::log(value) + log_scale_ - tilt_ * grid_loss(k) : -kInfinity;
}

double Composition::window_delta(double epsilon) const {
  const double position = std::floor(epsilon / window_step_) + 1 - static_cast<double>(first_);
  if (position >= static_cast<double>(above_.size() - 1)) return outside_;
  const auto k = static_cast<std::size_t>(std::max(0.0, position));
  return std::exp(log_delta_from(k, epsilon)) + outside_;
}

double Composition::window_epsilon(double delta) const {
  if (delta <= outside_) return kInfinity;
  const double wanted = std::log(delta - outside_);
  // ε lies in the last cell whose left end still has more than δ; cell k is [loss k − 1, loss k).
  std::size_t low = 0, high = above_.size() - 1;
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (log_delta_from(middle, grid_loss(middle) - window_step_) > wanted ? low : high) = middle;
  }
  // Within a cell δ is linear in e^ε. Below the first loss there is only that line.
  const double ratio = (above_[low] - std::exp(wanted - log_scale_ + tilt_ * grid_loss(low))) / decayed_[low];
  const double epsilon = ratio > 0 ? grid_loss(low) + std::log(ratio) : -kInfinity;
  return low == 0 ? epsilon : std::clamp(epsilon, grid_loss(low) - window_step_, grid_loss(low));
}

// Round-off must be a small part of the answer.
bool Composition::trusts(double epsilon) const {
  const double value = window_delta(epsilon) - outside_;
  const double noise = error_ * (1 + 1 / (tilt_ * window_step_)) * std::exp(log_scale_ - tilt_ * epsilon);
  return noise < 1e-5 * value;
}

Result<double> Composition::delta_at(double epsilon) {
  double at = side_ == Side::lower ? epsilon + slack_ : epsilon;
  if (at >= top_) return infinite_;
  CV_CHECK(transform(tilt_for_epsilon(at)));
  if (side_ == Side::lower) at = epsilon + slack_;
  return std::min(1.0, window_delta(at));
}

Result<double> Composition::epsilon_at(double delta) {
  if (delta <= infinite_) return kInfinity;
  if (top_ <= 0) return 0.0;
  const double finite = delta - infinite_;
  double tilt = tilt_for_delta(finite), epsilon = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    CV_CHECK(transform(tilt));
    epsilon = window_epsilon(delta);
    if (std::isinf(epsilon) || trusts(epsilon)) break;
    tilt = tilt_for_epsilon(epsilon);
  }
  return side_ == Side::lower ? epsilon - slack_ : epsilon;
}

}  // namespace chronoveil::accounting
