// Anything that is (ε, δ)-differentially private.
//   Loss      ±ε as randomized response, and infinite with probability δ                     [KairouzOhViswanath15]
//   Edges     δ = 0 is pure; δ is set aside from Rényi and zCDP costs
#pragma once

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

struct Approximate {
  static constexpr std::string_view kName = "approximate";
  double epsilon;
  double delta;

  static constexpr auto fields() {
    return std::tuple(field::noise("epsilon", &Approximate::epsilon, kNotNegative, kEpsilonHelp),
                      field::required("delta", &Approximate::delta, kShare, "its own δ"));
  }

  MadeLoss loss() const;
  Result<Event> for_replacement() const;  // (2ε, (1 + e^ε) δ)
  bool dominated_by(const Approximate& slot) const { return epsilon <= slot.epsilon && delta <= slot.delta; }
  double renyi(double order) const;
  double set_aside() const { return delta; }
  Result<ZcdpCost> zcdp(double count) const;
};

}  // namespace chronoveil::accounting
