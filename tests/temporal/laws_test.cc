// What is no law is refused, by the name of the parameter that is wrong.
#include <gtest/gtest.h>

#include <limits>

#include "chronoveil/temporal/switching.h"

namespace chronoveil::temporal {
namespace {

std::string named(const Result<void>& checked) {
  return checked ? "" : checked.error().text().substr(0, checked.error().text().find(':'));
}

TEST(SwitchLaw, AWindowHoldsAtLeastTwoSteps) {
  for (const std::int64_t window : {std::int64_t{-5}, std::int64_t{0}, std::int64_t{1}, kLargestWindow + 1})
    EXPECT_EQ(named(check(SwitchLaw{window, 0.9, false})), "window");
  EXPECT_TRUE(check(SwitchLaw{2, 0.5, true}));
  EXPECT_TRUE(check(SwitchLaw{kLargestWindow, 0.5, false}));
}

TEST(SwitchLaw, StayingIsAtLeastAsLikelyAsAnyMove) {
  for (const double stay : {0.2, 0.0, -0.5, 1.0, 1.5, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(named(check(SwitchLaw{4, stay, false})), "stay");
  EXPECT_TRUE(check(SwitchLaw{4, 0.25, false}));
  EXPECT_TRUE(check(SwitchLaw{4, 1 - 0x1p-53, false}));
}

}  // namespace
}  // namespace chronoveil::temporal
