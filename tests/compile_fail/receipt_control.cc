// The control of the receipt cases: a receipt that is moved into the one function that uses it up.
// expect-success
#include <utility>

#include "chronoveil/ledger/receipt.h"

auto run(chronoveil::ledger::Receipt receipt, const chronoveil::accounting::Event& event) {
  chronoveil::ledger::Receipt mine = std::move(receipt);
  return chronoveil::ledger::redeem(std::move(mine), event);
}
