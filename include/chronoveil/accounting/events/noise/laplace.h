// Continuous Laplace noise, also when rounded to a grid, which is post-processing.
//   Loss      δ(ε) = max(0, 1 − e^{(ε − 1/m)/2}), the same in both directions; P(loss > l) = 1 − e^{(l − 1/m)/2}/2 for
//             |l| < 1/m, with an atom of ½ at 1/m                                                             [DMNS06]
//   Moments   D_α of [Mironov17, Prop. 6]
//   Edges     m from 1e-150 to 1e150; ε = 1/m at δ = 0
#pragma once

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

struct Laplace {
  static constexpr std::string_view kName = "laplace";
  static constexpr bool kScalesWithDraws = true;
  double noise_multiplier;  // m: the scale over the L1 sensitivity

  static constexpr auto fields() {
    return std::tuple(field::noise("noise_multiplier", &Laplace::noise_multiplier, kPositive, kNoiseMultiplierHelp));
  }
  bool operator==(const Laplace&) const = default;

  MadeLoss loss() const;
  Result<Event> for_replacement() const;
  // Laplace laws are self-decomposable: a wider one is a narrower one plus independent noise.
  bool dominated_by(const Laplace& slot) const { return only_noisier(*this, slot); }
  std::optional<PureEpsilon> pure() const { return PureEpsilon{1 / noise_multiplier, 1, noise_multiplier}; }
  double renyi(double order) const;
  // What it adds to μ² beside Gaussian noise (gaussian_beside.h): no more than the worst event of its ε adds.
  static double beside_gaussian(double epsilon, double reserve);
};

}  // namespace chronoveil::accounting
