#include "chronoveil/forecasting/sign_lags/sensitivity.h"

#include <string>

#include "chronoveil/base/rounded_up.h"
#include "chronoveil/forecasting/sign_lags/plan.h"

namespace chronoveil::forecasting {
namespace {

constexpr std::int64_t kLargestSquare = std::int64_t{1} << 62;

}  // namespace

Result<std::int64_t> squared_sensitivity(const SignLagsConfig& config, std::int64_t protected_values) {
  CV_CHECK(check_sign_lags(config));
  if (protected_values < 1)
    return invalid("protected_values", std::to_string(protected_values), "at least 1, the values that one change has");
  // At most 4 · 8 · (1 + 16 · 2^16) = 2^25 (1 + 2^-20).
  const std::int64_t of_one = 4 * std::ssize(config.seasons) * (1 + 16 * config.lags());
  std::int64_t square = 0;
  if (__builtin_mul_overflow(protected_values, protected_values, &square) ||
      __builtin_mul_overflow(square, of_one, &square) || square > kLargestSquare)
    return invalid("protected_values", std::to_string(protected_values),
                   "less: noise for so many values would hide everything");
  return square;
}

Result<double> sensitivity(const SignLagsConfig& config, std::int64_t protected_values) {
  CV_TRY(const std::int64_t square, squared_sensitivity(config, protected_values));
  auto rounded = static_cast<double>(square);  // may have been rounded down, above 2^53
  if (static_cast<std::int64_t>(rounded) < square) rounded = next_above(rounded);
  return root_up(rounded);
}

}  // namespace chronoveil::forecasting
