#include "chronoveil/temporal/switching.h"

#include <string>

namespace chronoveil::temporal {

Result<void> check(const SwitchLaw& law) {
  if (law.window < 2 || law.window > kLargestWindow)
    return invalid("window", std::to_string(law.window), "a whole number between 2 and 1048576");
  if (!(law.stay < 1 && law.stay * static_cast<double>(law.window) >= 1))
    return invalid("stay", law.stay,
                   "at least 1/window, so that a value stays at least as likely as it moves to any one other step, and "
                   "less than 1");
  return {};
}

}  // namespace chronoveil::temporal
