// Heads of chains, kept where the holder of the ledger cannot remove them: a file on another disk, append-only if the
// file system can (chattr +a), or a table in a second PostgreSQL server where the program may insert and select. A
// ledger without an anchored head is an older one, or another one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "chronoveil/base/result.h"
#include "chronoveil/ledger/stores/store.h"

namespace chronoveil::ledger {

// For each dataset: how many rows there were, and the hash of the last.
using AnchoredHeads = std::map<std::string, std::map<std::int64_t, std::string>>;

class Anchor {
 public:
  virtual ~Anchor() = default;
  virtual Result<AnchoredHeads> heads() = 0;
  // Durable when it returns.
  virtual Result<void> append(const std::string& dataset, std::int64_t length, const std::string& head) = 0;
};

// At a path or a URL postgresql://... One ledger has one anchor.
//   file   one line "DATASET LENGTH HEAD" each; other lines, such as a crash may leave, are ignored. A missing file is
//          created for a ledger without rows, and else refused: its disk may not be mounted
//   table  chronoveil_anchor (dataset, length, head), in the first schema of the search path; created if missing
Result<std::unique_ptr<Anchor>> open_anchor(const std::string& where, Absent absent = Absent::create);

}  // namespace chronoveil::ledger
