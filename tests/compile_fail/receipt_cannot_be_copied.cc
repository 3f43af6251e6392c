// A receipt covers one run, so there is never a second one of it.
// expect-error: use of deleted function
#include "chronoveil/ledger/receipt.h"

void keep(const chronoveil::ledger::Receipt& receipt) { chronoveil::ledger::Receipt second = receipt; }
