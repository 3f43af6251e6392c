// Slots from a job's [slots]: half-open, aligned to the zone's own midnight, correct across daylight-saving changes.
//   A length that divides a day (1h, 15min)  slots restart at each local midnight; a night with 23 or 25 hours has one
//                                            hour-slot fewer or more, and a slot that a change cuts is shorter or
//                                            longer
//   Whole days and weeks (1d, 7d, 1w)        from local midnight to local midnight
//   Refused                                  lengths that neither divide a day nor are whole days; a start or an end
//   that
//                                            is no slot boundary, does not exist or is ambiguous in the zone; a span of
//                                            0
#pragma once

#include <string>
#include <string_view>

#include "chronoveil/base/result.h"
#include "chronoveil/base/slot_axis.h"

namespace chronoveil::data {

struct SlotSpec {
  std::string start;   // local time in the zone, or with an offset: "2026-03-01T00:00"
  std::string end;     // the first instant that is outside
  std::string length;  // "15min", "1h", "1d", "1w", "30s"
  std::string zone = "UTC";
};

Result<SlotAxis> make_axis(const SlotSpec&);

// Finds the slot of an instant, in constant time for nearly every axis.
class SlotFinder {
 public:
  explicit SlotFinder(const SlotAxis&);
  // The slot that holds the instant, or -1 outside the span.
  std::int64_t operator()(std::int64_t milliseconds) const;

 private:
  const SlotAxis* axis_;
  std::int64_t start_, end_;
  double slots_per_millisecond_;
};

}  // namespace chronoveil::data
