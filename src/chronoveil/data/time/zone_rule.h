// The rule after the last listed change of a time zone, as the last line of its file in the time-zone database has it
// (POSIX TZ, as extended by RFC 8536): "CET-1CEST,M3.5.0,M10.5.0/3". Without it, clocks would stand still from 2037 on.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace chronoveil::data {

struct OffsetChange {
  std::int64_t instant;  // milliseconds since 1970-01-01T00:00Z
  std::int64_t offset;   // east of Greenwich, in milliseconds, from that instant on
};

class ZoneRule {
 public:
  // Empty if the text is no such rule.
  static std::optional<ZoneRule> parse(std::string_view text);

  bool has_daylight_saving() const { return daylight_.has_value(); }
  std::int64_t standard_offset() const { return standard_; }
  // The two changes of that year in the order of time; none without daylight saving.
  std::vector<OffsetChange> changes(int year) const;

 private:
  enum class DayKind { month_week_day, julian_without_leap_day, day_of_year };
  struct Change {
    DayKind kind;
    int month, week, day;  // the other two kinds use `day` only
    std::int64_t time;     // of the wall clock, may be negative or beyond 24 hours
  };
  struct Daylight {
    std::int64_t offset;
    Change begin, end;
  };
  struct Reader;
  static std::int64_t local_time(const Change&, int year);

  std::int64_t standard_ = 0;
  std::optional<Daylight> daylight_;
};

}  // namespace chronoveil::data
