// What a guarantee takes for granted about the rows that are read.
#pragma once

#include <string>
#include <vector>

#include "chronoveil/base/guarantee.h"
#include "chronoveil/data/source_spec.h"

namespace chronoveil::engine {

// How rows are read: all before the release, where one bad row ends it; or as they come, where bad rows are left out.
enum class Reading { whole, live };

// Adds, as declared:
//   whole         that no row ends the release
//   header=false  that no person's row decides how many fields there are
void add_reading(const data::SourceSpec&, Reading, std::vector<Assumption>&);
// Adds that some row counts, where a release without one is refused: that it exists says so.
void add_not_empty(std::vector<Assumption>&);

// Where caps came from a look: adds which one, and takes them out of what was written without looking. A debited
// release is refused unless the ledger has the look (budget.cc); that the job still says what it proposed is declared.
void add_look(const std::string& debit, std::vector<Assumption>&);

}  // namespace chronoveil::engine
