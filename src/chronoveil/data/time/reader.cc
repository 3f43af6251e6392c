#include "chronoveil/data/time/reader.h"

#include <cstring>

#include "chronoveil/data/time/civil.h"
#include "chronoveil/data/time/fields.h"
#include "chronoveil/data/time/usual_formats.h"

namespace chronoveil::data {
namespace {

// Digits at fixed places, many at a time. Characters that are no digit leave a bit behind in `bad`.
struct Digits {
  const char* text;
  unsigned bad = 0;

  int one(int place) {
    const unsigned value = static_cast<unsigned char>(text[place]) - unsigned{'0'};
    bad |= static_cast<unsigned>(value > 9);
    return static_cast<int>(value);
  }
  int two(int place) { return one(place) * 10 + one(place + 1); }
  void expect(int place, char wanted) { bad |= static_cast<unsigned>(text[place] != wanted); }
};

bool accepted(std::int64_t instant) { return instant >= kFirstInstant && instant < kLastInstant; }

TimeProblem check_date(int year, int month, int day) {
  if (year < kFirstYear || year > kLastYear || month < 1 || month > 12) return TimeProblem::range;
  if (day < 1 || (day > 28 && day > days_in_month(year, month))) return TimeProblem::range;
  return TimeProblem::none;
}

TimeProblem check_time_of_day(int hour, int minute, int second) {
  if (second == 60) return TimeProblem::leap_second;
  return hour > 23 || minute > 59 || second > 59 ? TimeProblem::range : TimeProblem::none;
}

// The Monday of the first ISO week of a year, the week that holds 4 January.
std::int64_t first_week(int year) {
  const std::int64_t fourth = days_from_civil(year, 1, 4);
  return fourth - (weekday_from_days(fourth) + 6) % 7;
}

// The day that a pattern gives by week, quarter or number, or by month and day.
TimeProblem day_of(const PatternFields& fields, std::int64_t& day) {
  int month = fields.month;
  if (fields.quarter != 0) {
    if (fields.quarter < 1 || fields.quarter > 4) return TimeProblem::range;
    month = 3 * fields.quarter - 2;
  }
  if (const TimeProblem problem = check_date(fields.year, month, fields.day); problem != TimeProblem::none) {
    return problem;
  }
  day = days_from_civil(fields.year, month, fields.day);
  if (fields.day_of_year != 0) {
    if (fields.day_of_year < 1 || fields.day_of_year > (is_leap(fields.year) ? 366 : 365)) return TimeProblem::range;
    day += fields.day_of_year - 1;
  }
  if (fields.week != 0) {
    if (fields.week < 1 || fields.day_of_week < 1 || fields.day_of_week > 7) return TimeProblem::range;
    const std::int64_t monday = first_week(fields.year) + 7 * (fields.week - 1);
    if (monday >= first_week(fields.year + 1)) return TimeProblem::range;
    day = monday + fields.day_of_week - 1;
    if (day * kDay >= kLastInstant) return TimeProblem::range;
  }
  return TimeProblem::none;
}

// A decimal number of `unit` milliseconds, towards the past.
TimeProblem read_epoch(std::string_view text, std::int64_t unit, std::int64_t& instant) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  std::int64_t whole = 0;
  int digits = 0;
  for (; !text.empty() && is_digit(text.front()); ++digits) {
    if (digits == 17) return TimeProblem::range;
    whole = whole * 10 + (text.front() - '0');
    text.remove_prefix(1);
  }
  if (digits == 0) return TimeProblem::form;
  std::int64_t fraction = 0;
  bool below_milliseconds = false;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    std::int64_t left = 0, scale = 1;  // the digits after the point are left / scale
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
      if (scale < 1'000'000'000) {
        left = left * 10 + (text.front() - '0');
        scale *= 10;
      } else if (text.front() != '0') {
        below_milliseconds = true;
      }
    }
    fraction = left * unit / scale;
    below_milliseconds = below_milliseconds || left * unit % scale != 0;
  }
  if (!text.empty()) return TimeProblem::form;
  if (whole > kLastInstant / unit + kDay) return TimeProblem::range;
  instant = whole * unit + fraction;
  if (negative) instant = -instant - (below_milliseconds ? 1 : 0);
  return accepted(instant) ? TimeProblem::none : TimeProblem::range;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

Result<TimeReader> TimeReader::make(const std::string& format, std::shared_ptr<const Zone> zone) {
  Kind kind = Kind::pattern;
  if (format == "iso8601") kind = Kind::iso8601;
  if (format == "epoch") kind = Kind::epoch;
  if (format == "epoch_ms") kind = Kind::epoch_ms;
  if (format == "epoch_min") kind = Kind::epoch_min;
  TimeReader reader(kind, format, std::move(zone));
  if (kind == Kind::pattern) {
    if (format.find('%') == std::string::npos) {
      return invalid(
          "time_format", format,
          "it must be iso8601, epoch, epoch_ms, epoch_min or a pattern as of strftime such as %d/%m/%Y %H:%M");
    }
    CV_TRY(reader.pattern_, TimePattern::compile(format));
  }
  return reader;
}

TimeProblem TimeReader::read(std::string_view text, std::int64_t& instant) {
  const TimeProblem problem = read_trimmed(text, instant);
  if (problem != TimeProblem::form) [[likely]] {
    return problem;
  }
  const std::string_view inner = trimmed(text);
  return inner.size() == text.size() ? problem : read_trimmed(inner, instant);
}

TimeProblem TimeReader::read_trimmed(std::string_view text, std::int64_t& instant) {
  ambiguous_ = false;
  switch (kind_) {
    case Kind::iso8601: return read_iso8601(text, instant);
    case Kind::epoch: return read_epoch(text, kSecond, instant);
    case Kind::epoch_ms: return read_epoch(text, 1, instant);
    case Kind::epoch_min: return read_epoch(text, kMinute, instant);
    case Kind::pattern: break;
  }
  return read_pattern(text, instant);
}

TimeProblem TimeReader::read_local(std::int64_t local, std::int64_t& instant) {
  const LocalMeaning meaning = zone_->meaning_of(local, guess_);
  ambiguous_ = meaning.kind == LocalMeaning::ambiguous;
  if (meaning.kind == LocalMeaning::missing) return TimeProblem::skipped;
  instant = meaning.instant;
  return TimeProblem::none;
}

TimeProblem TimeReader::read_iso8601(std::string_view text, std::int64_t& instant) {
  if (text.size() < 10) return TimeProblem::form;
  Digits digits{text.data()};
  const int year = digits.two(0) * 100 + digits.two(2);
  const int month = digits.two(5);
  const int day = digits.two(8);
  digits.expect(4, '-');
  digits.expect(7, '-');
  if (digits.bad != 0) return TimeProblem::form;
  int hour = 0;
  int minute = 0;
  int second = 0;
  std::int64_t fraction = 0;
  std::string_view rest = text.substr(10);
  if (!rest.empty()) {
    if (rest.size() < 6 || ((rest[0] | 0x20) != 't' && rest[0] != ' ')) return TimeProblem::form;
    digits.text = rest.data();
    hour = digits.two(1);
    digits.expect(3, ':');
    minute = digits.two(4);
    if (digits.bad != 0) return TimeProblem::form;
    rest.remove_prefix(6);
    if (rest.size() >= 3 && rest[0] == ':') {
      digits.text = rest.data();
      second = digits.two(1);
      if (digits.bad != 0) return TimeProblem::form;
      rest.remove_prefix(3);
      if (rest.size() >= 2 && (rest[0] == '.' || rest[0] == ',') && is_digit(rest[1])) {
        rest.remove_prefix(1);
        bool ignored = false;
        fraction = take_fraction(rest, ignored);
      }
    }
  }
  if (const TimeProblem problem = check_date(year, month, day); problem != TimeProblem::none) return problem;
  if (const TimeProblem problem = check_time_of_day(hour, minute, second); problem != TimeProblem::none) return problem;
  const std::int64_t local =
      days_from_civil(year, month, day) * kDay + hour * kHour + minute * kMinute + second * kSecond + fraction;
  if (rest.empty()) return read_local(local, instant);
  std::int64_t offset = 0;
  if (rest.size() >= 2 && rest[0] == ' ') rest.remove_prefix(1);
  if (!take_offset(rest, offset) || !rest.empty()) return TimeProblem::form;
  instant = local - offset;
  return TimeProblem::none;
}

TimeProblem TimeReader::read_pattern(std::string_view text, std::int64_t& instant) {
  PatternFields fields;
  if (!pattern_->read(text, fields)) return TimeProblem::form;
  if (fields.has_epoch) {
    // The digits after the point count away from zero in a negative number.
    instant = fields.epoch + (fields.before_epoch ? -fields.millisecond : fields.millisecond);
    return accepted(instant) ? TimeProblem::none : TimeProblem::range;
  }
  if (fields.half >= 0) {
    if (fields.hour < 1 || fields.hour > 12) return TimeProblem::range;
    fields.hour = fields.hour % 12 + 12 * fields.half;
  }
  std::int64_t day = 0;
  if (const TimeProblem problem = day_of(fields, day); problem != TimeProblem::none) return problem;
  if (const TimeProblem problem = check_time_of_day(fields.hour, fields.minute, fields.second);
      problem != TimeProblem::none) {
    return problem;
  }
  const std::int64_t local =
      day * kDay + fields.hour * kHour + fields.minute * kMinute + fields.second * kSecond + fields.millisecond;
  if (!fields.has_offset) return read_local(local, instant);
  instant = local - fields.offset;
  return TimeProblem::none;
}

// Other formats that times of this shape are usually written in.
std::string TimeReader::others(std::string_view text, std::string_view lead) const {
  std::string usual;
  for (const std::string& format : usual_formats(trimmed(text)))
    if (format != format_) usual += (usual.empty() ? "" : " or ") + format;
  return usual.empty() ? "" : std::string(lead) + usual;
}

std::string TimeReader::explain_form(std::string_view text) const {
  const std::string usual = others(text, "; its shape is that of `source.time_format` ");
  switch (kind_) {
    case Kind::iso8601:
      return "not a time in ISO 8601, such as 2026-03-01T12:30:00+01:00" +
             (usual.empty() ? "; `source.time_format` names another form, such as %d.%m.%Y, epoch (seconds since 1970) "
                              "or epoch_min"
                            : usual);
    case Kind::epoch: return "not a number of seconds since 1970" + usual;
    case Kind::epoch_ms: return "not a number of milliseconds since 1970" + usual;
    case Kind::epoch_min: return "not a number of minutes since 1970" + usual;
    case Kind::pattern: break;
  }
  return "not a time of the form " + format_ + usual;
}

std::string TimeReader::explain(TimeProblem problem, std::string_view text) const {
  switch (problem) {
    case TimeProblem::none: break;
    case TimeProblem::form: return explain_form(text);
    case TimeProblem::range:
      return "not a date and time that exists in the years " + std::to_string(kFirstYear) + " to " +
             std::to_string(kLastYear) +
             (format_.find("%V") == std::string::npos ? "" : "; only some years of ISO 8601 have a week 53") +
             others(text, "; its shape is also that of `source.time_format` ");
    case TimeProblem::leap_second: return "a leap second (:60); write it as :59 or as the second that follows";
    case TimeProblem::skipped:
      return "a local time that the clocks of " + zone_->name() + " skipped; give times with their offset";
  }
  return {};
}

}  // namespace chronoveil::data
