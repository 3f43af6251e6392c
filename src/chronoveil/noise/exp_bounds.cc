#include "chronoveil/noise/exp_bounds.h"

namespace chronoveil::noise {

using boost::multiprecision::cpp_int;

double near_exp_minus(double x) {
  double r = x;
  int squarings = 0;
  while (r > 0.5) {
    r *= 0.5;
    ++squarings;
  }
  // Multiplying by a rounded 1/j keeps a division off the chain of dependent operations.
  static constexpr double kInverse[] = {0,       1.0 / 1, 1.0 / 2, 1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6,
                                        1.0 / 7, 1.0 / 8, 1.0 / 9, 1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13};
  double result = 1.0;
  for (int j = 13; j >= 1; --j) result = 1.0 - result * (r * kInverse[j]);
  for (; squarings > 0; --squarings) result *= result;
  return result;
}

namespace {

cpp_int shift_down(const cpp_int& value, unsigned bits) { return value >> bits; }
cpp_int shift_up(const cpp_int& value, unsigned bits) {
  cpp_int result = value >> bits;
  if ((result << bits) != value) ++result;
  return result;
}
cpp_int divide_up(const cpp_int& numerator, const cpp_int& denominator) {
  return (numerator + (denominator - 1)) / denominator;
}

// Squarings after which x / 2^k is below 1.
unsigned squarings_for(const cpp_int& x, unsigned fraction_bits) {
  const cpp_int whole = x >> fraction_bits;
  return whole == 0 ? 0 : static_cast<unsigned>(msb(whole)) + 1;
}

// At most 2^fraction_bits exp(-x): every step rounds down, by way of exp(+r) rounded up.
cpp_int exp_minus_lower(const cpp_int& x, unsigned fraction_bits) {
  const unsigned squarings = squarings_for(x, fraction_bits);
  const cpp_int r = shift_up(x, squarings);
  cpp_int term = cpp_int(1) << fraction_bits;
  cpp_int sum = term;
  // Terms shrink by r/j <= 1/j. Once one is a single unit (it never becomes less, being rounded up), all that follow,
  // unrounded, add up to at most (1/j)/(1 - 1/j) <= 1 unit for j >= 2, and one more unit is kept as a reserve.
  for (unsigned j = 1;; ++j) {
    term = divide_up(shift_up(term * r, fraction_bits), j);
    sum += term;
    if (term <= 1 && j >= 2) break;
  }
  sum += 2;
  cpp_int result = (cpp_int(1) << (2 * fraction_bits)) / sum;
  for (unsigned k = 0; k < squarings; ++k) result = shift_down(result * result, fraction_bits);
  return result;
}

// At least 2^fraction_bits exp(-x): every step rounds up, by way of exp(+r) rounded down.
cpp_int exp_minus_upper(const cpp_int& x, unsigned fraction_bits) {
  const unsigned squarings = squarings_for(x, fraction_bits);
  const cpp_int r = shift_down(x, squarings);
  cpp_int term = cpp_int(1) << fraction_bits;
  cpp_int sum = term;
  for (unsigned j = 1; term > 0; ++j) {
    term = shift_down(term * r, fraction_bits) / j;
    sum += term;
  }
  cpp_int result = divide_up(cpp_int(1) << (2 * fraction_bits), sum);
  for (unsigned k = 0; k < squarings; ++k) result = shift_up(result * result, fraction_bits);
  return result;
}

}  // namespace

FixedInterval fixed_exp_minus(const cpp_int& least, const cpp_int& greatest, unsigned fraction_bits) {
  // exp(-x) = 2^(-x / ln 2) <= 2^(-x / 0.7): beyond 0.7 fraction_bits it is less than one unit, and the many
  // squarings of a huge argument are spared.
  const cpp_int negligible = cpp_int(fraction_bits) * 7 / 10 + 1;
  const auto is_negligible = [&](const cpp_int& x) { return (x >> fraction_bits) >= negligible; };
  return {is_negligible(greatest) ? cpp_int(0) : exp_minus_lower(greatest, fraction_bits),
          is_negligible(least) ? cpp_int(1) : exp_minus_upper(least, fraction_bits)};
}

}  // namespace chronoveil::noise
