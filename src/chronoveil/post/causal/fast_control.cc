#include "chronoveil/post/causal/fast_control.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace chronoveil::post {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

ScalarFilter::ScalarFilter(double noise_variance, std::optional<double> process_variance, std::optional<double> assumed)
    : noise_variance_(noise_variance),
      assumed_variance_(assumed.value_or(noise_variance)),
      process_variance_(process_variance.value_or(0)),
      automatic_(!process_variance),
      variance_(kInfinity),
      rate_(kInfinity) {
  for (std::size_t i = 1; i < kGrid; ++i) candidates_[i].step = std::ldexp(1.0, 2 * (static_cast<int>(i) - 13));
}

void ScalarFilter::predict() {
  if (!started()) return;
  variance_ += process_variance_;
  ++gap_;
}

double ScalarFilter::error_variance() const {
  if (!started()) return kInfinity;
  return gap_ == 0 ? error_ : error_ + static_cast<double>(gap_) * rate_;
}

void ScalarFilter::compare(double measured) {
  const Candidate* best = nullptr;
  for (Candidate& candidate : candidates_) {
    const double predicted = candidate.variance + static_cast<double>(gap_) * candidate.step, spread = predicted + 1;
    const double innovation = measured - candidate.mean, gain = predicted / spread;
    candidate.log_likelihood -= (std::log(spread) + innovation * innovation / assumed_variance_ / spread) / 2;
    candidate.mean += gain * innovation;
    candidate.variance = gain;
    if (best == nullptr || candidate.log_likelihood > best->log_likelihood) best = &candidate;
  }
  process_variance_ = best->step * assumed_variance_;
}

void ScalarFilter::correct(double measured) {
  if (!started()) {
    estimate_ = measured;
    variance_ = assumed_variance_;
    error_ = noise_variance_;
    for (Candidate& candidate : candidates_) candidate.mean = measured;
    moves_.samples = 1;
  } else {
    moves_.add(static_cast<double>(gap_), measured - last_);
    rate_ = step_rate_of(moves_, noise_variance_);
    const double gain = variance_ / (variance_ + assumed_variance_), rest = 1 - gain;
    estimate_ += gain * (measured - estimate_);
    variance_ = gain * assumed_variance_;
    error_ = rest * rest * error_variance() + gain * gain * noise_variance_;
    if (automatic_) compare(measured);
  }
  last_ = measured;
  gap_ = 0;
}

void ScalarFilter::save(StateWriter& out) const {
  for (const double value : {process_variance_, estimate_, variance_, error_, rate_, last_}) out.put(value);
  out.put(gap_);
  out.put(moves_.samples);
  for (const double value : {moves_.gaps, moves_.squared_gaps, moves_.squares}) out.put(value);
  if (!automatic_) return;
  for (const Candidate& candidate : candidates_)
    for (const double value : {candidate.mean, candidate.variance, candidate.log_likelihood}) out.put(value);
}

void ScalarFilter::load(StateReader& in) {
  for (double* value : {&process_variance_, &estimate_, &variance_, &error_, &rate_, &last_}) *value = in.number();
  gap_ = in.integer();
  moves_.samples = in.integer();
  for (double* value : {&moves_.gaps, &moves_.squared_gaps, &moves_.squares}) *value = in.number();
  if (!automatic_) return;
  for (Candidate& candidate : candidates_)
    for (double* value : {&candidate.mean, &candidate.variance, &candidate.log_likelihood}) *value = in.number();
}

PidController::PidController(const PidSettings& settings)
    : settings_(settings), interval_(settings.shortest), recent_(static_cast<std::size_t>(settings.window)) {}

double PidController::combined(std::int64_t step, double error) const {
  const auto known = static_cast<std::size_t>(std::min(errors_, settings_.window));
  double sum = 0;
  for (std::size_t i = 0; i < known; ++i) sum += recent_[i];
  double delta = settings_.proportional * error + settings_.integral * (sum / static_cast<double>(known));
  if (errors_ > 1) delta += settings_.derivative * (error - last_error_) / static_cast<double>(step - last_step_);
  return delta;
}

std::int64_t PidController::next(std::int64_t step, std::optional<double> error) {
  const bool warm = step >= settings_.window - 1;
  if (error) {
    recent_[static_cast<std::size_t>(errors_ % settings_.window)] = *error;
    ++errors_;
    if (warm) {
      constexpr double kLargestExponent = 700, kLongest = 0x1p62;
      const double exponent = (combined(step, *error) - settings_.xi) / settings_.xi;
      const double change = settings_.theta * (1 - std::exp(std::min(exponent, kLargestExponent)));
      interval_ = std::min(std::max(settings_.shortest, interval_ + change), kLongest);
    }
    last_error_ = *error;
    last_step_ = step;
  }
  const auto wait = warm ? std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(interval_ + 0.5))) : 1;
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  return step > kEnd - wait ? kEnd : step + wait;
}

void PidController::save(StateWriter& out) const {
  out.put(interval_);
  out.put(errors_);
  out.put(last_step_);
  out.put(last_error_);
  for (const double error : recent_) out.put(error);
}

void PidController::load(StateReader& in) {
  interval_ = in.number();
  errors_ = in.integer();
  last_step_ = in.integer();
  last_error_ = in.number();
  for (double& error : recent_) error = in.number();
}

}  // namespace chronoveil::post
