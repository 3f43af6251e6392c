// Using the proof takes it away: one that its holder keeps cannot be passed.
// expect-error: cannot bind rvalue reference
#include <utility>

#include "chronoveil/ledger/run.h"

auto go_on(chronoveil::ledger::Run run, const chronoveil::accounting::Event& event) {
  auto first = chronoveil::ledger::redeem(run, event);
  return chronoveil::ledger::redeem(std::move(run), event);
}
