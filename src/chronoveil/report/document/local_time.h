// The axis of a release in words and ticks. Labels carry local times, so a daylight-saving night needs no rule here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/slot_axis.h"

namespace chronoveil::report {

struct LocalTime {
  int year = 1970;
  unsigned month = 1, day = 1;
  int hour = 0, minute = 0, second = 0;
};

// "2026-03-01T06:00:00+01:00"; empty if the text is no such time.
std::optional<LocalTime> parse_label(std::string_view label);

std::string day_words(const LocalTime&);    // "1 Mar"
std::string clock_words(const LocalTime&);  // "06:00"; with seconds unless they are 0
std::string date_words(const LocalTime&);   // "Sun 1 Mar 2026"
std::string month_words(const LocalTime&);  // "March 2026"
std::string time_words(const LocalTime&);   // "Sun 1 Mar 2026, 06:00"; the time is left out at midnight

// Whether it is 00:00:00.
bool is_midnight(const LocalTime&);

// What one slot is called: {"hour", "hours"}, {"day", "days"}, {"week", "weeks"}, {"slot of 15 minutes", ...}, or
// "slot" where they differ. Days and weeks may be an hour short or long.
struct SlotWords {
  std::string one, many;
};
SlotWords slot_words(const SlotAxis&);

// "1 to 31 Mar 2026", "Sun 1 Mar 2026, 06:00 to 12:00": from the first slot to the end of the last.
std::string span_words(const SlotAxis&);

// A slot at the beginning of a sentence: "Week of 28 June 2026", "Sunday 28 June 2026", "4 days from 28 June 2026",
// "Sunday 28 June 2026, 06:00 to 07:00"; the label itself if it is no time.
std::string slot_phrase(const SlotAxis&, std::size_t slot);

struct Tick {
  double at = 0;  // 0 the start of the axis, 1 its end
  std::string text;
  bool major = true;  // kept where there is room for half of them only
};

// At most `most` ticks at round local times: hours, days, Mondays, months or years.
std::vector<Tick> time_ticks(const SlotAxis&, std::size_t most);

}  // namespace chronoveil::report
