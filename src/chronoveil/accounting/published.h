// The papers' own formulas, for comparison: `--analysis published`. Nothing here is certified.
#pragma once

#include "chronoveil/accounting/accountant.h"

namespace chronoveil::accounting {

Result<Price> published_epsilon_at(const Event&, double delta);
Result<Price> published_delta_at(const Event&, double epsilon);

}  // namespace chronoveil::accounting
