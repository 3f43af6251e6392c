#include "chronoveil/report/document/local_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "chronoveil/base/csv_time.h"

namespace chronoveil::report {
namespace {

constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array kWeekdays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array kFullMonths = {"January", "February", "March",     "April",   "May",      "June",
                                    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array kFullWeekdays = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::int64_t kMinute = 60'000, kHour = 60 * kMinute, kDay = 24 * kHour;

template <class Number>
bool read(std::string_view text, std::size_t from, std::size_t size, Number& value) {
  if (text.size() < from + size) return false;
  const char* end = text.data() + from + size;
  const auto [stop, error] = std::from_chars(text.data() + from, end, value);
  return error == std::errc() && stop == end;
}

std::chrono::sys_days day_of(const LocalTime& time) {
  return std::chrono::year(time.year) / std::chrono::month(time.month) / std::chrono::day(time.day);
}

std::int64_t day_number(const LocalTime& time) { return day_of(time).time_since_epoch().count(); }

const char* month_word(const LocalTime& time) { return kMonths[time.month - 1]; }

// Local wall-clock milliseconds of a time, as if it were UTC.
std::int64_t wall(const LocalTime& time) {
  return ((day_number(time) * 24 + time.hour) * 60 + time.minute) * kMinute + time.second * std::int64_t{1000};
}

LocalTime from_wall(std::int64_t milliseconds) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(milliseconds)};
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const std::int64_t rest = milliseconds - std::chrono::milliseconds(days.time_since_epoch()).count();
  return {.year = static_cast<int>(date.year()),
          .month = static_cast<unsigned>(date.month()),
          .day = static_cast<unsigned>(date.day()),
          .hour = static_cast<int>(rest / kHour),
          .minute = static_cast<int>(rest / kMinute % 60),
          .second = static_cast<int>(rest / 1000 % 60)};
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// A rhythm of ticks: a slot has a tick when it begins a new period.
struct Rhythm {
  enum class In { wall, weeks, months } in;
  std::int64_t length;  // milliseconds, weeks or months

  std::int64_t period(const LocalTime& time) const {
    switch (in) {
      case In::wall: return floor_div(wall(time), length);
      case In::weeks: return floor_div(day_number(time) + 3, 7 * length);  // 1970-01-01 was a Thursday
      case In::months: return (time.year * std::int64_t{12} + time.month - 1) / length;
    }
    return 0;
  }
  std::string text(const LocalTime& time) const {
    if (in == In::months)
      return length >= 12 || time.month == 1 ? std::to_string(time.year) : std::string(month_word(time));
    if (in == In::weeks || length >= kDay) return day_words(time);
    return is_midnight(time) ? day_words(time) : clock_words(time);
  }
};

constexpr std::array kRhythms = {
    Rhythm{Rhythm::In::wall, kMinute},    Rhythm{Rhythm::In::wall, 5 * kMinute}, Rhythm{Rhythm::In::wall, 15 * kMinute},
    Rhythm{Rhythm::In::wall, kHour},      Rhythm{Rhythm::In::wall, 3 * kHour},   Rhythm{Rhythm::In::wall, 6 * kHour},
    Rhythm{Rhythm::In::wall, 12 * kHour}, Rhythm{Rhythm::In::wall, kDay},        Rhythm{Rhythm::In::wall, 2 * kDay},
    Rhythm{Rhythm::In::weeks, 1},         Rhythm{Rhythm::In::weeks, 2},          Rhythm{Rhythm::In::months, 1},
    Rhythm{Rhythm::In::months, 2},        Rhythm{Rhythm::In::months, 3},         Rhythm{Rhythm::In::months, 6},
    Rhythm{Rhythm::In::months, 12},       Rhythm{Rhythm::In::months, 24},        Rhythm{Rhythm::In::months, 60},
    Rhythm{Rhythm::In::months, 120},      Rhythm{Rhythm::In::months, 600},       Rhythm{Rhythm::In::months, 1200}};

}  // namespace

std::optional<LocalTime> parse_label(std::string_view label) {
  LocalTime time;
  if (!read(label, 0, 4, time.year) || !read(label, 5, 2, time.month) || !read(label, 8, 2, time.day) ||
      !read(label, 11, 2, time.hour) || !read(label, 14, 2, time.minute))
    return std::nullopt;
  if (label.size() > 18 && label[16] == ':' && !read(label, 17, 2, time.second)) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(time.year), std::chrono::month(time.month),
                                         std::chrono::day(time.day)};
  if (!date.ok()) return std::nullopt;
  return time;
}

std::string day_words(const LocalTime& time) { return fmt::format("{} {}", time.day, month_word(time)); }

std::string clock_words(const LocalTime& time) {
  return time.second ? fmt::format("{:02}:{:02}:{:02}", time.hour, time.minute, time.second)
                     : fmt::format("{:02}:{:02}", time.hour, time.minute);
}

bool is_midnight(const LocalTime& time) { return time.hour == 0 && time.minute == 0 && time.second == 0; }

std::string date_words(const LocalTime& time) {
  return fmt::format("{} {} {}", kWeekdays[std::chrono::weekday(day_of(time)).c_encoding()], day_words(time),
                     time.year);
}

std::string month_words(const LocalTime& time) { return fmt::format("{} {}", kFullMonths[time.month - 1], time.year); }

std::string time_words(const LocalTime& time) {
  return is_midnight(time) ? date_words(time) : date_words(time) + ", " + clock_words(time);
}

SlotWords slot_words(const SlotAxis& axis) {
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 1; i < axis.boundaries.size(); ++i)
    lengths.push_back(axis.boundaries[i] - axis.boundaries[i - 1]);
  if (lengths.empty()) return {"slot", "slots"};
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  const std::int64_t usual = *middle;
  // An hour that a clock change takes or gives shortens or lengthens a day.
  const std::int64_t days = (usual + kDay / 2) / kDay;
  if (days > 0 && std::abs(usual - days * kDay) <= kHour) {
    if (days == 1) return {"day", "days"};
    if (days == 7) return {"week", "weeks"};
    return {fmt::format("slot of {} days", days), fmt::format("slots of {} days", days)};
  }
  if (usual == kHour) return {"hour", "hours"};
  const auto named = [&](std::int64_t unit, const char* word) {
    const std::int64_t length = usual / unit;
    const std::string of = fmt::format(" of {} {}{}", length, word, length == 1 ? "" : "s");
    return SlotWords{"slot" + of, "slots" + of};
  };
  if (usual % kHour == 0) return named(kHour, "hour");
  if (usual % kMinute == 0) return named(kMinute, "minute");
  if (usual % 1000 == 0) return named(1000, "second");
  return {"slot", "slots"};
}

std::string span_words(const SlotAxis& axis) {
  if (axis.labels.empty()) return "no slots";
  const auto first = parse_label(axis.labels.front());
  const auto last = parse_label(axis.labels.back());
  if (!first || !last) return axis.labels.front() + " to " + axis.labels.back();
  // The end of the last slot, by the wall clock of its start. A clock change inside a slot of days makes it an hour too
  // long or too short, which rounding to the nearest midnight corrects.
  const std::size_t steps = axis.labels.size();
  std::int64_t length = axis.boundaries[steps] - axis.boundaries[steps - 1];
  if (length > kDay / 2) length = (length + kDay / 2) / kDay * kDay;
  const std::int64_t end_wall = wall(*last) + length;
  if (is_midnight(*first) && end_wall % kDay == 0) {
    const LocalTime final_day = from_wall(end_wall - kDay);
    if (day_number(final_day) == day_number(*first)) return date_words(*first);
    const std::string to = fmt::format("{} {}", day_words(final_day), final_day.year);
    if (final_day.year != first->year) return fmt::format("{} {} to {}", day_words(*first), first->year, to);
    if (final_day.month != first->month) return fmt::format("{} to {}", day_words(*first), to);
    return fmt::format("{} to {}", first->day, to);
  }
  const LocalTime end = from_wall(end_wall);
  const std::string from = date_words(*first) + ", " + clock_words(*first);
  if (day_number(end) == day_number(*first)) return from + " to " + clock_words(end);
  return from + " to " + date_words(end) + ", " + clock_words(end);
}

std::string slot_phrase(const SlotAxis& axis, std::size_t slot) {
  const auto time = parse_label(axis.labels[slot]);
  if (!time) return axis.labels[slot];
  const std::string date = fmt::format("{} {} {}", time->day, kFullMonths[time->month - 1], time->year);
  const std::string day = fmt::format("{} {}", kFullWeekdays[std::chrono::weekday(day_of(*time)).c_encoding()], date);
  const std::int64_t length = axis.boundaries[slot + 1] - axis.boundaries[slot];
  if (has_whole_days(axis)) {
    const std::int64_t days = (length + kDay / 2) / kDay;
    if (days == 1) return day;
    return days == 7 ? "Week of " + date : fmt::format("{} days from {}", days, date);
  }
  // Where the next slot begins, since the clocks may change in this one.
  std::optional<LocalTime> end;
  if (slot + 1 < axis.labels.size()) end = parse_label(axis.labels[slot + 1]);
  return fmt::format("{}, {} to {}", day, clock_words(*time),
                     clock_words(end.value_or(from_wall(wall(*time) + length))));
}

std::vector<Tick> time_ticks(const SlotAxis& axis, std::size_t most) {
  std::vector<LocalTime> times;
  for (const std::string& label : axis.labels) {
    const auto time = parse_label(label);
    if (!time) return {};
    times.push_back(*time);
  }
  if (times.empty()) return {};
  const double span = static_cast<double>(axis.boundaries.back() - axis.boundaries.front());
  for (const Rhythm& rhythm : kRhythms) {
    std::vector<Tick> ticks;
    for (std::size_t i = 0; i < times.size() && ticks.size() <= most; ++i) {
      const LocalTime before = from_wall(wall(times[i]) - 1);
      const bool starts = i == 0 ? rhythm.period(before) != rhythm.period(times[0])
                                 : rhythm.period(times[i - 1]) != rhythm.period(times[i]);
      if (!starts) continue;
      const double at = static_cast<double>(axis.boundaries[i] - axis.boundaries.front()) / span;
      ticks.push_back({at, rhythm.text(times[i]), ticks.size() % 2 == 0});
    }
    if (ticks.size() <= most) return ticks;
  }
  return {};
}

}  // namespace chronoveil::report
