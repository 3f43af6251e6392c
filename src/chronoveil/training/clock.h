// The clock of a model: the slots it was trained on, and those that follow.
#pragma once

#include <cstdint>
#include <string>

#include "chronoveil/base/slot_axis.h"
#include "chronoveil/data/time/slots.h"

namespace chronoveil::training {

// The slots from clock.start on, at least `after` of them after the one that holds the instant `until` (milliseconds).
Result<SlotAxis> axis_beyond(const data::SlotSpec& clock, std::int64_t until, std::int64_t after);

}  // namespace chronoveil::training
