#include "chronoveil/accounting/grid/composition.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/accounting/grid/any_infinite.h"
#include "chronoveil/accounting/grid/extremes.h"
#include "chronoveil/base/interrupted.h"

namespace chronoveil::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// The number of points from which two stages, the second on a coarser grid, cost less than one.
constexpr double kOneStagePoints = 12000;
double points_of(double step, double steps, double deviation) { return 12 * deviation * std::sqrt(steps) / step; }

// Relative error of a grid loss against the loss that it represents: kOnGrid, and one rounding each for the step of a
// coarser grid, a multiple of it, the model's parameters and the losses made from them.
constexpr double kLossError = 2e-15;
static_assert(kLossError >= kOnGrid + 8 * 0x1p-53);

}  // namespace

bool composed_in_one_stage(double step, double steps, double deviation) {
  return points_of(step, steps, deviation) < kOneStagePoints;
}

Composition::Composition(std::vector<Repeated> parts, Side side, const SaddlePoint& saddle)
    : parts_(std::move(parts)), saddle_(saddle), side_(side) {
  step_ = parts_.front().loss.step;
  AnyInfinite infinite;
  for (const Repeated& part : parts_) {
    const double n = static_cast<double>(part.count);
    steps_ += n;
    slack_ += n * part.loss.slack;
    const double highest = n * static_cast<double>(part.loss.last()) * step_;
    const double lowest = n * static_cast<double>(part.loss.first) * step_;
    top_ += highest;
    rounding_ += kLossError * std::max(std::abs(highest), std::abs(lowest));
    infinite.add(part.loss.infinite, n);
  }
  infinite_ = side == Side::upper ? infinite.upper() : infinite.lower();
}

// Beyond this tilt all mass is on the top point anyway.
double Composition::capped(double tilt) const { return std::min(tilt, (std::log(steps_) + 8) / step_); }

// The tilt of the saddle point makes the answer exact however small δ is, but if large losses are rare it spreads the
// sum over a wide window. Doubles hold 16 digits: the least tilt that keeps enough of them costs less.
double Composition::modest(double tilt, double epsilon, double log_delta) const {
  const double digits = std::log(1e-14 * std::sqrt(steps_ + 10)) - std::log(1e-4);  // round-off against the answer
  auto enough = [&](double t) {
    return saddle_.log_moment(t) - t * epsilon - std::log(std::min(1.0, t * step_)) + digits <= log_delta;
  };
  double low = tilt / 64, high = tilt;
  if (!enough(high)) return tilt;
  while (high > 1.2 * low) {
    const double middle = std::sqrt(low * high);
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

Result<void> Composition::transform(double tilt, double epsilon, double log_delta) {
  for (const Repeated& part : parts_) CV_CHECK(check_masses(part.loss));
  std::vector<Tilted> parts;
  std::int64_t most = 0;
  for (const Repeated& part : parts_) {
    CV_CHECK(check_interrupted());
    parts.push_back(tilted(part.loss, tilt, part.count, side_));
    parts.back().loss.infinite = 0;  // in infinite_ already
    most = std::max(most, part.count);
  }
  const double points = points_of(step_, steps_, saddle_.step_deviation(tilt));
  // Beside the tilted mass of about δ e^{θε − K(θ)} that answers the question, this much does not matter. A lower bound
  // subtracts what may have wrapped around from every single mass, so it allows less.
  const double answer = std::exp(std::min(0.0, log_delta + tilt * epsilon - saddle_.log_moment(tilt)));
  const double matters = side_ == Side::upper ? 1e-6 : 1e-10;
  const Outside outside{.tilted = std::clamp(matters * answer, 1e-250, 1e-6),
                        .above = std::max(1e-6 * std::exp(log_delta), 1e-300)};

  Convolved whole;
  if (points < kOneStagePoints || most < 16) {
    CV_TRY(whole, convolve(parts, side_, Stage::last, outside));
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
    const double share = 1 / static_cast<double>(groups);
    CV_TRY(auto group, convolve(once, side_, Stage::inner, {outside.tilted * share, outside.above * share}));
    stages.push_back(coarsened(std::move(group), groups));
    if (!rest.empty()) {
      CV_TRY(auto remainder, convolve(rest, side_, Stage::inner, outside));
      stages.push_back(coarsened(std::move(remainder), 1));
    }
    CV_TRY(whole, convolve(stages, side_, Stage::last, outside));
  }

  const Tilted& sum = whole.sum;
  CV_CHECK(check_masses(sum.loss));
  if (!std::isfinite(sum.log_scale + whole.error))
    return fail(ErrorKind::cannot_certify, "the sum of these losses is beyond the range of numbers");
  tilt_ = tilt;
  log_scale_ = sum.log_scale;
  error_ = whole.error;
  first_ = sum.loss.first;
  window_step_ = sum.loss.step;
  outside_ = infinite_ + sum.loss.infinite;
  if (side_ == Side::upper && outside_ > infinite_) outside_ = std::nextafter(outside_, kInfinity);
  slack_ = sum.loss.slack;
  // Sums further below the top would underflow; no question at this tilt has its answer there. The top point is always
  // included, however wide the grid: it alone gives δ just below it.
  const double reach = std::max(1.0, 11000 / ((1 + tilt_) * window_step_));
  const std::size_t all = sum.loss.mass.size();
  const std::size_t n = reach < static_cast<double>(all) ? static_cast<std::size_t>(reach) : all;
  cut_ = n < all || whole.cut_below;
  below_ = n < all ? whole.total : whole.below;
  first_ += static_cast<long>(all - n);
  mass_ = std::move(whole.sum.loss.mass);
  mass_.erase(mass_.begin(), mass_.begin() + static_cast<std::ptrdiff_t>(all - n));
  keep_ = std::exp(-static_cast<long double>(tilt_) * window_step_);
  keep_decayed_ = std::exp(-(static_cast<long double>(tilt_) + 1) * window_step_);
  rise_ = -std::expm1(-static_cast<long double>(window_step_));
  gained_.resize(n + 1);
  decayed_.resize(n + 1);
  gained_[n] = decayed_[n] = 0;
  summed_from_ = n;
  return {};
}

// 1 − e^{−(l_i − l_k)} = (1 − e^{−(l_i − l_k+1)}) + e^{−(l_i − l_k+1)} (1 − e^{−h}): sums of positive terms alone,
// which keep all their digits however small the losses are. The difference of two sums near 1 would not.
void Composition::sum_down_to(std::size_t k) {
  for (; summed_from_ > k; --summed_from_) {
    const std::size_t at = summed_from_ - 1;
    gained_[at] = keep_ * (gained_[at + 1] + rise_ * decayed_[at + 1]);
    decayed_[at] = mass_[at] + keep_decayed_ * decayed_[at + 1];
  }
}

long double Composition::grid_loss(std::size_t k) const {
  return static_cast<long double>(first_ + static_cast<long>(k)) * window_step_;
}

// log of Σ_{l_i >= l_k} (1 − e^{ε − l_i}) × mass, for ε at most l_k: no term is negative.
long double Composition::log_delta_from(std::size_t k, long double epsilon) {
  sum_down_to(k);
  const long double value = gained_[k] - std::expm1(std::min(0.0L, epsilon - grid_loss(k))) * decayed_[k];
  return value > 0 ? std::log(value) + log_scale_ - tilt_ * grid_loss(k) : -kInfinity;
}

// Relative error of e^log_delta_from() beyond that of the masses and of their scale, generously. Each point on the way
// down rounds four times to 64 bits, as do keep_ and rise_, whose powers enter: 16 units per point. The logarithm is
// made of numbers as large as these exponents, which are below 12,000 for a sum within the range of a long double.
double Composition::read_error(std::size_t k) const {
  const long double furthest = std::max(std::abs(grid_loss(0)), std::abs(grid_loss(mass_.size())));
  const long double exponents = std::abs(log_scale_) + tilt_ * furthest + 12000;
  return static_cast<double>(0x1p-60L * static_cast<long double>(mass_.size() - k) + 0x1p-61L * exponents) + 4e-15;
}

double Composition::window_delta(long double epsilon) {
  const long double position = std::floor(epsilon / window_step_) + 1 - static_cast<long double>(first_);
  if (position >= static_cast<long double>(mass_.size())) return outside_;
  const auto k = static_cast<std::size_t>(std::max(0.0L, position));
  const double error = read_error(k);
  const auto inside = static_cast<double>(std::exp(log_delta_from(k, epsilon)));
  if (side_ == Side::lower) return larger(0.0, inside * (1 - error)) + outside_ * (1 - 0x1p-52);
  double sum = inside * (1 + error) + outside_ * (1 + 0x1p-52);
  // Losses between ε and the window were cut off: their tilted mass is at most below_, their P-mass that times
  // e^{log_scale − tilt·loss}.
  if (position < 0 && cut_)
    sum += static_cast<double>(std::exp(std::log(below_) + log_scale_ - tilt_ * epsilon)) * (1 + error);
  // A positive sum below the range of a double must not become 0.
  return gained_[k] > 0 || decayed_[k] > 0 ? larger(sum, std::numeric_limits<double>::min()) : sum;
}

long double Composition::window_epsilon(double delta) {
  if (delta <= outside_) return kInfinity;
  const long double rest = static_cast<long double>(delta) - outside_;
  // δ is moved by the possible error of the sums below, against the side.
  const double error = read_error(0);
  const long double wanted = std::log(rest) + (side_ == Side::upper ? -error : error);
  // ε lies in the last cell whose left end still has more than δ; cell k is [loss k − 1, loss k). From the top down, so
  // that nothing far below the answer is summed.
  constexpr std::size_t kStretch = 128;
  auto more = [&](std::size_t k) { return log_delta_from(k, grid_loss(k) - window_step_) > wanted; };
  std::size_t high = mass_.size(), low = high - std::min(high, kStretch);
  while (low > 0 && !more(low)) {
    high = low;
    low -= std::min(low, kStretch);
  }
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (more(middle) ? low : high) = middle;
  }
  sum_down_to(low);
  // Within a cell δ is linear in e^ε. Below the first loss there is only that line, or more if losses below the window
  // were cut off: an upper bound then ends at the cell's left end, a lower bound may follow the line. With
  // ε = loss + log(1 − x), δ is gained + x decayed: near the loss x is small, and log1p keeps its digits.
  const long double scaled = std::exp(wanted - log_scale_ + tilt_ * grid_loss(low));
  const long double x = (scaled - gained_[low]) / decayed_[low];
  const long double epsilon = x < 1 ? grid_loss(low) + std::log1p(-x) : -kInfinity;
  if (low == 0 && !(cut_ && side_ == Side::upper)) return epsilon;
  return std::clamp(epsilon, grid_loss(low) - window_step_, grid_loss(low));
}

// Whether round-off is a small part of the answer.
bool Composition::trusts(long double epsilon) {
  const double value = window_delta(epsilon) - outside_;
  const double noise =
      error_ * (1 + 1 / (tilt_ * window_step_)) * std::exp(log_scale_ - tilt_ * static_cast<double>(epsilon));
  return noise < 1e-3 * value;
}

// How much too high (lower bound) or too low (upper bound) a loss may be, against the side.
long double Composition::shift() const {
  return side_ == Side::upper ? -static_cast<long double>(rounding_) : static_cast<long double>(slack_) + rounding_;
}

Result<double> Composition::delta_at(double epsilon) {
  if (epsilon + shift() >= top_) return infinite_;
  const double tilt = saddle_.tilt_for_epsilon(epsilon), log_delta = saddle_.log_delta(tilt);
  for (const double t : {modest(tilt, epsilon, log_delta), tilt}) {
    CV_CHECK(transform(capped(t), epsilon, log_delta));
    if (trusts(epsilon + shift())) break;
  }
  return smaller(1.0, window_delta(epsilon + shift()));
}

Result<double> Composition::epsilon_at(double delta) {
  if (delta <= infinite_) return kInfinity;
  if (top_ <= 0) return 0.0;
  const double log_delta = std::log(delta - infinite_);
  double tilt = saddle_.tilt_for_delta(delta - infinite_), guess = saddle_.epsilon(tilt);
  long double epsilon = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    CV_CHECK(transform(capped(attempt == 0 ? modest(tilt, guess, log_delta) : tilt), guess, log_delta));
    epsilon = window_epsilon(delta);
    if (std::isinf(epsilon) || trusts(epsilon)) break;
    guess = static_cast<double>(epsilon);
    tilt = saddle_.tilt_for_epsilon(guess);
  }
  // A double next to it may lie on the wrong side, which shows in δ where losses are tiny.
  epsilon -= shift();
  const auto nearest = static_cast<double>(epsilon);
  if (side_ == Side::upper) return nearest < epsilon ? std::nextafter(nearest, kInfinity) : nearest;
  return nearest > epsilon ? std::nextafter(nearest, -kInfinity) : nearest;
}

}  // namespace chronoveil::accounting
