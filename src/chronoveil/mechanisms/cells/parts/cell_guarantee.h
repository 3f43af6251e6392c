// What a release of means under a plan promises, in words for the people who publish it.
#pragma once

#include <string>
#include <vector>

#include "chronoveil/base/guarantee.h"
#include "chronoveil/mechanisms/cell_mechanism.h"

namespace chronoveil::mechanisms {

// ε is the certified price (at most what was requested) at the plan's δ; a published analysis makes the certificate
// `as published`. The relation is the mechanism's.
Guarantee guarantee_of(const CellsPlan&);

// What it does not cover, in sentences; the first says whether where and when a person was is protected.
std::vector<std::string> not_protected(const CellsPlan&);

}  // namespace chronoveil::mechanisms
