#include "chronoveil/base/staircase.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace chronoveil {
namespace {

TEST(StaircaseLevel, IsFlatOnThePlateauAndRisesByOneEveryWindowLessOne) {
  EXPECT_EQ(staircase_level(0, 5, 2), 0);
  EXPECT_EQ(staircase_level(-1, 5, 2), 0);
  EXPECT_EQ(staircase_level(2, 5, 2), 1);
  EXPECT_EQ(staircase_level(-5, 5, 2), 1);
  EXPECT_EQ(staircase_level(6, 5, 2), 2);
}

TEST(StaircaseLevel, AShiftByLessThanAWindowChangesItByAtMostOne) {
  for (std::int64_t window = 2; window <= 7; ++window) {
    for (std::int64_t plateau = 1; plateau < window; ++plateau) {
      for (std::int64_t x = -40; x <= 40; ++x) {
        for (std::int64_t shift = 1 - window; shift < window; ++shift) {
          const auto change = staircase_level(x + shift, window, plateau) - staircase_level(x, window, plateau);
          ASSERT_LE(std::abs(change), 1);
        }
      }
    }
  }
}

// E|x|, added up point by point until nothing is left.
long double mean_size(std::int64_t window, double epsilon, std::int64_t plateau) {
  long double weights = 1, sizes = 0;
  for (std::int64_t x = 1;; ++x) {
    const long double weight = std::exp(-static_cast<long double>(epsilon) / 2 *
                                        static_cast<long double>(staircase_level(x, window, plateau)));
    if (weight < 1e-22L) return sizes / weights;
    weights += 2 * weight;
    sizes += 2 * weight * static_cast<long double>(x);
  }
}

TEST(NearestPlateau, HasTheLeastMeanSizeOfAllPlateaus) {
  for (const std::int64_t window : {2, 3, 4, 7, 20, 41}) {
    for (const double epsilon : {0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 14.0}) {
      const std::int64_t chosen = nearest_plateau(window, epsilon);
      ASSERT_GE(chosen, 1);
      ASSERT_LE(chosen, window - 1);
      const long double least = mean_size(window, epsilon, chosen);
      for (std::int64_t r = 1; r < window; ++r) {
        const long double other = mean_size(window, epsilon, r);
        EXPECT_GE(other, least * (1 - 1e-14L)) << window << ' ' << epsilon << ' ' << r;
        if (r < chosen) {
          EXPECT_GT(other, least) << window << ' ' << epsilon << ' ' << r;
        }
      }
    }
  }
}

TEST(NearestPlateau, IsOneForALargeEpsilonAndHalfAWindowForASmallOne) {
  EXPECT_EQ(nearest_plateau(2, 0.1), 1);
  EXPECT_EQ(nearest_plateau(80, 100), 1);
  EXPECT_EQ(nearest_plateau(81, 1e-9), 40);
  EXPECT_EQ(nearest_plateau(std::int64_t{1} << 20, 1e-9), std::int64_t{1} << 19);
  EXPECT_EQ(nearest_plateau(80, 5000), 1);  // e^(ε/2) is more than a double holds
}

// Found by sorting 400,000 made-up values for every r near the best, some percent apart from the next.
TEST(StaircasePlateau, HasTheLeastCostOfSortedValues) {
  EXPECT_EQ(staircase_plateau(4, 6), 1);
  EXPECT_EQ(staircase_plateau(10, 4), 3);
  EXPECT_EQ(staircase_plateau(10, 8), 2);
  EXPECT_EQ(staircase_plateau(10, 9), 2);
  EXPECT_EQ(staircase_plateau(10, 12), 1);
  EXPECT_EQ(staircase_plateau(40, 10), 4);
  EXPECT_EQ(staircase_plateau(40, 12), 3);
  EXPECT_EQ(staircase_plateau(40, 14), 2);
}

// Debits and devices that do not say their plateau mean this one, whichever version wrote them.
TEST(StaircasePlateau, NeverChanges) {
  const double epsilons[] = {0.1, 0.5, 1, 2, 3, 4, 6, 8, 10, 14, 20};
  const std::map<std::int64_t, std::vector<std::int64_t>> frozen = {
      {2, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
      {3, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
      {4, {2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1}},
      {8, {4, 4, 4, 3, 3, 3, 2, 2, 1, 1, 1}},
      {10, {5, 5, 5, 4, 4, 3, 2, 2, 2, 1, 1}},
      {24, {12, 11, 11, 10, 8, 7, 5, 4, 3, 2, 1}},
      {40, {20, 19, 18, 16, 13, 11, 8, 6, 4, 2, 1}},
      {80, {40, 38, 35, 31, 26, 22, 15, 10, 7, 3, 1}},
      {200, {99, 94, 88, 76, 65, 54, 37, 25, 16, 7, 2}},
      {1000, {494, 469, 438, 378, 321, 270, 183, 120, 77, 30, 8}},
      {1048576, {517735, 491563, 459091, 395880, 336406, 282006, 191287, 124994, 79543, 30737, 7018}}};
  for (const auto& [window, plateaus] : frozen)
    for (std::size_t i = 0; i < plateaus.size(); ++i)
      EXPECT_EQ(staircase_plateau(window, epsilons[i]), plateaus[i]) << window << ' ' << epsilons[i];
}

TEST(StaircasePlateau, IsTheNearestOneAtTheEdges) {
  for (const auto& [window, epsilon] :
       {std::pair<std::int64_t, double>{2, 0.1}, {80, 100}, {80, 5000}, {1 << 20, 1e-9}})
    EXPECT_EQ(staircase_plateau(window, epsilon), nearest_plateau(window, epsilon)) << window << ' ' << epsilon;
}

TEST(KeyScale, IsTheQuotientRoundedUp) {
  for (const std::int64_t window : {2, 3, 10, 80, 1 << 20}) {
    for (const double epsilon : {0.1, 1.0, 1.1, 3.0, 7.7, 1e-6}) {
      const double scale = key_scale(window, epsilon), reach = 2 * static_cast<double>(window - 1);
      EXPECT_GE(std::fma(scale, epsilon, -reach), 0);
      EXPECT_LT(std::fma(std::nextafter(scale, 0), epsilon, -reach), 0);
    }
  }
  EXPECT_EQ(key_scale(3, 2), 2);
}

}  // namespace
}  // namespace chronoveil
