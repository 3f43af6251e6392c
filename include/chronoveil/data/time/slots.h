// Slots from a job's [slots]: half-open, aligned to the zone's own midnight, correct across daylight-saving changes.
//   A length that divides a day (1h, 15min)  a slot begins wherever the local clock enters a new multiple of the length
//     since midnight. When clocks change, skipped slots do not exist, slots that come twice in full exist twice (a
//     night of 23 or 25 hours has one hour-slot fewer or more), and a slot that the change cuts is shorter or longer
//     (the 2 hours from 02:00 last 3 when the clock goes back from 03:00 to 02:00)
//   Whole days and weeks (1d, 7d, 1w)  from the first instant of a local date to that of another, counted from the
//     start; a date that the zone skipped is no slot
//   Months (1mo, 3mo, 12mo)  from the first instant of a month to that of another, counted from the start
//   Refused  lengths that neither divide a day nor are whole days or months; a start or an end that begins no slot, or
//     does not exist or is ambiguous in the zone (with an offset it is not); a span of 0; more than kMostSlots slots
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "chronoveil/base/result.h"
#include "chronoveil/base/slot_axis.h"

namespace chronoveil::data {

inline constexpr std::int64_t kMostSlots = 10'000'000;

struct SlotSpec {
  std::string start;   // local time in the zone, or with an offset: "2026-03-01T00:00"
  std::string end;     // the first instant that is outside
  std::string length;  // "15min", "1h", "1d", "1w", "1mo", "30s"
  std::string zone = "UTC";
};

// Errors are usage errors that name start, end, length or zone.
Result<SlotAxis> make_axis(const SlotSpec&);

// Finds the slot of an instant: in constant time when all slots are equally long, else by a corrected guess.
class SlotFinder {
 public:
  // The axis must outlive it.
  explicit SlotFinder(const SlotAxis&);

  // The slot that holds the instant, or -1 outside the span.
  std::int64_t operator()(std::int64_t milliseconds) const {
    if (milliseconds < start_ || milliseconds >= end_) return -1;
    const std::int64_t since = milliseconds - start_;
    auto slot = static_cast<std::int64_t>(static_cast<double>(since) * slots_per_millisecond_);
    if (length_ == 0) return search(milliseconds, slot);
    // The product may be off by one slot at a boundary.
    const std::int64_t inside = since - slot * length_;
    if (inside < 0) --slot;
    if (inside >= length_) ++slot;
    return slot;
  }

 private:
  std::int64_t search(std::int64_t milliseconds, std::int64_t guess) const;

  const SlotAxis* axis_;
  std::int64_t start_ = 0, end_ = 0;
  std::int64_t length_ = 0;  // of every slot; 0: they differ
  double slots_per_millisecond_ = 0;
};

}  // namespace chronoveil::data
