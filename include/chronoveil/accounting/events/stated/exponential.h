// A selection with bounded range ε: the exponential mechanism. The supremum over its two-point pairs is
//   Loss      δ(ε') = (√E − √α)²/(E − 1) for 1/E <= α = e^ε' <= E = e^ε                         [DongDurfeeRogers20]
//   Moments   D_α <= αε²/8, so ρ = ε²/8: a quarter of what pure ε has                                [CesarRogers21]
//   Edges     ε = 0 costs nothing
#pragma once

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

struct Exponential {
  static constexpr std::string_view kName = "exponential";
  static constexpr bool kScalesWithDraws = true;
  double epsilon;

  static constexpr auto fields() {
    return std::tuple(field::noise("epsilon", &Exponential::epsilon, kNotNegative, kEpsilonHelp));
  }

  MadeLoss loss() const;
  Result<Event> for_replacement() const;
  bool dominated_by(const Exponential& slot) const { return epsilon <= slot.epsilon; }
  std::optional<PureEpsilon> pure() const { return PureEpsilon{epsilon}; }
  double renyi_at_most(double order) const;
  Result<ZcdpCost> zcdp(double count) const;
};

}  // namespace chronoveil::accounting
