// The seal of rows that were written before there were seals.
#pragma once

#include <vector>

#include "chronoveil/ledger/proof/entry.h"
#include "chronoveil/ledger/proof/seal.h"

namespace chronoveil::ledger {

// Refused if a row was written by a version that seals: then the seals were removed, and perhaps the last rows with
// them.
Result<Seal> first_seal_of(const std::vector<Entry>& rows);

}  // namespace chronoveil::ledger
