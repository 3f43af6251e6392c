// Going on with a run uses its proof up: one that its holder keeps cannot be passed.
// expect-error: cannot bind rvalue reference
#include "chronoveil/mechanisms/draws.h"

auto go_on(chronoveil::ledger::Run& run, const chronoveil::accounting::Event& event) {
  return chronoveil::mechanisms::Draws::continued(run, event);
}
