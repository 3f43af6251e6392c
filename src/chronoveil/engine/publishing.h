// The last steps of a release: what it says beside its values, and its files.
#pragma once

#include <vector>

#include "chronoveil/base/atomic_file.h"
#include "chronoveil/engine/engine.h"

namespace chronoveil::engine {

// Everything but the debit and the budget. A release with a mark promises nothing: its guarantee says so.
report::Published published_of(const Job&, Planned, Estimate, std::string mark);

// A job that writes nothing, or where it cannot: found before anything is spent.
Result<void> check_outputs(const Job&);
Result<void> write_outputs(const Job&, const report::Published&);

// What the guarantee does not cover, in sentences.
std::vector<std::string> not_protected(const Guarantee&, const mechanisms::PublicShape&);

}  // namespace chronoveil::engine
