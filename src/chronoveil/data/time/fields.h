// Small readers of digits that both kinds of formats share.
#pragma once

#include <cstdint>
#include <string_view>

#include "chronoveil/data/time/civil.h"

namespace chronoveil::data {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads the digits of a fraction up to the first other character; the result is in milliseconds, truncated.
inline std::int64_t take_fraction(std::string_view& text, bool& more_than_milliseconds) {
  std::int64_t result = 0;
  std::int64_t unit = 100;
  more_than_milliseconds = false;
  while (!text.empty() && is_digit(text.front())) {
    result += (text.front() - '0') * unit;
    if (unit == 0 && text.front() != '0') more_than_milliseconds = true;
    unit /= 10;
    text.remove_prefix(1);
  }
  return result;
}

// Z, z, +hh, +hhmm, +hh:mm (or with -). The offset is in milliseconds east of Greenwich; false if it is none of these,
// or beyond 23:59.
inline bool take_offset(std::string_view& text, std::int64_t& offset) {
  if (text.empty()) return false;
  const char sign = text.front();
  text.remove_prefix(1);
  offset = 0;
  if (sign == 'Z' || sign == 'z') return true;
  if (sign != '+' && sign != '-') return false;
  const auto two = [&](int& value) {
    if (text.size() < 2 || !is_digit(text[0]) || !is_digit(text[1])) return false;
    value = (text[0] - '0') * 10 + (text[1] - '0');
    text.remove_prefix(2);
    return true;
  };
  int hours = 0;
  int minutes = 0;
  if (!two(hours) || hours > 23) return false;
  if (!text.empty() && text.front() == ':') {
    text.remove_prefix(1);
    if (!two(minutes)) return false;
  } else if (!text.empty() && is_digit(text.front())) {
    if (!two(minutes)) return false;
  }
  if (minutes > 59) return false;
  offset = (hours * kHour + minutes * kMinute) * (sign == '-' ? -1 : 1);
  return true;
}

}  // namespace chronoveil::data
