// Times in CSV files about slots, such as releases. A file has one form, which any tool reads by one call a column.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chronoveil/base/slot_axis.h"

namespace chronoveil {

enum class TimeForm {
  date,   // "2026-06-28": slots of whole days
  local,  // "2026-03-01T06:00:00+01:00": by the clocks of the zone, which has one offset throughout
  utc,    // "2026-03-29T01:00:00+00:00": the clocks of the zone change in between
};

// Whether slots are whole days, such as a day or a week, rather than parts of one; false for an axis without slots.
bool has_whole_days(const SlotAxis&);

// Of an axis without slots: local.
TimeForm time_form_of(const SlotAxis&);

// The start of a slot: its label on the axis, and its instant in milliseconds since 1970-01-01T00:00Z.
std::string csv_time(TimeForm, const std::string& label, std::int64_t instant);

// All of them, in the form of the axis.
std::vector<std::string> csv_times(const SlotAxis&);

}  // namespace chronoveil
