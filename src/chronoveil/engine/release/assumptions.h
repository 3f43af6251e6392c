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
// release compares them with what the look proposed (look/caps_from.h).
void add_look(const std::string& debit, std::vector<Assumption>&);
// That they were chosen with this look, declared; `but`: why it cannot be said that they are its own.
Assumption caps_of(const std::string& look, const std::string& but = "");

}  // namespace chronoveil::engine
