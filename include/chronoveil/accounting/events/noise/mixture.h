// One of two mixtures of Gaussians with one standard deviation. The loss need not rise with x, so the profile is
// integrated between the roots of p(x) = αq(x), and masses of losses are collected over small cells of x whose losses
// are bounded.
//   Edges     means at most 10^5 noise multipliers apart and 10^9 from 0, or it cannot be priced
#pragma once

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

struct Mixture {
  static constexpr std::string_view kName = "mixture";
  GaussianMixture p, q;
  double noise_multiplier;

  static constexpr auto fields() {
    return std::tuple(field::required("p", &Mixture::p, kAny, ""), field::required("q", &Mixture::q, kAny, ""),
                      field::noise("noise_multiplier", &Mixture::noise_multiplier, kPositive, kNoiseMultiplierHelp));
  }
  bool operator==(const Mixture&) const = default;

  MadeLoss loss() const;
  Result<Event> for_replacement() const;  // refused: the sensitivity is no parameter
  bool dominated_by(const Mixture& slot) const { return only_noisier(*this, slot); }
  Result<double> gaussian_distance() const;
};

}  // namespace chronoveil::accounting
