// Rows of people that wait for the clock to close their step, in whatever order they came. Only what can still count is
// kept: memory grows with the people of the steps that are open and with the caps, not with the rows.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "chronoveil/data/time/slots_ahead.h"
#include "chronoveil/engine/live/steps.h"

namespace chronoveil::engine {

class WaitingRows {
 public:
  explicit WaitingRows(data::SlotsAhead slots) : slots_(std::move(slots)) {}

  // False if there is no slot for that time. The step says what counts of a row; it need not be the row's own.
  bool add(std::int64_t time, std::string_view person, std::int64_t series, std::int64_t amount, const OpenStep&);
  // Gives the step what waits for the slot that begins at that instant, and forgets all slots up to it.
  void hand_over(std::int64_t begin, OpenStep&);

 private:
  struct Slot {
    std::unique_ptr<bound::SlotPeople> people;    // null where rows name nobody
    std::map<std::int64_t, std::int64_t> counts;  // per series, of rows that name nobody
  };
  data::SlotsAhead slots_;
  std::map<std::int64_t, Slot> waiting_;  // by where the slot begins
};

}  // namespace chronoveil::engine
