#include "chronoveil/post/causal/trends.h"

#include <cmath>

namespace chronoveil::post {

CausalTrends::CausalTrends(double noise_variance) : half_precision_(0.5 / noise_variance) {
  for (int i = 0; i < static_cast<int>(kCount); ++i) turn_[static_cast<std::size_t>(i)] = std::ldexp(1.0, 3 * (i - 8));
}

void CausalTrends::start(double measured) {
  for (std::size_t i = 0; i < kCount; ++i) {
    level_[i] = measured;
    slope_[i] = 0;
    level_variance_[i] = 1;
    covariance_[i] = 0;
    slope_variance_[i] = 256 * turn_[i];
  }
}

void CausalTrends::advance() {
  for (std::size_t i = 0; i < kCount; ++i) {
    level_[i] += slope_[i];
    slope_variance_[i] += turn_[i];
    level_variance_[i] += 2 * covariance_[i] + slope_variance_[i];
    covariance_[i] += slope_variance_[i];
  }
}

void CausalTrends::predicted(const CausalViews& views) const {
  for (std::size_t i = 0; i < kCount; ++i) {
    views.mean[i] = level_[i];
    views.variance[i] = level_variance_[i];
  }
}

void CausalTrends::correct(double measured, const CausalViews& views) {
  for (std::size_t i = 0; i < kCount; ++i) {
    const double spread = level_variance_[i] + 1, innovation = measured - level_[i];
    const double share = 1 / spread, level_gain = level_variance_[i] * share, slope_gain = covariance_[i] * share;
    views.spread[i] = spread;
    views.surprise[i] = innovation * innovation * half_precision_ * share;
    level_[i] += level_gain * innovation;
    slope_[i] += slope_gain * innovation;
    slope_variance_[i] -= slope_gain * covariance_[i];
    covariance_[i] = slope_gain;  // C − C P/(P + 1)
    level_variance_[i] = level_gain;
    views.mean[i] = level_[i];
    views.variance[i] = level_gain;
  }
}

void CausalTrends::save(StateWriter& out) const {
  for (const Numbers* numbers : {&level_, &slope_, &level_variance_, &covariance_, &slope_variance_})
    for (const double value : *numbers) out.put(value);
}

void CausalTrends::load(StateReader& in) {
  for (Numbers* numbers : {&level_, &slope_, &level_variance_, &covariance_, &slope_variance_})
    for (double& value : *numbers) value = in.number();
}

}  // namespace chronoveil::post
