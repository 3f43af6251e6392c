// Refuses caps that bound nothing.
#pragma once

#include "chronoveil/bound/bounded_series.h"

namespace chronoveil::bound {

// max_steps at least 1 (unit user), max_per_slot and maximum from 1 to 2^53: counts and amounts are then exact as
// doubles.
Result<void> check_caps(const Caps&);

}  // namespace chronoveil::bound
