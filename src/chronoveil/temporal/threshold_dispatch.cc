#include "chronoveil/temporal/threshold_dispatch.h"

#include <string>

#include "chronoveil/temporal/switching.h"

namespace chronoveil::temporal {

Result<void> check(const ThresholdLaw& law) {
  if (law.window < 2 || law.window > kLargestWindow)
    return invalid("window", std::to_string(law.window), "a whole number between 2 and 1048576");
  if (law.threshold < 1 || law.threshold >= law.window)
    return invalid("threshold", std::to_string(law.threshold), "a whole number between 1 and window - 1");
  return {};
}

}  // namespace chronoveil::temporal
