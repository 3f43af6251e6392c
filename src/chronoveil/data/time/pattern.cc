#include "chronoveil/data/time/pattern.h"

#include <array>

#include "chronoveil/data/time/fields.h"

namespace chronoveil::data {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"january",   "february", "march",    "april",
                                                      "may",       "june",     "july",     "august",
                                                      "september", "october",  "november", "december"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sunday",   "monday", "tuesday", "wednesday",
                                                       "thursday", "friday", "saturday"};
constexpr std::string_view kKnown =
    "%Y %y %m %d %e %j %q %G %V %u %H %I %p %M %S %f %z %b %B %h %a %A %s %F %T %R %D %n %t %%";

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool starts_with_word(std::string_view text, std::string_view lower_case) {
  if (text.size() < lower_case.size()) return false;
  for (std::size_t i = 0; i < lower_case.size(); ++i) {
    if ((text[i] | 0x20) != lower_case[i]) return false;
  }
  return true;
}

// The full name or its first three letters. The number of the name from 0, or -1.
template <std::size_t N>
int take_name(std::string_view& text, const std::array<std::string_view, N>& names) {
  for (std::size_t i = 0; i < N; ++i) {
    for (const std::string_view name : {names[i], names[i].substr(0, 3)}) {
      if (!starts_with_word(text, name)) continue;
      text.remove_prefix(name.size());
      return static_cast<int>(i);
    }
  }
  return -1;
}

bool take_number(std::string_view& text, int least_digits, int most_digits, int& value) {
  int digits = 0;
  value = 0;
  while (digits < most_digits && !text.empty() && is_digit(text.front())) {
    value = value * 10 + (text.front() - '0');
    text.remove_prefix(1);
    ++digits;
  }
  return digits >= least_digits;
}

bool take_epoch(std::string_view& text, std::int64_t& milliseconds, bool& negative) {
  negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  std::int64_t seconds = 0;
  int digits = 0;
  for (; !text.empty() && is_digit(text.front()) && digits < 13; ++digits) {
    seconds = seconds * 10 + (text.front() - '0');
    text.remove_prefix(1);
  }
  milliseconds = (negative ? -seconds : seconds) * kSecond;
  return digits > 0;
}

// What a conversion fixes, to find out whether anything is fixed twice.
std::string_view part_of(char conversion) {
  switch (conversion) {
    case 'Y':
    case 'y': return "year";
    case 'm':
    case 'b': return "month";
    case 'd': return "day";
    case 'j': return "day of the year";
    case 'q': return "quarter";
    case 'G': return "year of weeks";
    case 'V': return "week";
    case 'u': return "day of the week";
    case 'H':
    case 'I': return "hour";
    case 'M': return "minute";
    case 'S': return "second";
    case 'f': return "fraction";
    case 'p': return "half of the day";
    case 'z': return "offset";
    case 's': return "epoch";
    case 'a': return "weekday";
    default: return "";
  }
}

}  // namespace

Result<TimePattern> TimePattern::compile(const std::string& pattern) {
  const auto refuse = [&](const std::string& why) { return invalid("time_format", pattern, why); };
  TimePattern result;
  std::string fixed;  // the conversions seen
  const auto add = [&](char conversion) -> Result<void> {
    for (const char other : fixed) {
      if (part_of(other) == part_of(conversion)) {
        return refuse("it must not give the " + std::string(part_of(conversion)) + " twice");
      }
    }
    fixed.push_back(conversion);
    result.steps_.push_back({conversion, 0});
    return {};
  };
  const auto add_all = [&](std::string_view expansion) -> Result<void> {
    for (std::size_t i = 0; i < expansion.size(); ++i) {
      if (i % 2 == 0) {
        CV_CHECK(add(expansion[i]));
      } else {
        result.steps_.push_back({0, expansion[i]});
      }
    }
    return {};
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      result.steps_.push_back({0, is_blank(pattern[i]) ? ' ' : pattern[i]});
      continue;
    }
    const char conversion = ++i < pattern.size() ? pattern[i] : '\0';
    switch (conversion) {
      case 'Y':
      case 'y':
      case 'm':
      case 'd':
      case 'j':
      case 'q':
      case 'G':
      case 'V':
      case 'u':
      case 'H':
      case 'I':
      case 'p':
      case 'M':
      case 'S':
      case 'f':
      case 'z':
      case 's': CV_CHECK(add(conversion)); break;
      case 'e':
        result.steps_.push_back({0, ' '});
        CV_CHECK(add('d'));
        break;
      case 'b':
      case 'B':
      case 'h': CV_CHECK(add('b')); break;
      case 'a':
      case 'A': CV_CHECK(add('a')); break;
      case 'F': CV_CHECK(add_all("Y-m-d")); break;
      case 'T': CV_CHECK(add_all("H:M:S")); break;
      case 'R': CV_CHECK(add_all("H:M")); break;
      case 'D': CV_CHECK(add_all("m/d/y")); break;
      case 'n':
      case 't': result.steps_.push_back({0, ' '}); break;
      case '%': result.steps_.push_back({0, '%'}); break;
      default: return refuse("it may use " + std::string(kKnown));
    }
  }
  const auto has = [&](std::string_view part) {
    for (const char conversion : fixed) {
      if (part_of(conversion) == part) return true;
    }
    return false;
  };
  const bool twelve = fixed.find('I') != std::string::npos;
  if (twelve != has("half of the day")) return refuse("%I and %p must come together");
  if (has("epoch")) {
    for (const char conversion : fixed) {
      if (conversion != 's' && conversion != 'f') return refuse("%s may stand only with %f, it fixes everything else");
    }
    return result;
  }
  const bool weeks = has("year of weeks") && has("week");
  const bool day = weeks || has("day of the year") || (has("month") && has("day"));
  const bool period = (has("month") && !has("day")) || has("quarter");
  if (!(weeks || has("year")) || !(day || period)) {
    return refuse("it must fix the date: the year with month and day, with month, %j or %q; or %G and %V; or %s");
  }
  if (period && (has("hour") || has("minute") || has("second") || has("fraction"))) {
    return refuse("it must fix the day where it has a time of day");
  }
  const int ways = (weeks ? 1 : 0) + (has("day of the year") ? 1 : 0) + (has("quarter") ? 1 : 0) +
                   (has("month") || has("day") ? 1 : 0);
  if (ways > 1 || weeks == has("year") || (!weeks && (has("year of weeks") || has("week") || has("day of the week")))) {
    return refuse("it must fix the date in one way: by month and day, by %j, by %q, or by %G, %V and %u");
  }
  return result;
}

bool TimePattern::read(std::string_view text, PatternFields& fields) const {
  for (const Step& step : steps_) {
    switch (step.conversion) {
      case 0:
        if (step.literal == ' ') {
          while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
        } else {
          if (text.empty() || text.front() != step.literal) return false;
          text.remove_prefix(1);
        }
        break;
      case 'Y':
        if (!take_number(text, 4, 4, fields.year)) return false;
        break;
      case 'y':
        if (!take_number(text, 2, 2, fields.year)) return false;
        fields.year += fields.year < 69 ? 2000 : 1900;
        break;
      case 'm':
        if (!take_number(text, 1, 2, fields.month)) return false;
        break;
      case 'b':
        fields.month = take_name(text, kMonths) + 1;
        if (fields.month == 0) return false;
        break;
      case 'd':
        if (!take_number(text, 1, 2, fields.day)) return false;
        break;
      case 'j':
        if (!take_number(text, 1, 3, fields.day_of_year)) return false;
        if (fields.day_of_year == 0) fields.day_of_year = -1;  // out of range, not absent
        break;
      case 'q':
        if (!take_number(text, 1, 1, fields.quarter)) return false;
        if (fields.quarter == 0) fields.quarter = -1;
        break;
      case 'G':
        if (!take_number(text, 4, 4, fields.year)) return false;
        break;
      case 'V':
        if (!take_number(text, 1, 2, fields.week)) return false;
        if (fields.week == 0) fields.week = -1;
        break;
      case 'u':
        if (!take_number(text, 1, 1, fields.day_of_week)) return false;
        break;
      case 'H':
      case 'I':
        if (!take_number(text, 1, 2, fields.hour)) return false;
        break;
      case 'M':
        if (!take_number(text, 1, 2, fields.minute)) return false;
        break;
      case 'S':
        if (!take_number(text, 1, 2, fields.second)) return false;
        break;
      case 'p':
        fields.half = starts_with_word(text, "am") ? 0 : starts_with_word(text, "pm") ? 1 : -1;
        if (fields.half < 0) return false;
        text.remove_prefix(2);
        break;
      case 'f': {
        bool ignored = false;
        if (text.empty() || !is_digit(text.front())) return false;
        fields.millisecond = take_fraction(text, ignored);
        break;
      }
      case 'z':
        fields.has_offset = true;
        if (!take_offset(text, fields.offset)) return false;
        break;
      case 's':
        fields.has_epoch = true;
        if (!take_epoch(text, fields.epoch, fields.before_epoch)) return false;
        break;
      case 'a':
        if (take_name(text, kWeekdays) < 0) return false;
        break;
      default: return false;
    }
  }
  return text.empty();
}

}  // namespace chronoveil::data
