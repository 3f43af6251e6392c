// What a release under a plan promises, in words for the people who publish it, and what happens to the promise when a
// declared cap is not kept.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "chronoveil/base/guarantee.h"
#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

// ε is the certified price (at most what was requested) at the plan's δ; a published analysis makes the certificate `as
// published`. `caps`: enforced on records, declared for counts. `disjoint`: the job declares that nobody is in more
// than one series.
// `empty`: what a slot without rows means. Live counts may be missing, and are then not asked.
enum class EmptySlot { counts_zero, is_missing };
Guarantee guarantee_of(const SeriesPlan&, Basis caps, bool disjoint, EmptySlot empty = EmptySlot::counts_zero);

// ε at the plan's δ if people are in 1, 2, 3 and 4 times I slots and the noise is unchanged: pairs (factor, ε),
// infinity if no finite ε can be stated. For unit user; the other units have no cap on slots to exceed.
std::vector<std::pair<std::int64_t, double>> epsilon_if_cap_exceeded(const SeriesPlan&);

}  // namespace chronoveil::mechanisms
