// What the worlds share: names of people and series, limits on sizes, and truth that starts at zero.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/simulate/calendar.h"
#include "chronoveil/simulate/truth.h"

namespace chronoveil::simulate {

// 1 <= value <= largest.
inline Result<void> check_size(std::string_view name, std::int64_t value, std::int64_t largest) {
  if (value < 1 || value > largest)
    return invalid(name, std::to_string(value), "between 1 and " + std::to_string(largest));
  return {};
}

inline int digits_of(std::int64_t number) {
  int digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

// A letter and a number from 1, padded to the width of the largest: c00017.
inline char* write_name(char letter, std::int64_t index, int digits, char* out) {
  *out++ = letter;
  std::int64_t number = index + 1;
  for (char* at = out + digits; at != out; number /= 10) *--at = static_cast<char>('0' + number % 10);
  return out + digits;
}

inline std::vector<std::string> make_names(char letter, std::int64_t count) {
  const int digits = digits_of(count);
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) {
    char text[32];
    names.emplace_back(text, write_name(letter, i, digits, text));
  }
  return names;
}

// All zero; refused when it would not fit in memory.
inline Result<Truth> empty_truth(std::vector<std::string> keys, const SlotAxis& axis) {
  Truth truth;
  const auto series = keys.empty() ? std::size_t{1} : keys.size();
  const auto cells = series * static_cast<std::size_t>(axis.steps());
  constexpr std::size_t kLargest = 200'000'000;
  if (cells > kLargest)
    return fail(ErrorKind::usage, "series times slots",
                std::to_string(cells) + " is not valid; it must be at most " + std::to_string(kLargest));
  truth.keys = std::move(keys);
  truth.axis = axis;
  truth.counts.assign(cells, 0);
  return truth;
}

}  // namespace chronoveil::simulate
