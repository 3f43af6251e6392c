// What the owner of a series may see of its release, and nobody else.
#pragma once

#include <string>
#include <vector>

#include "chronoveil/report/perturbed/perturbed.h"

namespace chronoveil::engine {

// The perturbed columns before and after, as texts, in the order of the rows.
struct BeforeAfter {
  std::string name;
  std::vector<std::string> before, after;
};

// Moving averages over `range` steps where every value is a number (empty slots count as the value before them), and
// counts of each value where there are few different ones.
report::PerturbedInternal::Column compared(const BeforeAfter&, std::int64_t range);

}  // namespace chronoveil::engine
