// A bare number has no unit: it must go through Epsilon::make, which refuses what is out of range.
// expect-error: (could not convert|cannot convert|no matching function|invalid initialization)
#include "chronoveil/accounting/accountant.h"

auto price(const chronoveil::accounting::Event& event) { return chronoveil::accounting::delta_at(event, 1.0); }
