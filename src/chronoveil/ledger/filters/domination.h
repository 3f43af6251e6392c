// Which events may run in a slot that was reserved for another.
#pragma once

#include <optional>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/ledger/filters/amount.h"

namespace chronoveil::ledger {

// True only if everything that `event` reveals could be computed from what `slot` reveals, or it has fewer neighbours:
//   the same kind with a smaller count, as its dominated_by() says: the same, or more noise, less sensitivity, fewer
//   steps, a smaller sample (the inner event being dominated), a smaller ε
//   in a slot `pure` or `approximate`: any pure event of at most its ε
//   `compose`: as many events, each dominated by the one in its place.
// False need not mean that it reveals more: a discrete Gaussian of a larger scale is not known to be dominated.
bool is_dominated_by(const accounting::Event& event, const accounting::Event& slot);

// The ε of one occurrence of a pure event, from its parameters, rounded up; empty for others.
std::optional<Amount> stated_epsilon(const accounting::Event&);

}  // namespace chronoveil::ledger
