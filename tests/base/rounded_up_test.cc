#include "chronoveil/base/rounded_up.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>

#include "chronoveil/base/bit_source.h"

namespace chronoveil {
namespace {

using Exact = boost::multiprecision::cpp_rational;

double next_below(double value) { return std::nextafter(value, -std::numeric_limits<double>::infinity()); }

// Of either sign, from 2^-200 to 2^200; every fourth a small whole number, so that exact results are among them.
double some_double(BitSource& bits) {
  const std::uint64_t word = bits.next_u64();
  const double sign = (word & 1) != 0 ? 1 : -1;
  if ((word & 6) == 0) return sign * static_cast<double>((word >> 3) % 50 + 1);
  const auto fraction = static_cast<double>((word >> 11) | (std::uint64_t{1} << 53));
  return sign * std::ldexp(fraction, static_cast<int>((word >> 3) % 400) - 253);
}

TEST(RoundedUp, IsTheLeastDoubleThatIsNotBelowTheExactResult) {
  BitSource bits = BitSource::with_seed(1);
  int exact = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double a = some_double(bits), b = some_double(bits), positive = std::abs(b);
    const auto expect_least = [&](double rounded, const Exact& truth) {
      EXPECT_GE(Exact(rounded), truth) << a << ' ' << b;
      EXPECT_LT(Exact(next_below(rounded)), truth) << a << ' ' << b;
      exact += Exact(rounded) == truth;
    };
    expect_least(difference_up(a, b), Exact(a) - Exact(b));
    expect_least(product_up(a, b), Exact(a) * Exact(b));
    expect_least(quotient_up(a, positive), Exact(a) / Exact(positive));
    const double root = root_up(positive);
    EXPECT_GE(Exact(root) * Exact(root), Exact(positive)) << b;
    EXPECT_LT(Exact(next_below(root)) * Exact(next_below(root)), Exact(positive)) << b;
  }
  EXPECT_GT(exact, 1000);
}

TEST(RoundedUp, OfNothingIsNothing) {
  EXPECT_EQ(difference_up(0.1, 0.1), 0);
  EXPECT_EQ(product_up(0, 3), 0);
  EXPECT_EQ(quotient_up(0, 3), 0);
  EXPECT_EQ(root_up(0), 0);
}

}  // namespace
}  // namespace chronoveil
