#include "chronoveil/ledger/filters/rounded_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace chronoveil::ledger::testing {
namespace {

TEST(RoundedText, KeepsWhatIsShort) {
  EXPECT_EQ(rounded_up(0), "0");
  EXPECT_EQ(rounded_up(0.25), "0.25");
  EXPECT_EQ(rounded_down(0.25), "0.25");
  EXPECT_EQ(rounded_up(1e-6), "1e-06");
}

TEST(RoundedText, RoundsOutwardInTheSixthDigit) {
  EXPECT_EQ(rounded(4.552001), "4.552");
  EXPECT_EQ(rounded_up(4.552001), "4.55201");
  EXPECT_EQ(rounded_down(4.552999), "4.55299");
  EXPECT_EQ(rounded_up(0.9999995), "1");
  EXPECT_EQ(rounded_up(0.9999991), "1");
  EXPECT_EQ(rounded_down(0.9999999), "0.999999");
  for (double value = 1e-9; value < 1e9; value *= 1.37) {
    EXPECT_GE(std::stod(rounded_up(value)), value);
    EXPECT_LE(std::stod(rounded_up(value)), value * 1.000011);
    EXPECT_LE(std::stod(rounded_down(value)), value);
    EXPECT_GE(std::stod(rounded_down(value)), value * 0.999989);
  }
}

}  // namespace
}  // namespace chronoveil::ledger::testing
