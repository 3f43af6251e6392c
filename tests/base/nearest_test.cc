#include "chronoveil/base/nearest.h"

#include <gtest/gtest.h>

namespace chronoveil {
namespace {

TEST(Nearest, NamesTheMostAlikeFirst) {
  EXPECT_EQ(nearest("epsilom", {"delta", "epsilon"}), "epsilon");
  EXPECT_EQ(nearest("max_step", {"max_per_slot", "max_steps", "maximum"}, "privacy."), "privacy.max_steps");
}

TEST(Nearest, NamesOneInAnyCaseAndAtMostThree) {
  EXPECT_EQ(nearest("x", {"completely", "different"}), "different");
  EXPECT_EQ(nearest("ab", {"aa", "bb", "ac", "ad"}), "aa, bb, ac");
  EXPECT_EQ(nearest("x", {}), "");
}

}  // namespace
}  // namespace chronoveil
