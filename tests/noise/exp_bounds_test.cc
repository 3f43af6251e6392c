#include "chronoveil/noise/exp_bounds.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "chronoveil/base/bit_source.h"

namespace chronoveil::noise {
namespace {

using boost::multiprecision::cpp_bin_float_100;
using boost::multiprecision::cpp_int;

double relative_error(double x) {
  const cpp_bin_float_100 exact = exp(-cpp_bin_float_100(x));
  return static_cast<double>(abs(cpp_bin_float_100(near_exp_minus(x)) / exact - 1));
}

TEST(NearExpMinus, StaysWithinItsProvenError) {
  BitSource bits = BitSource::with_seed(1);
  double worst = 0;
  for (int i = 0; i < 5'000; ++i) {
    const double u = static_cast<double>(bits.next_u64() >> 11) * 0x1p-53;
    worst = std::max({worst, relative_error(u), relative_error(40 * u), relative_error(kNearExpLimit * u)});
  }
  for (const double x : {0.0, 1e-300, 0x1p-60, 0.5, std::nextafter(0.5, 1), 1.0, 512.0, kNearExpLimit}) {
    worst = std::max(worst, relative_error(x));
  }
  EXPECT_LE(worst, 0x1p-36);
}

TEST(NearExpMinus, IsExactAtZero) { EXPECT_EQ(near_exp_minus(0), 1); }

TEST(FixedExpMinus, EnclosesTheTruthAndIsTight) {
  BitSource bits = BitSource::with_seed(2);
  for (const unsigned fraction_bits : {64u, 100u, 192u, 256u}) {
    const cpp_bin_float_100 unit = ldexp(cpp_bin_float_100(1), static_cast<int>(fraction_bits));
    for (int i = 0; i < 300; ++i) {
      // From far below one to several tens.
      const cpp_int x = (cpp_int(bits.next_u64()) << (fraction_bits - 64)) >> (bits.next_u64() % 40) << (i % 7);
      const FixedInterval result = fixed_exp_minus(x, x, fraction_bits);
      const cpp_bin_float_100 exact = exp(-cpp_bin_float_100(x) / unit) * unit;
      ASSERT_LE(cpp_bin_float_100(result.lower), exact);
      ASSERT_GE(cpp_bin_float_100(result.upper), exact);
      ASSERT_LE(result.upper - result.lower, 1 << 14);
    }
  }
}

TEST(FixedExpMinus, EnclosesEveryPointOfAnInterval) {
  const unsigned fraction_bits = 128;
  const cpp_int least = cpp_int(1) << fraction_bits, greatest = least * 2;
  const FixedInterval whole = fixed_exp_minus(least, greatest, fraction_bits);
  EXPECT_LE(whole.lower, fixed_exp_minus(greatest, greatest, fraction_bits).lower);
  EXPECT_GE(whole.upper, fixed_exp_minus(least, least, fraction_bits).upper);
}

TEST(FixedExpMinus, IsLessThanAUnitFarOut) {
  const FixedInterval far = fixed_exp_minus(cpp_int(1) << 200, cpp_int(1) << 201, 128);
  EXPECT_EQ(far.lower, 0);
  EXPECT_EQ(far.upper, 1);
}

TEST(FixedExpMinus, IsAboutOneAtZero) {
  const FixedInterval at_zero = fixed_exp_minus(0, 0, 64);
  EXPECT_LE(at_zero.lower, cpp_int(1) << 64);
  EXPECT_GE(at_zero.lower, (cpp_int(1) << 64) - 8);
  EXPECT_EQ(at_zero.upper, cpp_int(1) << 64);
}

}  // namespace
}  // namespace chronoveil::noise
