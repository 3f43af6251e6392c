// Defects of earlier versions of the analysis that debits in a ledger may still rest on. The page
// docs/known_vulnerabilities.md has a section for each id: what it affected, and what to do about such a debit.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "chronoveil/ledger/body.h"
#include "chronoveil/ledger/dataset.h"

namespace chronoveil::ledger {

struct KnownDefect {
  std::string_view id;       // "CV-2"
  std::int64_t first, last;  // versions of the analysis that had it, both included
  std::string_view summary;  // one sentence
  // Whether a debit of these versions may rest on it. Where the ledger cannot tell, the answer is yes.
  bool (*may_concern)(const Dataset&, const DebitBody&, const accounting::Event& composed);
};

// All of them, by id.
std::span<const KnownDefect> known_defects();

// Those that a debit may rest on.
std::vector<const KnownDefect*> defects_of(const Dataset&, const DebitBody&, const accounting::Event& composed);

}  // namespace chronoveil::ledger
