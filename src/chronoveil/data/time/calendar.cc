#include "chronoveil/data/time/calendar.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "chronoveil/data/time/civil.h"
#include "chronoveil/data/time/zone.h"

namespace chronoveil::data {
namespace {

// The number of the day, week or month that holds a local date.
std::int64_t number_of(CalendarUnit unit, std::int64_t day) {
  switch (unit) {
    case CalendarUnit::day: return day;
    case CalendarUnit::week: return floor_divide(day + 3, 7);  // 1970-01-01 was a Thursday
    case CalendarUnit::month: break;
  }
  const Date date = civil_from_days(day);
  return std::int64_t{12} * date.year + date.month;
}

}  // namespace

Result<Stretches> whole_stretches(const SlotAxis& axis, CalendarUnit unit) {
  CV_TRY(const std::shared_ptr<const Zone> zone, Zone::find(axis.zone));
  const auto number_at = [&](std::int64_t instant) {
    return number_of(unit, floor_divide(instant + zone->offset_at(instant), kDay));
  };
  Stretches all;
  std::optional<std::int64_t> open;  // where the last one began
  std::int64_t latest = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < axis.boundaries.size(); ++i) {
    const std::int64_t before = number_at(axis.boundaries[i] - 1), now = number_at(axis.boundaries[i]);
    if (i > 0 && before > latest) return Stretches();  // one began inside the last slot
    latest = std::max(latest, before);
    if (now > latest) {
      if (open) all.emplace_back(*open, static_cast<std::int64_t>(i));
      open = static_cast<std::int64_t>(i);
      latest = now;
    }
  }
  const auto is_slot = [](const auto& one) { return one.second == one.first + 1; };
  if (std::all_of(all.begin(), all.end(), is_slot)) return Stretches();
  return all;
}

}  // namespace chronoveil::data
