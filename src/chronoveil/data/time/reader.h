// Text to instants, in the formats a job may name.
//   iso8601   2026-03-01, 2026-03-01T12:30, 2026-03-01 12:30:15.25, each time of day with Z, +01:00, +0100, +01 or none
//   epoch     seconds since 1970-01-01T00:00Z
//   epoch_ms  milliseconds since then
//   epoch_min minutes since then; all three may have a fraction
//   %...      a pattern as of strftime, see pattern.h
// Fractions are cut to milliseconds, towards the past. A text without an offset is local time in the zone: a time that
// the clocks skipped is refused, one that they showed twice means the earlier instant. Accepted are the years
// kFirstYear to kLastYear; a leap second (:60) is refused, since no zone table lists it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "chronoveil/base/result.h"
#include "chronoveil/data/time/pattern.h"
#include "chronoveil/data/time/zone.h"

namespace chronoveil::data {

enum class TimeProblem { none, form, range, leap_second, skipped };

class TimeReader {
 public:
  // An unknown format is a usage error that names `time_format`.
  static Result<TimeReader> make(const std::string& format, std::shared_ptr<const Zone> zone);

  TimeProblem read(std::string_view text, std::int64_t& instant);
  // What the clocks of the zone showed, in milliseconds since they showed 1970-01-01T00:00; of the accepted years.
  TimeProblem read_local(std::int64_t local, std::int64_t& instant);

  // Whether the local time that was read last came twice that night. Only for formats without an offset.
  bool ambiguous() const { return ambiguous_; }

  // What was wrong, in words that do not quote the text; its shape lets them name a format that may read it.
  std::string explain(TimeProblem, std::string_view text) const;

 private:
  enum class Kind { iso8601, epoch, epoch_ms, epoch_min, pattern };
  TimeReader(Kind kind, std::string format, std::shared_ptr<const Zone> zone)
      : kind_(kind), format_(std::move(format)), zone_(std::move(zone)) {}
  std::string others(std::string_view text, std::string_view lead) const;
  std::string explain_form(std::string_view text) const;
  TimeProblem read_trimmed(std::string_view text, std::int64_t& instant);
  TimeProblem read_iso8601(std::string_view text, std::int64_t& instant);
  TimeProblem read_pattern(std::string_view text, std::int64_t& instant);

  Kind kind_;
  std::string format_;
  std::shared_ptr<const Zone> zone_;
  std::optional<TimePattern> pattern_;
  std::size_t guess_ = 0;  // the stretch of the zone that the last time lay in
  bool ambiguous_ = false;
};

}  // namespace chronoveil::data
