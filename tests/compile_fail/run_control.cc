// The control of the cases with runs: a proof that is moved into the one function that uses it up.
// expect-success
#include <utility>

#include "chronoveil/ledger/run.h"

auto go_on(chronoveil::ledger::Run run, const chronoveil::accounting::Event& event) {
  chronoveil::ledger::Run mine = std::move(run);
  return chronoveil::ledger::redeem(std::move(mine), event);
}
