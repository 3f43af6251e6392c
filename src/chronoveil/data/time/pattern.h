// A pattern as of strftime, compiled once: "%d/%m/%Y %H:%M".
//   %Y (4 digits) %y (00-68: 20xx, 69-99: 19xx) %m %d %e %j %H %I %p %M %S %f (a fraction of a second) %z (Z or +hh:mm)
//   %G (year of ISO weeks, 4 digits) %V (ISO week) %u (its day, 1 is Monday; Monday if absent) %q (quarter)
//   %b %B %h (English months) %a %A (English weekdays, not compared with the date) %s (epoch seconds) %%
//   %F = %Y-%m-%d  %T = %H:%M:%S  %R = %H:%M  %D = %m/%d/%y  %n %t and blanks: any run of blanks
// Numbers other than %Y and %G may lack their leading zero. A pattern must fix the date (year and month and day, year
// and %j, %G and %V, or %s) and name nothing twice. Without a time of day, year and month or year and %q are enough,
// and mean the first day.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::data {

struct PatternFields {
  int year = 1970, month = 1, day = 1, day_of_year = 0;  // day_of_year is 0 unless the pattern has it
  int week = 0, day_of_week = 1, quarter = 0;            // 0 unless the pattern has them
  int hour = 0, minute = 0, second = 0;
  int half = -1;  // of the day: 0 AM, 1 PM, -1 a clock of 24 hours
  std::int64_t millisecond = 0;
  bool has_offset = false;
  std::int64_t offset = 0;
  bool has_epoch = false;
  std::int64_t epoch = 0;  // milliseconds
  bool before_epoch = false;
};

class TimePattern {
 public:
  // A bad pattern is a usage error that names `time_format`.
  static Result<TimePattern> compile(const std::string& pattern);

  // Whether the text has the form of the pattern. Ranges are not checked.
  bool read(std::string_view text, PatternFields& fields) const;

 private:
  struct Step {
    char conversion;  // 0: the literal
    char literal;
  };
  std::vector<Step> steps_;
};

}  // namespace chronoveil::data
