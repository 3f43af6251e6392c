// The ledger in one SQLite file: mode 0600, write-ahead log, synchronous=FULL, BEGIN IMMEDIATE.
#pragma once

#include "chronoveil/ledger/stores/store.h"

namespace chronoveil::ledger {

// Folders that are missing are created with mode 0700. ":memory:" lasts as long as the store.
Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& path, const Sealer&, Absent);

}  // namespace chronoveil::ledger
