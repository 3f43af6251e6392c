// What is priced is an event, never the values of a series.
// layer: plan
// expect-error: (could not convert|cannot convert|no matching function|invalid initialization)
#include <vector>

#include "chronoveil/accounting/accountant.h"

auto price(const std::vector<double>& values, chronoveil::Delta delta) {
  return chronoveil::accounting::epsilon_at(values, delta);
}
