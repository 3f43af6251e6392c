// How the cap on a person's slots and the length of a slot trade off, before anybody has decided: from public facts.
#pragma once

#include "chronoveil/engine/series/series.h"
#include "chronoveil/plan/comparison.h"

namespace chronoveil::engine {

// How far off one cell would be on average: with a sample as a reader gets it, after all smoothing; else by the noise
// alone. The sample has the slots of `horizon`.
Result<double> error_of_cell(const Job&, const Horizon&, plan::Audience, const std::optional<plan::PublicSample>&);

// The public sample of the job in its own slots, small enough to be tried many times; empty: it names none.
Result<std::optional<plan::PublicSample>> small_sample(const Job&);

// The same in slots that are longer; empty where hardly any would be left.
std::optional<plan::PublicSample> in_slots_of(const std::optional<plan::PublicSample>&, const Horizon& own,
                                              const Horizon& longer);
}  // namespace chronoveil::engine
