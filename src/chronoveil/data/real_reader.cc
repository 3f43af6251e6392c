#include "chronoveil/data/real_reader.h"

#include <fast_float/fast_float.h>

#include <cmath>
#include <system_error>

namespace chronoveil::data {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

RealProblem read_real(std::string_view text, double& number) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  if (text.empty()) return RealProblem::empty;
  const char* const end = text.data() + text.size();
  double read = 0;
  // For numbers out of range older versions of the library report success and newer ones do not; all of them write 0 or
  // infinity, so only that is checked.
  const auto [stop, error] = fast_float::from_chars(text.data(), end, read);
  if (error == std::errc::invalid_argument || stop != end || std::isnan(read)) return RealProblem::form;
  if (std::isinf(read)) return RealProblem::infinite;
  number = read;
  return RealProblem::none;
}

std::string_view explain(RealProblem problem) {
  switch (problem) {
    case RealProblem::none: break;
    case RealProblem::empty: return "empty; it must be a number";
    case RealProblem::form: return "not a number; decimals have a point, and no unit follows";
    case RealProblem::infinite: return "not a finite number";
  }
  return {};
}

}  // namespace chronoveil::data
