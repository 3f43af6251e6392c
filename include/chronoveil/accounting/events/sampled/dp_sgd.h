// One step of the usual DP-SGD: a Poisson-sampled Gaussian, for one unit added or removed (sampled.h).
//   Edges     a rate of 0 costs nothing; one of 1 is `gaussian`
#pragma once

#include "chronoveil/accounting/events/sampled/inner.h"

namespace chronoveil::accounting {

struct DpSgd {
  static constexpr std::string_view kName = "dp_sgd";
  static constexpr bool kSamplesUnits = true;
  double rate;
  double noise_multiplier;

  static constexpr auto fields() {
    return std::tuple(field::required("rate", &DpSgd::rate, kShare, kRateHelp),
                      field::noise("noise_multiplier", &DpSgd::noise_multiplier, kPositive, kNoiseMultiplierHelp));
  }
  static constexpr Relation own_relation() { return Relation::add_remove; }
  double share() const { return rate; }

  MadeLoss loss() const;
  Result<Event> for_replacement() const;
  // A smaller sample shows less: its pair is a mixture of that of the larger one and of nothing.
  bool dominated_by(const DpSgd& slot) const { return rate <= slot.rate && noise_multiplier >= slot.noise_multiplier; }
  // A sample reveals no more than all units do.
  Result<double> gaussian_distance() const { return 1 / noise_multiplier; }
};

}  // namespace chronoveil::accounting
