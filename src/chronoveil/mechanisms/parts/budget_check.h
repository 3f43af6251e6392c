// What a mechanism of any kind may be asked to spend.
#pragma once

#include <cmath>

#include "chronoveil/base/result.h"

namespace chronoveil::mechanisms {

// ε > 0 and finite, δ in [0, 1).
template <class Request>
Result<void> check_budget(const Request& request) {
  if (!(request.epsilon > 0) || !std::isfinite(request.epsilon))
    return invalid("epsilon", request.epsilon, "a finite number greater than 0");
  if (!(request.delta >= 0) || !(request.delta < 1))
    return invalid("delta", request.delta, "at least 0 and less than 1");
  return {};
}

// The same, and a level of intervals in (0, 1).
template <class Request>
Result<void> check_budget_and_level(const Request& request) {
  CV_CHECK(check_budget(request));
  if (!(request.level > 0 && request.level < 1))
    return invalid("level", request.level, "greater than 0 and less than 1");
  return {};
}

}  // namespace chronoveil::mechanisms
