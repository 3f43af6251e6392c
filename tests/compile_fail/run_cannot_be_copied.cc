// A run goes on in one process at a time, so there is never a second proof from one.
// expect-error: use of deleted function
#include "chronoveil/ledger/run.h"

void keep(const chronoveil::ledger::Run& run) { chronoveil::ledger::Run second = run; }
