#include "chronoveil/report/document/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace chronoveil::report {
namespace {

// "1234.50" -> "1,234.5"
std::string tidy(std::string text) {
  const std::size_t point = text.find('.');
  if (point != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = std::min(text.find('.'), text.size()); at > first + 3;) text.insert(at -= 3, ",");
  return text == "-0" ? "0" : text;
}

// The power of ten of the leading digit.
int magnitude(double value) { return static_cast<int>(std::floor(std::log10(std::fabs(value)))); }

std::string with_places(double value, int digits) {
  if (value == 0) return "0";
  const int power = magnitude(value);
  if (power < -4 || power > 14) {
    std::array<char, 64> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, digits - 1).ptr;
    std::string all(text.data(), end);
    const std::size_t e = all.find('e');
    const int exponent = std::stoi(all.substr(e + 1));
    return tidy(all.substr(0, e)) + "e" + std::to_string(exponent);
  }
  return tidy(fmt::format("{:.{}f}", value, std::max(0, digits - 1 - power)));
}

}  // namespace

void append_shortest(std::string& out, double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  out.append(text.data(), end);
}

std::string grouped(std::int64_t value) { return tidy(std::to_string(value)); }

std::string rounded(double value, int digits) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  return with_places(value, digits);
}

std::string rounded_up(double value, int digits) {
  if (!std::isfinite(value) || value <= 0) return rounded(value, digits);
  const double step = std::pow(10.0, magnitude(value) - digits + 1);
  // A value that already is a decimal of so many digits, up to its last bits, is not rounded up.
  const double near = std::round(value / step) * step;
  if (fmt::format("{:.{}g}", value, digits + 8) == fmt::format("{:.{}g}", near, digits + 8))
    return with_places(value, digits);
  return with_places(std::ceil(value / step) * step, digits);
}

std::string percent(double fraction) { return rounded(fraction * 100) + " %"; }

std::string tick_text(double value, double unit) {
  const int places = unit >= 1 || unit <= 0 ? 0 : std::min(12, -magnitude(unit * 1.0001));
  return tidy(fmt::format("{:.{}f}", value, places));
}

void append_numbers(std::string& out, std::string_view key, std::span<const double> numbers) {
  out.append("\"").append(key).append("\":[");
  for (const double value : numbers) {
    if (std::isfinite(value))
      append_shortest(out, value);
    else
      out.append("null");
    out += ',';
  }
  if (numbers.empty()) out += ',';
  out.back() = ']';
}

}  // namespace chronoveil::report
