// Records bounded as a live release bounds them (slot_bounder.h), once all rows are there: slot after slot in time, and
// in each slot in the order of the rows, a person's first pairs stay. For its evaluation, which is internal. What is
// above the maximum counts as above the caps.
#pragma once

#include <string>
#include <vector>

#include "chronoveil/bound/bounded_series.h"

namespace chronoveil::bound {

Result<BoundedSeries> bound_in_turn(data::RecordSource&, const SlotAxis&, const std::vector<std::string>& keys,
                                    const Caps&);

}  // namespace chronoveil::bound
