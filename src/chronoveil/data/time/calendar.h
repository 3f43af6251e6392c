// Which slots make whole days, weeks and months by the clock of the zone.
//   A slot begins a day at the first instant of a local date, a week on a Monday, a month on the first of one; a date
//   that the zone skipped begins nothing, and of a date that clocks begin twice the first instant counts
//   Edges   stretches that the span cuts at its ends are left out; none at all where one begins inside a slot, as days
//           do in weeks, or where every one is a single slot
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/base/slot_axis.h"

namespace chronoveil::data {

enum class CalendarUnit { day, week, month };

// The first slot of each, and the first one after it, in order of time. An error: the axis has no zone that exists.
using Stretches = std::vector<std::pair<std::int64_t, std::int64_t>>;
Result<Stretches> whole_stretches(const SlotAxis&, CalendarUnit);

}  // namespace chronoveil::data
