#include "chronoveil/bound/caps.h"

namespace chronoveil::bound {

namespace {

Result<void> check_amount(std::string_view name, std::int64_t value) {
  if (value < 1 || value > kLargestCount) return invalid(name, std::to_string(value), "a whole number from 1 to 2^53");
  return {};
}

}  // namespace

Result<void> check_caps(const Caps& caps) {
  if (caps.unit == Unit::user && caps.max_steps < 1) {
    return invalid("max_steps", std::to_string(caps.max_steps), "a whole number of at least 1");
  }
  CV_CHECK(check_amount("max_per_slot", caps.max_per_slot));
  CV_CHECK(check_amount("maximum", caps.maximum));
  return {};
}

}  // namespace chronoveil::bound
