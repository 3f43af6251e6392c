// Mixes a few estimators of the same value by how well they did so far. In units of the noise, with z a noisy value:
//   r = (z − x̂)² + 2 gain, gain = ∂x̂/∂z: an unbiased estimate of the squared error, but for a constant [Stein81]
//   w ∝ ((1 − κ) w + κ π) exp(−r/8),   κ = 1/1000: which one is best may change [HerbsterWarmuth98]
// Half the rate of shrink.h, since errors of neighbouring steps go together. The weights of a step do not know its
// value: for the noise of that value they are constants, and the gain of the mixture is Σ w gain.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "chronoveil/base/state_words.h"

namespace chronoveil::post {

template <std::size_t kMany>
class SteinWeights {
 public:
  using Numbers = std::array<double, kMany>;

  explicit SteinWeights(const Numbers& prior) : prior_(prior), weight_(prior) {}

  const Numbers& now() const { return weight_; }

  void learn(const Numbers& risk) {
    constexpr double kSwitch = 1e-3, kRate = 0.125;
    const double least = *std::min_element(risk.begin(), risk.end());
    double sum = 0;
    for (std::size_t i = 0; i < kMany; ++i) {
      weight_[i] = ((1 - kSwitch) * weight_[i] + kSwitch * prior_[i]) * std::exp(kRate * (least - risk[i]));
      sum += weight_[i];  // the best one has at least κ π
    }
    for (double& weight : weight_) weight /= sum;
  }

  void save(StateWriter& out) const {
    for (const double weight : weight_) out.put(weight);
  }
  void load(StateReader& in) {
    for (double& weight : weight_) weight = in.number();
  }

 private:
  Numbers prior_, weight_;
};

}  // namespace chronoveil::post
