#include "chronoveil/simulate/calendar.h"

#include <date/tz.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>

namespace chronoveil::simulate {
namespace {

constexpr std::string_view kDateValid = "a date between 1971-01-01 and 2100-12-31, such as 2026-03-01";

// YYYY-MM-DD and nothing else.
Result<date::local_days> parse_date(const std::string& text) {
  int parts[3] = {};
  constexpr int widths[3] = {4, 2, 2};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int i = 0; i < 3; ++i) {
    if (i > 0 && (at == end || *at++ != '-')) return invalid("start", text, kDateValid);
    if (end - at < widths[i]) return invalid("start", text, kDateValid);
    const auto parsed = std::from_chars(at, at + widths[i], parts[i]);
    if (parsed.ec != std::errc() || parsed.ptr != at + widths[i]) return invalid("start", text, kDateValid);
    at += widths[i];
  }
  const date::year_month_day day = date::year(parts[0]) / parts[1] / parts[2];
  if (at != end || !day.ok() || parts[0] < 1971 || parts[0] > 2100) return invalid("start", text, kDateValid);
  return date::local_days(day);
}

char* two_digits(std::int32_t value, char* out) {
  *out++ = static_cast<char>('0' + value / 10);
  *out++ = static_cast<char>('0' + value % 10);
  return out;
}

std::string date_text(const date::year_month_day& day) {
  std::string text(10, '-');
  two_digits(static_cast<int>(day.year()) / 100, &text[0]);
  two_digits(static_cast<int>(day.year()) % 100, &text[2]);
  two_digits(static_cast<std::int32_t>(static_cast<unsigned>(day.month())), &text[5]);
  two_digits(static_cast<std::int32_t>(static_cast<unsigned>(day.day())), &text[8]);
  return text;
}

std::int64_t seconds(date::sys_seconds instant) { return instant.time_since_epoch().count(); }

Day make_day(const date::time_zone& zone, date::local_days local) {
  const date::sys_seconds begin = zone.to_sys(date::local_seconds(local), date::choose::earliest);
  const date::sys_seconds next = zone.to_sys(date::local_seconds(local + date::days(1)), date::choose::earliest);
  const date::sys_info info = zone.get_info(begin);
  const date::year_month_day ymd(local);
  Day day;
  day.begin = seconds(begin);
  day.length = static_cast<std::int32_t>(seconds(next) - day.begin);
  day.offset = static_cast<std::int32_t>(info.offset.count());
  const std::int64_t local_midnight = date::local_seconds(local).time_since_epoch().count();
  day.first_wall = static_cast<std::int32_t>(day.begin + day.offset - local_midnight);
  day.change_at = day.length;
  if (info.end < next) {
    day.change_at = static_cast<std::int32_t>(seconds(info.end) - day.begin);
    day.change = static_cast<std::int32_t>((zone.get_info(info.end).offset - info.offset).count());
  }
  day.weekday = static_cast<int>(date::weekday(local).iso_encoding()) - 1;
  day.month = static_cast<int>(static_cast<unsigned>(ymd.month()));
  day.date = date_text(ymd);
  return day;
}

std::int32_t wall_at(const Day& day, std::int32_t elapsed) {
  return day.first_wall + elapsed + (elapsed >= day.change_at ? day.change : 0);
}

// Where slots begin within a day, in elapsed seconds.
std::vector<std::int32_t> starts_within(const Day& day, std::int32_t slot_seconds) {
  std::vector<std::int32_t> starts{0};
  const auto add = [&](std::int32_t from, std::int32_t to) {
    const std::int32_t over = wall_at(day, from) % slot_seconds;
    for (std::int32_t at = over == 0 ? from : from + slot_seconds - over; at < to; at += slot_seconds)
      if (at > 0) starts.push_back(at);
  };
  add(0, day.change_at);
  if (day.change_at < day.length) add(day.change_at, day.length);
  return starts;
}

}  // namespace

Result<Calendar> Calendar::make(const std::string& zone, const std::string& start, std::int64_t days,
                                std::int32_t slot_seconds) {
  if (days < 1 || days > 36600) return invalid("days", std::to_string(days), "between 1 and 36600");
  CV_TRY(const date::local_days first, parse_date(start));
  Calendar calendar;
  try {
    const date::time_zone& rules = *date::locate_zone(zone);
    for (std::int64_t i = 0; i < days; ++i)
      calendar.days_.push_back(make_day(rules, first + date::days(static_cast<int>(i))));
    const Day after = make_day(rules, first + date::days(static_cast<int>(days)));
    calendar.end_ = after.date;
    calendar.axis_.zone = zone;
    const std::int64_t days_a_slot = std::max<std::int64_t>(1, slot_seconds / kDay);
    for (std::int64_t i = 0; i < days; ++i) {
      Day& day = calendar.days_[static_cast<std::size_t>(i)];
      day.first_slot = static_cast<std::int64_t>(calendar.slots_.size());
      if (i % days_a_slot != 0) {
        --day.first_slot;  // the slot that is still open
        continue;
      }
      for (const std::int32_t at : starts_within(day, std::min(slot_seconds, kDay))) {
        calendar.slots_.push_back({i, at, wall_at(day, at)});
        calendar.axis_.boundaries.push_back((day.begin + at) * 1000);
        std::string label(kStampSize, ' ');
        stamp(day, at, label.data());
        calendar.axis_.labels.push_back(std::move(label));
      }
    }
    calendar.axis_.boundaries.push_back(after.begin * 1000);
  } catch (const std::exception&) {  // the zone library reports by exceptions only
    return invalid("zone", zone, "a name of the time-zone database, such as Europe/Berlin");
  }
  return calendar;
}

std::int32_t Calendar::elapsed(const Day& day, std::int32_t wall, bool second) {
  const std::int32_t without = wall >= day.first_wall ? wall - day.first_wall : wall;
  if (without < std::min(day.change_at, day.change_at + day.change)) return without;
  const std::int32_t with = without - day.change;
  if (day.change > 0) return without < day.change_at + day.change ? without : with;
  if (without < day.change_at) return second ? with : without;
  return std::min(with, day.length - 1);
}

std::int64_t Calendar::slot(const Day& day, std::int32_t elapsed) const {
  const auto begin = axis_.boundaries.begin() + day.first_slot;
  const std::int64_t instant = (day.begin + elapsed) * 1000;
  // A day holds at most as many slots as a day of 25 hours has half-hours; the next boundary ends the search early.
  const auto end = axis_.boundaries.begin() + std::min<std::int64_t>(day.first_slot + 128, axis_.steps() + 1);
  return (std::upper_bound(begin, end, instant) - axis_.boundaries.begin()) - 1;
}

char* Calendar::stamp(const Day& day, std::int32_t elapsed, char* out) {
  const std::int32_t wall = wall_at(day, elapsed);
  const std::int32_t offset = day.offset + (elapsed >= day.change_at ? day.change : 0);
  out = std::copy(day.date.begin(), day.date.end(), out);
  *out++ = 'T';
  out = two_digits(wall / kHour, out);
  *out++ = ':';
  out = two_digits(wall / 60 % 60, out);
  *out++ = ':';
  out = two_digits(wall % 60, out);
  *out++ = offset < 0 ? '-' : '+';
  out = two_digits(std::abs(offset) / kHour, out);
  *out++ = ':';
  return two_digits(std::abs(offset) / 60 % 60, out);
}

}  // namespace chronoveil::simulate
