// Only the ledger says that a run may go on, after its debit is durable.
// expect-error: is private within this context
#include "chronoveil/ledger/run.h"

auto forge(chronoveil::ledger::DebitReference reference, chronoveil::accounting::Event event) {
  return chronoveil::ledger::Run(reference, event, 52, 0, "");
}
