// Gaussian noise on the integers: N_Z(d, s²) against N_Z(0, s²), d the sensitivity and s the scale.
//   Loss      of output x: d(2x − d)/(2s²)                                                                   [CKS20]
//   Moments   D_α <= α(d/s)²/2                                                                        [CKS20, Thm 4]
//   Edges     d = 0 costs nothing
#pragma once

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

struct DiscreteGaussian {
  static constexpr std::string_view kName = "discrete_gaussian";
  static constexpr bool kScalesWithDraws = true;
  double scale;              // in grid steps
  std::int64_t sensitivity;  // in grid steps

  static constexpr auto fields() {
    return std::tuple(
        field::noise("scale", &DiscreteGaussian::scale, kPositive, kScaleHelp),
        field::required("sensitivity", &DiscreteGaussian::sensitivity, field::at_least(0), kSensitivityHelp));
  }

  MadeLoss loss() const;
  Result<Event> for_replacement() const;
  // Log-concave noise, so a smaller shift reveals less. For a larger scale this is not known.
  bool dominated_by(const DiscreteGaussian& slot) const {
    return scale == slot.scale && sensitivity <= slot.sensitivity;
  }
  double renyi(double order) const;
  Result<ZcdpCost> zcdp(double count) const;
};

}  // namespace chronoveil::accounting
