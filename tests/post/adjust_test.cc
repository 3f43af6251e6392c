#include "chronoveil/post/adjust.h"

#include <gtest/gtest.h>

#include <cmath>

namespace chronoveil::post {
namespace {

const Estimate kEstimate{.value = {-3.2, 0.5, 2.49, -0.5, 0.49999999999999994},
                         .lower = {-9.5, -2, 1.01, -1, -0.25},
                         .upper = {-0.5, 3.2, 4, 0, 0.75},
                         .sampled = {1, 0, 1, 0, 1}};

TEST(Adjust, NonNegativeClipsValuesAndIntervals) {
  const Estimate e = non_negative(kEstimate);
  EXPECT_EQ(e.value, (std::vector<double>{0, 0.5, 2.49, 0, 0.49999999999999994}));
  EXPECT_EQ(e.lower, (std::vector<double>{0, 0, 1.01, 0, 0}));
  EXPECT_EQ(e.upper, (std::vector<double>{0, 3.2, 4, 0, 0.75}));
  EXPECT_EQ(e.sampled, kEstimate.sampled);
}

TEST(Adjust, IntegersRoundValuesToTheNearestAndIntervalsOutward) {
  const Estimate e = to_integers(kEstimate);
  EXPECT_EQ(e.value, (std::vector<double>{-3, 1, 2, 0, 0}));
  EXPECT_EQ(e.lower, (std::vector<double>{-10, -2, 1, -1, -1}));
  EXPECT_EQ(e.upper, (std::vector<double>{0, 4, 4, 0, 1}));
  EXPECT_EQ(e.sampled, kEstimate.sampled);
  for (const std::vector<double>* each : {&e.value, &e.lower, &e.upper})
    for (const double x : *each) EXPECT_FALSE(x == 0 && std::signbit(x));
}

TEST(Adjust, NoTrueCountDropsOutOfItsInterval) {
  for (int truth = 0; truth < 5; ++truth)
    for (std::size_t t = 0; t < kEstimate.value.size(); ++t) {
      const auto holds = [&](const Estimate& e) { return e.lower[t] <= truth && truth <= e.upper[t]; };
      if (!holds(kEstimate)) continue;
      EXPECT_TRUE(holds(non_negative(kEstimate)));
      EXPECT_TRUE(holds(to_integers(kEstimate)));
      EXPECT_TRUE(holds(to_integers(non_negative(kEstimate))));
    }
}

}  // namespace
}  // namespace chronoveil::post
