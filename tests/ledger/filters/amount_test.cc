#include "chronoveil/ledger/filters/amount.h"

#include <cmath>
#include <limits>

#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

TEST(Amount, AStatedDecimalIsThatDecimal) {
  EXPECT_EQ(Amount::stated_up(0.1).text(), "0.1");
  EXPECT_EQ(Amount::stated_down(0.1).text(), "0.1");
  EXPECT_EQ(Amount::stated_up(1e-30).text(), "0.000000000000000000000000000001");
  EXPECT_EQ(Amount::stated_up(1234.5).text(), "1234.5");
  EXPECT_EQ(Amount::stated_up(0).text(), "0");
}

TEST(Amount, BelowTheSmallestStepCostsRoundUpAndBudgetsDown) {
  EXPECT_EQ(Amount::stated_up(1.5e-30).text(), "0.000000000000000000000000000002");
  EXPECT_EQ(Amount::stated_down(1.5e-30).text(), "0.000000000000000000000000000001");
  EXPECT_EQ(Amount::stated_up(1e-300).text(), "0.000000000000000000000000000001");
  EXPECT_TRUE(Amount::stated_down(1e-300).is_zero());
}

TEST(Amount, AComputedDoubleIsRoundedOutward) {
  for (const double value : {0.1, 1.0 / 3, 0.5, 1.0, 2.0, 1e-9, 123.456}) {
    EXPECT_GT(Amount::above(value), Amount::stated_up(value));
    EXPECT_LT(Amount::below(value), Amount::stated_down(value));
    EXPECT_LT(Amount::above(value).value(), value * (1 + 1e-15));
  }
  EXPECT_TRUE(Amount::above(0).is_zero());
  EXPECT_TRUE(Amount::below(0).is_zero());
}

TEST(Amount, ARatioIsExactWhereItIsADecimalAndRoundedUpElsewhere) {
  EXPECT_EQ(Amount::ratio_up(1, 10).text(), "0.1");
  EXPECT_EQ(Amount::ratio_up(3, 8).text(), "0.375");
  EXPECT_EQ(Amount::ratio_up(1, 0.001).text(), "1000");
  EXPECT_EQ(Amount::ratio_up(1, 3).text(), "0.333333333333333333333333333334");
  EXPECT_TRUE(Amount::ratio_up(0, 3).is_zero());
  EXPECT_GE(Amount::ratio_up(1, 1e20).value(), 1e-20);
  EXPECT_TRUE(Amount::ratio_up(1, 1e-20).is_saturated());
  EXPECT_GE(Amount::ratio_up(std::numeric_limits<std::int64_t>::max(), 1e19).value(), 0.92233720368);
}

TEST(Amount, SumsAreExactInAnyOrder) {
  Amount up, down;
  for (int i = 1; i <= 1000; ++i) up = up + Amount::stated_up(i * 0.001);
  for (int i = 1000; i >= 1; --i) down = down + Amount::stated_up(i * 0.001);
  EXPECT_EQ(up, down);
  Amount tenths;
  for (int i = 0; i < 10; ++i) tenths = tenths + Amount::stated_up(0.1);
  EXPECT_EQ(tenths, Amount::stated_down(1));
  EXPECT_EQ(Amount::stated_up(0.1).times(10), tenths);
}

TEST(Amount, HugeValuesSaturateAndNeverWrap) {
  const Amount huge = Amount::stated_up(1e300);
  EXPECT_TRUE(huge.is_saturated());
  EXPECT_TRUE(Amount::stated_up(std::numeric_limits<double>::infinity()).is_saturated());
  EXPECT_TRUE(Amount::stated_up(std::nan("")).is_saturated());
  EXPECT_TRUE((huge + huge).is_saturated());
  EXPECT_TRUE(Amount::stated_up(1).times(std::numeric_limits<std::int64_t>::max()).is_saturated());
  EXPECT_TRUE(huge.times(1'000'000'000).is_saturated());
}

TEST(Amount, TextReadsBackAndOnlyCanonicalTextIsRead) {
  for (const double value : {0.0, 0.1, 1e-30, 1.0, 999999.5}) {
    const Amount amount = Amount::stated_up(value);
    EXPECT_EQ(value_of(Amount::parse(amount.text())), amount);
  }
  for (const char* text : {"", ".", "1.", ".5", "01", "1.0", "1e3", "-1", "+1", " 1", "1 ",
                           "0.0000000000000000000000000000001", "99999999", "1,5", "0x1"}) {
    EXPECT_FALSE(Amount::parse(text)) << text;
  }
}

TEST(Amount, WhatIsLeftIsNeverNegative) {
  EXPECT_EQ(Amount::stated_up(0.3).left_of(Amount::stated_up(1)).text(), "0.7");
  EXPECT_TRUE(Amount::stated_up(2).left_of(Amount::stated_up(1)).is_zero());
  EXPECT_EQ(Amount::stated_up(1e-6).hundredths(10).text(), "0.0000001");
  EXPECT_EQ(Amount::stated_up(1e-30).hundredths(99).text(), "0");
  EXPECT_EQ(Amount::saturated().hundredths(100), Amount::saturated());
}

}  // namespace
}  // namespace chronoveil::ledger::testing
