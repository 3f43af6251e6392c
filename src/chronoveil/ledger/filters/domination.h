// Which events may run in a slot that was reserved for another.
#pragma once

#include <optional>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/ledger/filters/amount.h"

namespace chronoveil::ledger {

// True only when whatever `event` reveals could be computed from what `slot` reveals, or its neighbours are fewer:
//   the same kind with a smaller count, as its dominated_by() says: the same, or more noise, less sensitivity, fewer
//   steps, a smaller sample (the inner event being dominated), a smaller ε
//   in a slot `pure` or `approximate`: whatever is purely private, of at most its ε
//   `compose`: as many events, each dominated by the one in its place.
// False does not mean that it reveals more: a discrete Gaussian of a larger scale is not known to be dominated.
bool is_dominated_by(const accounting::Event& event, const accounting::Event& slot);

// The ε of one occurrence of an event that is purely private, from its parameters, rounded up; nothing for others.
std::optional<Amount> stated_epsilon(const accounting::Event&);

}  // namespace chronoveil::ledger
