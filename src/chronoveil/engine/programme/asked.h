// What the releases of a programme ask of a ledger.
#pragma once

#include <vector>

#include "chronoveil/engine/programme/programme.h"
#include "chronoveil/engine/release/budget.h"

namespace chronoveil::engine {

struct Asked {
  Claim claim;
  Ask ask;
};

// From public facts only.
Result<Asked> asked_by(const Job&);

// What all of them protect together: what the one that protects least does.
ledger::Protected protected_by_all(const std::vector<Claim>&);

// One event per slot, those of a release one after the other, given the event of each.
std::vector<accounting::Event> events_of(const Programme&, const std::vector<accounting::Event>&);

}  // namespace chronoveil::engine
