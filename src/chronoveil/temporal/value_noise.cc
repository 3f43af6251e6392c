#include "chronoveil/temporal/value_noise.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "chronoveil/base/staircase.h"

namespace chronoveil::temporal {

namespace {

// `value` within [lower, upper], in `steps` steps from the lower end; never outside, whatever the arithmetic does.
std::int64_t on_grid(double value, double lower, double upper, std::int64_t steps) {
  if (!(value > lower)) return 0;
  if (value >= upper) return steps;
  const double share = (value - lower) / (upper - lower);
  return std::clamp<std::int64_t>(std::llround(share * static_cast<double>(steps)), 0, steps);
}

}  // namespace

Result<RandomizedResponse> RandomizedResponse::make(double epsilon, std::int64_t values) {
  if (!(epsilon >= TwoWeights::kSmallestEpsilon && epsilon <= TwoWeights::kLargestEpsilon))
    return invalid("epsilon", epsilon, "between 2^-30 and 2^10");
  if (values < 2 || values > TwoWeights::kMostThings)
    return invalid("values", std::to_string(values), "a whole number between 2 and 2^40");
  return RandomizedResponse(TwoWeights(epsilon, 1, values - 1));
}

std::int64_t RandomizedResponse::operator()(std::int64_t value, BitSource& bits) const {
  const std::int64_t choice = choice_(bits);
  if (choice == 0) return value;
  return choice <= value ? choice - 1 : choice;  // the others in order
}

Result<Piecewise> Piecewise::make(double epsilon, std::int64_t positions) {
  if (!(epsilon >= TwoWeights::kSmallestEpsilon && epsilon <= 44))
    return invalid("epsilon", epsilon, "between 2^-30 and 44");
  if (positions < 1 || positions > kPositions)
    return invalid("positions", std::to_string(positions), "a whole number between 1 and 2^32");
  const auto window = std::llround(static_cast<double>(positions) * std::exp(-epsilon / 2));
  return Piecewise(epsilon, positions, std::max<std::int64_t>(window, 1));
}

Piecewise::Piecewise(double epsilon, std::int64_t positions, std::int64_t window)
    : choice_(epsilon, window, positions), positions_(positions), window_(window), scale_(0) {
  const auto w = static_cast<double>(window), g = static_cast<double>(positions);
  const double gain = std::expm1(epsilon);
  scale_ = 2 * (w * gain + w + g) / (gain * w * g);
}

std::int64_t Piecewise::position(double value) const { return on_grid(value, -1, 1, positions_); }

std::int64_t Piecewise::cell(std::int64_t position, BitSource& bits) const {
  const std::int64_t choice = choice_(bits);
  if (choice < window_) return position + choice;
  const std::int64_t other = choice - window_;
  return other < position ? other : other + window_;  // cells before the window, then those behind it
}

double Piecewise::answer(std::int64_t cell) const {
  return scale_ * (static_cast<double>(2 * cell - (cells() - 1)) / 2);
}

Result<LocalLaplace> LocalLaplace::make(double epsilon, double lower, double upper) {
  if (!(epsilon >= 0x1p-30 && epsilon <= 0x1p30)) return invalid("epsilon", epsilon, "between 2^-30 and 2^30");
  if (!(std::abs(lower) <= 0x1p900)) return invalid("lower", lower, "a number of a magnitude up to 2^900");
  if (!(std::abs(upper) <= 0x1p900 && upper - lower >= 0x1p-900))
    return invalid("upper", upper, "a number of a magnitude up to 2^900, and greater than lower by 2^-900 at least");
  // A power of two over ε is 2/ε doubled several times, also if 2/ε is rounded up.
  const int doublings = std::min(29, std::ilogb(noise::kLargestScale / key_scale(2, epsilon)));
  CV_TRY(noise::Sampler sampler,
         noise::Sampler::make(noise::Law::rounded_laplace, std::ldexp(key_scale(2, epsilon), doublings)));
  return LocalLaplace(std::move(sampler), lower, upper, std::int64_t{2} << doublings);
}

double LocalLaplace::operator()(double value, BitSource& bits) const {
  const std::int64_t noisy = noise::add_noise(on_grid(value, lower_, upper_, steps_), sampler_(bits));
  return lower_ + (static_cast<double>(noisy) / static_cast<double>(steps_)) * (upper_ - lower_);
}

}  // namespace chronoveil::temporal
