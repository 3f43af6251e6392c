// There is no receipt for nothing.
// expect-error: no matching function for call to .*Receipt
#include "chronoveil/ledger/receipt.h"

chronoveil::ledger::Receipt nothing;
