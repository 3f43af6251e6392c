// Reading the fields of settings, plans and panels. Both programs use it, so it only needs base.
#pragma once

#include <charconv>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::schuchardt2025 {

// The parts of `text` between the characters `at`, as views: one more than there are such characters.
inline std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// All of `text` as a number; an error names the field.
template <class Number>
Result<Number> number(std::string_view name, std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return invalid(name, text, "a number");
  return value;
}

}  // namespace chronoveil::schuchardt2025
