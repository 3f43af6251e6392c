// Authorising draws uses the receipt up: one that its holder keeps cannot be passed.
// expect-error: cannot bind rvalue reference
#include "chronoveil/mechanisms/draws.h"

auto authorise(chronoveil::ledger::Receipt& receipt, const chronoveil::accounting::Event& event) {
  return chronoveil::mechanisms::Draws::authorised(receipt, event);
}
