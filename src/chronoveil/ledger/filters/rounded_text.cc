#include "chronoveil/ledger/filters/rounded_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace chronoveil::ledger {
namespace {

std::string rounded_towards(double value, double direction) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{}", value);
  std::string text = fmt::format("{:.6g}", value);
  const double printed = std::strtod(text.c_str(), nullptr);
  if ((printed - value) * direction >= 0) return text;
  const double last_digit = std::pow(10, std::floor(std::log10(std::abs(value))) - 5);
  return fmt::format("{:.6g}", printed + direction * last_digit);
}

}  // namespace

std::string rounded(double value) { return fmt::format("{:.6g}", value); }
std::string rounded_up(double value) { return rounded_towards(value, 1); }
std::string rounded_down(double value) { return rounded_towards(value, -1); }

}  // namespace chronoveil::ledger
