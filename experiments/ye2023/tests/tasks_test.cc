#include "ye2023/tasks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "ye2023/releases.h"

namespace chronoveil::ye2023 {
namespace {

TEST(MovingAverageError, IsTheRootOfTheSquaresOverTheNumberOfAverages) {
  // Averages over 2: 1.5, 2.5, 3.5 against 1.5, 3.5, 3.5.
  EXPECT_DOUBLE_EQ(moving_average_error({1, 2, 3, 4}, {1, 2, 5, 2}, 2), 1.0 / 3);
  EXPECT_DOUBLE_EQ(moving_average_error({1, 2, 3}, {4, 5, 6}, 1), std::sqrt(27.0) / 3);
  EXPECT_EQ(moving_average_error({1, 2, 3}, {3, 2, 1}, 3), 0);
}

TEST(CountError, AddsUpWhatWasMissedUntilItComesBack) {
  // Counts 1 1 2 against 0 1 2: one step off by one, of three.
  EXPECT_DOUBLE_EQ(count_error({true, false, true}, {0, 1, 1}), 1.0 / 3);
  // What is lost at the start is missing in every count after.
  EXPECT_DOUBLE_EQ(count_error({true, false, false, false}, {0, 0, 0, 0}), 2.0 / 4);
}

TEST(Distances, AreMeansOverTheStepsInKilometres) {
  const Trajectory here = {{-122.3, 37.65}, {-122.3, 37.65}};
  const Trajectory north = {{-122.3, 37.66}, {-122.3, 37.68}};
  const Trajectory east = {{-122.29, 37.65}, {-122.29, 37.65}};
  const std::vector<double> d = distances({here, north, east});
  EXPECT_NEAR(d[1], 0.02 * 111.195, 1e-4);
  EXPECT_EQ(d[3], d[1]);
  EXPECT_NEAR(d[2], 0.01 * 111.195 * std::cos(37.65 / 180 * 3.14159265), 1e-4);
  EXPECT_EQ(d[4], 0);
}

std::vector<double> on_a_line(const std::vector<double>& points) {
  std::vector<double> d;
  for (const double a : points)
    for (const double b : points) d.push_back(std::abs(a - b));
  return d;
}

TEST(MedoidGroups, AreTheClustersThatLieApart) {
  const std::vector<std::size_t> groups = medoid_groups(on_a_line({0, 1, 2, 100, 101, 102, 300, 301}), 3);
  EXPECT_EQ(groups[0], groups[2]);
  EXPECT_EQ(groups[3], groups[5]);
  EXPECT_EQ(groups[6], groups[7]);
  EXPECT_NE(groups[0], groups[3]);
  EXPECT_NE(groups[3], groups[6]);
  EXPECT_NE(groups[0], groups[6]);
}

TEST(MedoidGroups, HaveEveryObjectWithTheNearestMedoidAlsoWhenAllAreTheSame) {
  for (const std::size_t group : medoid_groups(on_a_line({5, 5, 5, 5}), 2)) EXPECT_EQ(group, 0U);
}

TEST(MutualInformation, IsOneForTheSameGroupsByOtherNamesAndZeroForIndependentOnes) {
  EXPECT_DOUBLE_EQ(mutual_information({0, 0, 1, 1, 2}, {2, 2, 0, 0, 1}), 1);
  EXPECT_NEAR(mutual_information({0, 0, 1, 1}, {0, 1, 0, 1}), 0, 1e-12);
  EXPECT_DOUBLE_EQ(mutual_information({0, 0, 0}, {1, 1, 1}), 1);
  EXPECT_NEAR(mutual_information({0, 0, 0, 0}, {0, 1, 0, 1}), 0, 1e-12);
  // H(A) = ln 2, H(B) = 1.5 ln 2, I = ln 2.
  EXPECT_NEAR(mutual_information({0, 0, 1, 1}, {0, 0, 1, 2}), 0.8, 1e-12);
}

TEST(CostOf, CountsDistancesAndTheWindowForEveryEmptyStepAndMissingValue) {
  Moved moved;
  for (std::int64_t i = 0; i < 200; ++i) moved.from.push_back(i ^ 1);  // neighbours exchanged
  EXPECT_DOUBLE_EQ(cost_of(moved, 10).mean, 1);
  EXPECT_DOUBLE_EQ(cost_of(moved, 10).standard_error, 0);
  moved.from[6] = kEmpty;  // where a distance of 1 was
  moved.missing = 1;
  EXPECT_DOUBLE_EQ(cost_of(moved, 10).mean, (199.0 + 10 + 10) / 200);
  EXPECT_GT(cost_of(moved, 10).standard_error, 0);
}

TEST(Rearranged, RepeatsTheLastValueWhereAStepIsEmpty) {
  const Moved moved{.from = {kEmpty, 1, kEmpty, 0}, .missing = 2};
  EXPECT_EQ(rearranged<double>({1, 2, 3, 4}, moved), (std::vector<double>{2, 2, 2, 1}));
}

}  // namespace
}  // namespace chronoveil::ye2023
