// The slots from now on, as far ahead as anybody asks: of a span and, where it goes on, of the spans after it. Memory
// grows with the slots between the first that is not over and the last that was asked for.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "chronoveil/data/time/slot_cursor.h"

namespace chronoveil::data {

class SlotsAhead {
 public:
  // Errors are those of make_axis.
  static Result<SlotsAhead> make(const SlotSpec&, bool goes_on);

  // Where the slot that holds the instant begins; empty if it is over, lies after a span that does not go on, or after
  // the end of the calendar.
  std::optional<std::int64_t> slot_of(std::int64_t instant);
  // Slots that begin before the instant are over.
  void forget_before(std::int64_t instant);

 private:
  SlotsAhead(const SlotSpec& spec, bool goes_on, SlotCursor cursor)
      : spec_(spec), goes_on_(goes_on), cursor_(std::move(cursor)), end_(cursor_.begin()) {}
  bool look_further();

  SlotSpec spec_;
  bool goes_on_;
  SlotCursor cursor_;
  std::deque<std::int64_t> begins_;
  std::int64_t end_;  // of the last of them
};

}  // namespace chronoveil::data
