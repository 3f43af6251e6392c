// The truth with probability e^ε/(e^ε + values − 1), otherwise one of the other values; for one value replaced.
//   Loss      ±ε, and 0 where a third value is shown                                         [KairouzOhViswanath15]
//   Edges     ε = 0 costs nothing; values from 2 on
#pragma once

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

struct RandomizedResponse {
  static constexpr std::string_view kName = "randomized_response";
  double epsilon;
  std::int64_t values;

  static constexpr auto fields() {
    return std::tuple(field::noise("epsilon", &RandomizedResponse::epsilon, kNotNegative, kEpsilonHelp),
                      field::required("values", &RandomizedResponse::values, field::at_least(2), "number of values"));
  }
  static constexpr Relation own_relation() { return Relation::replace; }

  MadeLoss loss() const;
  Result<Event> for_replacement() const;  // pure, of twice the ε
  bool dominated_by(const RandomizedResponse& slot) const { return values == slot.values && epsilon <= slot.epsilon; }
  std::optional<PureEpsilon> pure() const { return PureEpsilon{epsilon}; }
};

}  // namespace chronoveil::accounting
