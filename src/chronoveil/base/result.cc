#include "chronoveil/base/result.h"

#include <array>
#include <charconv>
#include <cmath>

namespace chronoveil {

Failure invalid(std::string_view parameter, std::string_view value, std::string_view valid) {
  std::string message;
  message.append(parameter).append(": ").append(value).append(" is not valid; ");
  if (!valid.starts_with("it ")) message.append("it must be ");
  message.append(valid);
  return fail(ErrorKind::usage, std::move(message));
}

Failure invalid(std::string_view parameter, double value, std::string_view valid) {
  return invalid(parameter, shortest(value), valid);
}

std::string shortest(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace chronoveil
