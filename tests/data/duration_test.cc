#include "chronoveil/data/time/duration.h"

#include <gtest/gtest.h>

namespace chronoveil::data::testing {
namespace {

TEST(Duration, IsAWholeNumberAndAUnit) {
  EXPECT_EQ(parse_duration("0s"), 0);
  EXPECT_EQ(parse_duration("30s"), 30'000);
  EXPECT_EQ(parse_duration("5min"), 300'000);
  EXPECT_EQ(parse_duration("2h"), 7'200'000);
  EXPECT_EQ(parse_duration("1d"), 86'400'000);
  EXPECT_EQ(parse_duration("1000000w"), 1'000'000LL * 7 * 86'400'000);
  for (const char* text : {"", "s", "5", "5m", "-1s", "1.5h", "1000001s", "99999999999999999999s", "1s ", " 1s"})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

}  // namespace
}  // namespace chronoveil::data::testing
