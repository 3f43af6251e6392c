// The seal of rows that were written before there were seals.
#pragma once

#include <vector>

#include "chronoveil/ledger/proof/entry.h"
#include "chronoveil/ledger/proof/seal.h"

namespace chronoveil::ledger {

// Refused where a row was written by a version that sealed its rows: then the seals were taken away, and the end of the
// rows may have gone with them.
Result<Seal> first_seal_of(const std::vector<Entry>& rows);

}  // namespace chronoveil::ledger
