// Using a receipt takes it away: one that its holder keeps, for a second run, cannot be passed.
// expect-error: cannot bind rvalue reference
#include <utility>

#include "chronoveil/ledger/receipt.h"

auto run(chronoveil::ledger::Receipt receipt, const chronoveil::accounting::Event& event) {
  auto first = chronoveil::ledger::redeem(receipt, event);
  return chronoveil::ledger::redeem(std::move(receipt), event);
}
