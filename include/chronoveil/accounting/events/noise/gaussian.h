// Continuous Gaussian noise, also when rounded to a grid, which is post-processing.
//   Loss      δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), μ = 1/m, the same in both directions            [BalleWang18]
//   Moments   D_α = αμ²/2
//   Edges     m from 1e-150 to 1e150; n uses are one of μ√n
#pragma once

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

struct Gaussian {
  static constexpr std::string_view kName = "gaussian";
  static constexpr bool kScalesWithDraws = true;
  double noise_multiplier;  // m: the scale over the L2 sensitivity

  static constexpr auto fields() {
    return std::tuple(field::noise("noise_multiplier", &Gaussian::noise_multiplier, kPositive, kNoiseMultiplierHelp));
  }
  bool operator==(const Gaussian&) const = default;

  MadeLoss loss() const;
  Result<Event> for_replacement() const;
  bool dominated_by(const Gaussian& slot) const { return only_noisier(*this, slot); }
  Result<double> gaussian_distance() const { return 1 / noise_multiplier; }
  double renyi(double order) const { return order / (2 * noise_multiplier * noise_multiplier); }
};

}  // namespace chronoveil::accounting
