// ε where δ is meant does not compile.
// expect-error: (could not convert|cannot convert|no matching function|invalid initialization)
#include "chronoveil/accounting/accountant.h"

auto price(const chronoveil::accounting::Event& event, chronoveil::Epsilon epsilon) {
  return chronoveil::accounting::epsilon_at(event, epsilon);
}
