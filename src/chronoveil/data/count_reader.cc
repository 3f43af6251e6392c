#include "chronoveil/data/count_reader.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include "chronoveil/data/time/fields.h"

namespace chronoveil::data {
namespace {

// Everything that is not a plain run of digits. Rare, so it may be slow.
CountProblem read_other(std::string_view text, std::int64_t& count) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  if (text.empty()) return CountProblem::empty;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return CountProblem::form;
  const std::string_view mantissa = text.substr(0, text.find_first_of("eE"));
  const bool zero = mantissa.find_first_of("123456789") == std::string_view::npos;
  if (error == std::errc::result_out_of_range) {
    const bool tiny = text.size() > mantissa.size() + 1 && text[mantissa.size() + 1] == '-';
    return zero ? CountProblem::form : tiny ? CountProblem::fractional : CountProblem::too_large;
  }
  if (!std::isfinite(value)) return CountProblem::form;
  if (text.front() == '-' && !zero) return CountProblem::negative;
  if (value > static_cast<double>(kLargestCount)) return CountProblem::too_large;
  if (value != std::floor(value)) return CountProblem::fractional;
  // A double has only 53 bits, so the digits after the point are checked themselves.
  const std::size_t point = mantissa.find('.');
  if (mantissa.size() == text.size() && point != std::string_view::npos &&
      mantissa.find_first_of("123456789", point) != std::string_view::npos) {
    return CountProblem::fractional;
  }
  // 2^53 + 1 reads as 2^53, so here, too, the digits decide.
  const auto read = static_cast<std::int64_t>(value);
  if (read == kLargestCount && mantissa.size() == text.size()) {
    std::int64_t whole = 0;
    for (const char c : mantissa.substr(0, point)) whole = whole * 10 + (c - '0');
    if (whole > kLargestCount) return CountProblem::too_large;
  }
  count = read;
  return CountProblem::none;
}

}  // namespace

CountProblem read_count(std::string_view text, std::int64_t& count) {
  if (text.empty() || text.size() > 16) return read_other(text, count);
  std::int64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return read_other(text, count);
    value = value * 10 + (c - '0');
  }
  if (value > kLargestCount) return CountProblem::too_large;
  count = value;
  return CountProblem::none;
}

std::string_view explain(CountProblem problem) {
  switch (problem) {
    case CountProblem::none: break;
    case CountProblem::empty: return "empty; a count must be a whole number of at least 0";
    case CountProblem::form: return "not a whole number of at least 0";
    case CountProblem::negative: return "negative; a count must be a whole number of at least 0";
    case CountProblem::fractional: return "a fraction; a count must be a whole number of at least 0";
    case CountProblem::too_large: return "too large; a count must be at most 2^53 (9007199254740992)";
  }
  return {};
}

}  // namespace chronoveil::data
