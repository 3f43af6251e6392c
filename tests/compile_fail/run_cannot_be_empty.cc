// There is no run of nothing.
// expect-error: no matching function for call to .*Run
#include "chronoveil/ledger/run.h"

chronoveil::ledger::Run nothing;
