// Laplace noise on the integers, of scale s against a shift of d, with a = e^{−1/s}.
//   Loss      (2x − d)/s at x = 1..d−1, and ±d/s
//   Edges     d = 0 costs nothing; ε = d/s at δ = 0
#pragma once

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

struct DiscreteLaplace {
  static constexpr std::string_view kName = "discrete_laplace";
  static constexpr bool kScalesWithDraws = true;
  double scale;              // in grid steps
  std::int64_t sensitivity;  // in grid steps

  static constexpr auto fields() {
    return std::tuple(
        field::noise("scale", &DiscreteLaplace::scale, kPositive, kScaleHelp),
        field::required("sensitivity", &DiscreteLaplace::sensitivity, field::at_least(0), kSensitivityHelp));
  }

  MadeLoss loss() const;
  Result<Event> for_replacement() const;
  // More noise is the slot's noise plus some more; log-concave, so that a smaller shift reveals less.
  bool dominated_by(const DiscreteLaplace& slot) const {
    return scale >= slot.scale && sensitivity <= slot.sensitivity;
  }
  std::optional<PureEpsilon> pure() const {
    return PureEpsilon{static_cast<double>(sensitivity) / scale, sensitivity, scale};
  }
};

}  // namespace chronoveil::accounting
