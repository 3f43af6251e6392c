#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/noise/grid/decimal.h"

namespace chronoveil::noise {
namespace {

std::string decimal(std::int64_t k, double step) {
  char text[GridDecimal::kMaxSize];
  return std::string(text, GridDecimal(Grid::make(step).value()).write(k, text));
}

TEST(GridDecimal, WritesWhatItSays) {
  EXPECT_EQ(decimal(0, 1), "0");
  EXPECT_EQ(decimal(-3, 1), "-3");
  EXPECT_EQ(decimal(1, 0.5), "0.5");
  EXPECT_EQ(decimal(-5, 0.25), "-1.25");
  EXPECT_EQ(decimal(4, 0.25), "1");
  EXPECT_EQ(decimal(40, 0.25), "10");
  EXPECT_EQ(decimal(-1, 0x1p-20), "-0.00000095367431640625");
  EXPECT_EQ(decimal(3, 1024), "3072");
  EXPECT_EQ(decimal(-1, 0x1p70), "-1180591620717411303424");
  EXPECT_EQ(decimal(1, 0x1p-64), "0.0000000000000000000542101086242752217003726400434970855712890625");
  EXPECT_EQ(decimal(std::numeric_limits<std::int64_t>::min(), 1), "-9223372036854775808");
  EXPECT_EQ(decimal(std::numeric_limits<std::int64_t>::min(), 0x1p-63), "-1");
}

// Reads the text back as an exact rational: digits and places, so that digits * 2^-log2 == k * 10^places.
TEST(GridDecimal, IsExactAndHasNoSuperfluousZeros) {
  using boost::multiprecision::cpp_int;
  BitSource bits = BitSource::with_seed(1);
  for (int log2 = -1000; log2 <= 1000; log2 += std::abs(log2) <= 70 ? 1 : 93) {
    for (int i = 0; i < 50; ++i) {
      const auto k = static_cast<std::int64_t>(bits.next_u64()) >> (bits.next_u64() % 64);
      std::string text = decimal(k, std::ldexp(1.0, log2));
      const std::size_t point = text.find('.');
      unsigned places = 0;
      if (point != std::string::npos) {
        places = static_cast<unsigned>(text.size() - point - 1);
        ASSERT_NE(text.back(), '0');
        text.erase(point, 1);
      }
      const bool negative = text[0] == '-';
      const std::size_t first = text.find_first_not_of('0', negative ? 1 : 0);
      cpp_int digits(first == std::string::npos ? "0" : text.substr(first));
      if (negative) digits = -digits;
      const cpp_int expected = cpp_int(k) * pow(cpp_int(10), places);
      if (log2 >= 0) {
        ASSERT_EQ(digits, expected << static_cast<unsigned>(log2));
      } else {
        ASSERT_EQ(digits << static_cast<unsigned>(-log2), expected);
      }
    }
  }
}

}  // namespace
}  // namespace chronoveil::noise
