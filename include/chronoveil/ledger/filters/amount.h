// Exact decimal amounts for the sums of a privacy filter.
// An Amount is a whole number of 10^-30. Sums are exact and do not depend on their order, so ten requests of 0.1 fill
// a budget of 1 and an eleventh does not fit. Rounding happens only on the way in, always against the user: costs
// round up, budgets round down. At 10^7 an amount saturates: no budget is that large, so nothing of that size fits.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "chronoveil/base/result.h"

namespace chronoveil::ledger {

class Amount {
 public:
  constexpr Amount() = default;

  // The decimal that the caller wrote: 0.1 is one tenth, not the double next to it.
  static Amount stated_up(double value);
  static Amount stated_down(double value);
  // At least, or at most, the real number that a computation left in a double; 0 stays 0.
  static Amount above(double value);
  static Amount below(double value);
  // At least numerator / denominator, the denominator as the caller wrote it: a Laplace scale of 10 costs one tenth.
  static Amount ratio_up(std::int64_t numerator, double denominator);

  static Amount saturated();
  bool is_saturated() const;
  bool is_zero() const { return units_ == 0; }

  Amount operator+(Amount other) const;
  Amount times(std::int64_t count) const;
  Amount left_of(Amount budget) const;              // budget - *this, or 0
  Amount hundredths(std::int64_t count) const;      // `count` hundredths of it, 0 to 100; rounded down
  auto operator<=>(const Amount&) const = default;  // NOLINT(modernize-use-nullptr): about what the compiler writes

  double value() const;      // the nearest double, for display
  std::string text() const;  // canonical: "0", "0.1", "12.5"
  static Result<Amount> parse(std::string_view text);

 private:
  __extension__ using Units = __int128;
  explicit constexpr Amount(Units units) : units_(units) {}
  static Amount from_decimal(double value, bool up);
  Units units_ = 0;
};

}  // namespace chronoveil::ledger
