// Anything that is ε-differentially private.
//   Loss      ±ε, those of randomized response over two values, the worst of all
//   Moments   D_α of that                                                    [Mironov17, Prop. 5 with both outcomes]
//   Edges     ε = 0 costs nothing
#pragma once

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

struct Pure {
  static constexpr std::string_view kName = "pure";
  static constexpr bool kScalesWithDraws = true;
  double epsilon;

  static constexpr auto fields() {
    return std::tuple(field::noise("epsilon", &Pure::epsilon, kNotNegative, kEpsilonHelp));
  }

  MadeLoss loss() const;
  Result<Event> for_replacement() const;
  bool dominated_by(const Pure& slot) const { return epsilon <= slot.epsilon; }
  std::optional<PureEpsilon> pure() const { return PureEpsilon{epsilon}; }
  double renyi(double order) const;
};

}  // namespace chronoveil::accounting
