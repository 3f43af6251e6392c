// Only the ledger makes receipts, after the debit is durable.
// expect-error: is private within this context
#include "chronoveil/ledger/receipt.h"

auto forge(chronoveil::ledger::DebitReference reference, chronoveil::accounting::Event event) {
  return chronoveil::ledger::Receipt(reference, event, {});
}
