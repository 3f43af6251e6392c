#include "chronoveil/base/result.h"

#include <array>
#include <charconv>
#include <cmath>

namespace chronoveil {

std::string Error::marked() const {
  std::string text;
  if (!where.empty()) text.append(where).append(": ");
  if (!parameter.empty()) text.append("`").append(parameter).append("`: ");
  if (!valid.empty())
    text.append(value).append(" is not valid; ").append(valid.starts_with("it ") ? "" : "it must be ");
  return text.append(valid).append(message);
}

std::string with_key_names(std::string_view text, const KeyNames& names) {
  static constexpr std::string_view kIs = " = ";
  std::string named;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('`', at), close = text.find('`', open == text.npos ? open : open + 1);
    named.append(text.substr(at, open == text.npos ? open : open - at));
    if (close == text.npos) return named.append(open == text.npos ? "" : text.substr(open));
    const std::string_view inside = text.substr(open + 1, close - open - 1), key = inside.substr(0, inside.find(kIs));
    const std::string name = names ? names(key) : std::string(key);
    named.append(name);
    std::string value(inside.substr(key.size()));
    if (name.starts_with("--") && !value.empty()) {  // an option takes its value without the equals sign and quotes
      value.erase(1, kIs.size() - 1);
      std::erase(value, '"');
    }
    named.append(value);
    at = close + 1;
  }
  return named;
}

Failure invalid(std::string_view parameter, std::string_view value, std::string_view valid) {
  return Failure(Error{.kind = ErrorKind::usage,
                       .parameter = std::string(parameter),
                       .value = std::string(value),
                       .valid = std::string(valid)});
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
