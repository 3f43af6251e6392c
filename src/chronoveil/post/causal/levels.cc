#include "chronoveil/post/causal/levels.h"

#include <algorithm>
#include <cmath>

namespace chronoveil::post {

CausalLevels::CausalLevels(double noise_variance) : half_precision_(0.5 / noise_variance) {
  start_.fill(1);
  std::size_t i = 0;
  for (int power = -10; power <= 6; ++power) fixed_[i++] = std::ldexp(1.0, 2 * power);
  for (const int power : {9, 13, 18, 30}) fixed_[i++] = std::ldexp(1.0, 2 * power);
  for (int power = 0; power < static_cast<int>(kRelative); ++power)
    relative_[i++] = std::ldexp(1.0, -2 * power) / noise_variance;
  for (const double step : {1e-6, 1e-4, 1e-2})
    for (int half_power = -2; half_power <= 2; ++half_power) {
      fixed_[i] = step;
      irregular_[i++] = std::pow(10.0, half_power / 2.0);
    }
  for (int power = 1; power <= static_cast<int>(kSmall); ++power) {
    start_[i] = std::pow(10.0, -power / 2.0);
    fixed_[i] = start_[i] / 1000;
    ++i;
  }
}

void CausalLevels::start(double measured) {
  for (std::size_t i = 0; i < kCount; ++i) {
    mean_[i] = start_[i] * measured;
    variance_[i] = start_[i] * (1 + irregular_[i]);
  }
}

void CausalLevels::advance() {
  for (std::size_t i = 0; i < kCount; ++i) {
    const double level = std::max(mean_[i], 1.0);
    variance_[i] += fixed_[i] + relative_[i] * level * level;
  }
}

void CausalLevels::predicted(const CausalViews& views) const {
  for (std::size_t i = 0; i < kCount; ++i) {
    views.mean[i] = mean_[i];
    views.variance[i] = variance_[i] + irregular_[i];
  }
}

void CausalLevels::correct(double measured, const CausalViews& views) {
  for (std::size_t i = 0; i < kCount; ++i) {
    const double truth = variance_[i] + irregular_[i], spread = truth + 1, innovation = measured - mean_[i];
    const double share = 1 / spread, gain = variance_[i] * share;
    views.spread[i] = spread;
    views.surprise[i] = innovation * innovation * half_precision_ * share;
    views.mean[i] = mean_[i] + truth * share * innovation;
    views.variance[i] = truth * share;
    mean_[i] += gain * innovation;
    variance_[i] = gain * (1 + irregular_[i]);
  }
}

void CausalLevels::save(StateWriter& out) const {
  for (const double value : mean_) out.put(value);
  for (const double value : variance_) out.put(value);
}

void CausalLevels::load(StateReader& in) {
  for (double& value : mean_) value = in.number();
  for (double& value : variance_) value = in.number();
}

}  // namespace chronoveil::post
