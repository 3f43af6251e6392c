#include "chronoveil/noise/bernoulli.h"

#include <cmath>
#include <cstdint>

#include "chronoveil/noise/uniform.h"

namespace chronoveil::noise {

bool bernoulli(double p, BitSource& bits) {
  if (p >= 1) return true;
  // Compares a uniform real, 64 bits at a time, with the binary digits of p. Multiplying by 2^64 and taking off the
  // integer part are exact in binary floating point, so no digit is lost; a double has few, so this ends soon.
  while (p > 0) {
    const double scaled = p * 0x1p64;
    const double digits = std::floor(scaled);
    const std::uint64_t word = bits.next_u64();
    const auto threshold = static_cast<std::uint64_t>(digits);
    if (word != threshold) return word < threshold;
    p = scaled - digits;
  }
  return false;
}

namespace {

// exp(-f) = 1 - f + f^2/2! - ...: the first k at which a coin of probability f/k fails is odd with probability exp(-f).
// A coin of f/k is one of f and one of 1/k, both exact.
bool bernoulli_exp_fraction(double fraction, BitSource& bits) {
  std::uint64_t k = 1;
  while (bernoulli(fraction, bits) && uniform_below(k, bits) == 0) ++k;
  return k % 2 == 1;
}

}  // namespace

bool bernoulli_exp(std::uint64_t whole, double fraction, BitSource& bits) {
  if (!bernoulli_exp_fraction(fraction, bits)) return false;
  for (; whole > 0; --whole) {
    if (!bernoulli_exp_fraction(1.0, bits)) return false;
  }
  return true;
}

bool bernoulli_exp(double x, BitSource& bits) {
  // Beyond 2^63 the number of coins is cut off, which nobody can observe: the loop stops at the first failure, and 2^63
  // coins of 1/e do not all come up within the age of the universe.
  if (!(x < 0x1p63)) return std::isinf(x) ? false : bernoulli_exp(std::uint64_t{1} << 63, 0.0, bits);
  const double whole = std::floor(x);
  return bernoulli_exp(static_cast<std::uint64_t>(whole), x - whole, bits);
}

}  // namespace chronoveil::noise
