// What a release of counts says beside its values, and its files.
#pragma once

#include <string>
#include <vector>

#include "chronoveil/engine/series/series.h"

namespace chronoveil::engine {

// What the guarantee does not cover, in sentences.
std::vector<std::string> not_protected(const Guarantee&, const mechanisms::PublicShape&);

// Everything but the debit and the budget. A release with a mark promises nothing: its guarantee says so.
report::Published published_of(const Job&, Planned, Estimate, std::string mark);

// `document`: the release JSON.
Result<void> write_series(const Job&, const report::Published&, const std::string& document);

}  // namespace chronoveil::engine
