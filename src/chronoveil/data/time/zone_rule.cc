#include "chronoveil/data/time/zone_rule.h"

#include <utility>

#include "chronoveil/data/time/civil.h"

namespace chronoveil::data {

struct ZoneRule::Reader {
  std::string_view left;

  bool take(char wanted) {
    if (left.empty() || left.front() != wanted) return false;
    left.remove_prefix(1);
    return true;
  }

  // "CET" or "<+1030>"
  bool name() {
    std::size_t length = 0;
    if (take('<')) {
      length = left.find('>');
      if (length == std::string_view::npos || length < 3) return false;
      left.remove_prefix(length + 1);
      return true;
    }
    while (length < left.size() && ((left[length] | 0x20) >= 'a' && (left[length] | 0x20) <= 'z')) ++length;
    left.remove_prefix(length);
    return length >= 3;
  }

  std::optional<int> number() {
    if (left.empty() || left.front() < '0' || left.front() > '9') return std::nullopt;
    int value = 0;
    for (int digits = 0; digits < 3 && !left.empty() && left.front() >= '0' && left.front() <= '9'; ++digits) {
      value = value * 10 + (left.front() - '0');
      left.remove_prefix(1);
    }
    return value;
  }

  // [+-]hh[:mm[:ss]]
  std::optional<std::int64_t> time() {
    const bool negative = take('-');
    if (!negative) take('+');
    std::int64_t result = 0;
    for (const std::int64_t unit : {kHour, kMinute, kSecond}) {
      const std::optional<int> part = number();
      if (!part) return std::nullopt;
      result += *part * unit;
      if (!take(':')) break;
    }
    return negative ? -result : result;
  }

  std::optional<Change> change() {
    Change result{DayKind::day_of_year, 0, 0, 0, 2 * kHour};
    if (take('M')) {
      result.kind = DayKind::month_week_day;
      const std::optional<int> month = number();
      if (!month || *month < 1 || *month > 12 || !take('.')) return std::nullopt;
      const std::optional<int> week = number();
      if (!week || *week < 1 || *week > 5 || !take('.')) return std::nullopt;
      result.month = *month;
      result.week = *week;
    } else if (take('J')) {
      result.kind = DayKind::julian_without_leap_day;
    }
    const std::optional<int> day = number();
    if (!day || *day > (result.kind == DayKind::month_week_day ? 6 : 365)) return std::nullopt;
    result.day = *day;
    if (take('/')) {
      const std::optional<std::int64_t> at = time();
      if (!at) return std::nullopt;
      result.time = *at;
    }
    return result;
  }
};

std::optional<ZoneRule> ZoneRule::parse(std::string_view text) {
  Reader reader{text};
  ZoneRule rule;
  if (!reader.name()) return std::nullopt;
  const std::optional<std::int64_t> west = reader.time();
  if (!west) return std::nullopt;
  rule.standard_ = -*west;
  if (reader.left.empty()) return rule;
  if (!reader.name()) return std::nullopt;
  std::int64_t offset = rule.standard_ + kHour;
  if (!reader.left.empty() && reader.left.front() != ',') {
    const std::optional<std::int64_t> daylight_west = reader.time();
    if (!daylight_west) return std::nullopt;
    offset = -*daylight_west;
  }
  if (!reader.take(',')) return std::nullopt;
  const std::optional<Change> begin = reader.change();
  if (!begin || !reader.take(',')) return std::nullopt;
  const std::optional<Change> end = reader.change();
  if (!end || !reader.left.empty()) return std::nullopt;
  rule.daylight_ = Daylight{offset, *begin, *end};
  return rule;
}

std::int64_t ZoneRule::local_time(const Change& change, int year) {
  std::int64_t day = days_from_civil(year, 1, 1);
  switch (change.kind) {
    case DayKind::day_of_year: day += change.day; break;
    case DayKind::julian_without_leap_day: day += change.day - 1 + (is_leap(year) && change.day >= 60 ? 1 : 0); break;
    case DayKind::month_week_day: {
      const std::int64_t first = days_from_civil(year, change.month, 1);
      int day_of_month = (change.day - weekday_from_days(first) + 7) % 7 + 7 * (change.week - 1);
      while (day_of_month >= days_in_month(year, change.month)) day_of_month -= 7;  // week 5 is the last one
      day = first + day_of_month;
      break;
    }
  }
  return day * kDay + change.time;
}

std::vector<OffsetChange> ZoneRule::changes(int year) const {
  if (!daylight_) return {};
  const OffsetChange begin{local_time(daylight_->begin, year) - standard_, daylight_->offset};
  const OffsetChange end{local_time(daylight_->end, year) - daylight_->offset, standard_};
  if (begin.instant < end.instant) return {begin, end};
  return {end, begin};
}

}  // namespace chronoveil::data
