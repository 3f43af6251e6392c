// Local days of a zone and the slots that they hold, for synthetic data. It shares nothing with the readers of `data`,
// so that a truth counted here checks what is counted there.
//   Wall time     seconds since local midnight as the clocks show it: 07:30 is 27000 on every day of the year
//   Elapsed time  seconds that have passed since the local day began; differs from wall time after a clock change
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/base/slot_axis.h"

namespace chronoveil::simulate {

inline constexpr std::int32_t kHour = 3600;
inline constexpr std::int32_t kDay = 86400;

struct Day {
  std::int64_t begin = 0;       // the first instant of the local day, in seconds since 1970-01-01T00:00Z
  std::int32_t length = 0;      // seconds: 86400, or 82800 and 90000 when clocks change by an hour
  std::int32_t offset = 0;      // of the zone, seconds east of UTC, when the day begins
  std::int32_t first_wall = 0;  // what clocks show then; 0 unless a change skips midnight
  std::int32_t change_at = 0;   // elapsed seconds at the change of clocks; `length` when there is none
  std::int32_t change = 0;      // seconds by which clocks are put forward
  int weekday = 0;              // 0 is Monday
  int month = 0;                // 1 to 12
  std::string date;             // 2026-03-01
  std::int64_t first_slot = 0;  // of the calendar's slots
};

struct Slot {
  std::int64_t day = 0;
  std::int32_t elapsed = 0;  // when it begins
  std::int32_t wall = 0;
};

class Calendar {
 public:
  // `days` local days from `start` (2026-03-01). Slots of `slot_seconds`, a divisor of a day, begin with the day and
  // whenever the clocks show a multiple of it; slots of several days begin every that many days.
  static Result<Calendar> make(const std::string& zone, const std::string& start, std::int64_t days,
                               std::int32_t slot_seconds);

  const std::vector<Day>& days() const { return days_; }
  const std::vector<Slot>& slots() const { return slots_; }
  const SlotAxis& axis() const { return axis_; }
  const std::string& end() const { return end_; }  // the date of the first day outside

  // Elapsed seconds at a wall time. A skipped time moves on by the change; `second` chooses between two.
  static std::int32_t elapsed(const Day&, std::int32_t wall, bool second);
  // The slot of an elapsed time within a day.
  std::int64_t slot(const Day&, std::int32_t elapsed) const;

  // Writes "2026-03-01T07:30:00+01:00" and returns its end; kStampSize characters.
  static constexpr std::size_t kStampSize = 25;
  static char* stamp(const Day&, std::int32_t elapsed, char* out);

 private:
  Calendar() = default;
  std::vector<Day> days_;
  std::vector<Slot> slots_;
  SlotAxis axis_;
  std::string end_;
};

}  // namespace chronoveil::simulate
