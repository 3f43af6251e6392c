#include "chronoveil/post/causal/total.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace chronoveil::post {

CausalTotal::CausalTotal(std::size_t series, const CausalSpec& each)
    : series_(static_cast<double>(series)),
      each_(each),
      noise_variance_(series_ * each.noise_variance),
      alone_({.noise_variance = noise_variance_, .season = each.season}),
      weights_({0.5, 0.25, 0.25}),
      calibration_(1, each.season) {}

void CausalTotal::start_mending(double left) {
  left_ = left;
  mending_.emplace(CausalSpec{.noise_variance = left * each_.noise_variance, .season = each_.season});
}

CausalValue CausalTotal::step(const CausalParts& parts) {
  const CausalValue alone = parts.measured ? alone_.update(parts.noisy) : alone_.predict();
  if (!std::isfinite(alone.variance)) return {parts.estimate, alone.variance};
  double mended = parts.estimate, mended_gain = parts.gain;
  if (parts.measured && looks_ < kLooks) {
    gains_ += parts.gain;
    if (++looks_ == kLooks) start_mending(std::max(1 - gains_ / static_cast<double>(kLooks), 0.02));
  }
  if (mending_) {
    const double root = std::sqrt(series_);
    const CausalValue left =
        parts.measured ? mending_->update((parts.noisy - parts.estimate) / root) : mending_->predict();
    if (std::isfinite(left.variance)) mended += root * left.mean;
    mended_gain += (1 - parts.gain) * left.variance / (left_ * each_.noise_variance);
  }

  const std::array estimates{alone.mean, parts.estimate, mended};
  const std::array gains{alone.variance / noise_variance_, parts.gain, mended_gain};
  const auto& weights = weights_.now();
  double mean = 0, gain = 0, apart = 0;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    mean += weights[i] * estimates[i];
    gain += weights[i] * gains[i];
  }
  for (std::size_t i = 0; i < estimates.size(); ++i)
    apart += weights[i] * (estimates[i] - mean) * (estimates[i] - mean) / noise_variance_;
  double variance = alone.variance / noise_variance_ + apart;

  if (!parts.measured) return {mean, (variance + calibration_.raise(0)) * noise_variance_ + parts.missing};
  const auto squared = [&](double estimate) {
    return (parts.noisy - estimate) * (parts.noisy - estimate) / noise_variance_;
  };
  calibration_.fade();
  calibration_.add(0, squared(mean) - 1 + 2 * gain - variance);
  calibration_.settle();
  variance = std::min(1.0, variance + calibration_.raise(0));
  std::array<double, 3> risks{};
  for (std::size_t i = 0; i < risks.size(); ++i) risks[i] = squared(estimates[i]) + 2 * gains[i];
  weights_.learn(risks);
  return {mean, variance * noise_variance_ + parts.missing};
}

void CausalTotal::save(StateWriter& out) const {
  alone_.save(out);
  out.put(looks_);
  out.put(gains_);
  out.put(left_);
  if (mending_) mending_->save(out);
  weights_.save(out);
  calibration_.save(out);
}

void CausalTotal::load(StateReader& in) {
  alone_.load(in);
  looks_ = in.integer();
  gains_ = in.number();
  if (const double left = in.number(); looks_ == kLooks) {
    start_mending(left);
    mending_->load(in);
  }
  weights_.load(in);
  calibration_.load(in);
}

}  // namespace chronoveil::post
