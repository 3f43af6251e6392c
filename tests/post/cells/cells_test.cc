#include "chronoveil/post/cells/cells.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "post/cells/city.h"

namespace chronoveil::post {
namespace {

using Eigen::ArrayXXd;
using Eigen::Index;
using testing::City;

std::vector<double> by_place(const ArrayXXd& cells) {
  std::vector<double> all;
  for (Index p = 0; p < cells.rows(); ++p)
    for (Index t = 0; t < cells.cols(); ++t) all.push_back(cells(p, t));
  return all;
}

struct Outcome {
  double raw = 0, smooth = 0, covered = 0, width = 0, off_mean = 0;
};
// Mean absolute errors, the share of 95 % intervals that hold, and their widths against those as measured.
Outcome outcome(const City& city, const CellsSpec& spec, int trials) {
  const double half_width = std::log(20.0) / std::sqrt(2.0);  // of Laplace noise with deviation 1
  std::mt19937_64 random(8);
  Outcome all;
  double count = 0;
  const std::vector<double> truth = by_place(city.truth), deviations = by_place(city.deviations);
  for (int trial = 0; trial < trials; ++trial) {
    const std::vector<double> values = by_place(city.measured(random));
    const SmoothedCells made = smooth_cells(values, deviations, spec);
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (deviations[i] == 0) continue;
      ++count;
      all.raw += std::abs(values[i] - truth[i]);
      all.smooth += std::abs(made.values[i] - truth[i]);
      all.covered += std::abs(made.values[i] - truth[i]) <= half_width * deviations[i] * made.widths[i];
      all.width += made.widths[i];
      sum += made.values[i] - values[i];
    }
    all.off_mean = std::max(all.off_mean, std::abs(sum));
  }
  for (double* each : {&all.raw, &all.smooth, &all.covered, &all.width}) *each /= count;
  return all;
}

TEST(SmoothCells, BorrowsFromNeighboursAndItsIntervalsHold) {
  for (const double noise : {0.5, 3.0, 20.0}) {
    const City city(49, 24, 4, noise);
    const Outcome with = outcome(city, city.spec(), 4);
    EXPECT_LT(with.smooth, 0.55 * with.raw) << noise;
    EXPECT_GT(with.covered, 0.93) << noise;
    EXPECT_LT(with.width, 0.75) << noise;
    CellsSpec nowhere = city.spec();
    nowhere.middles.clear();
    const Outcome without = outcome(city, nowhere, 4);
    EXPECT_LT(without.smooth, 0.9 * without.raw) << noise;
    EXPECT_GT(without.covered, 0.93) << noise;
    EXPECT_TRUE(noise > 10 || with.smooth < without.smooth) << "knowing where places are helps";
  }
}

TEST(SmoothCells, LeavesAloneWhatHasNothingInCommon) {
  City city(36, 12, 5);
  std::mt19937_64 random(9);
  std::normal_distribution<double> one;
  city.truth = ArrayXXd::NullaryExpr(36, 12, [&] { return 200 * one(random); });
  const Outcome made = outcome(city, city.spec(), 10);
  EXPECT_LT(made.smooth, 1.01 * made.raw);
  EXPECT_NEAR(made.covered, 0.95, 0.02);
}

TEST(SmoothCells, GivesTheMeanOfAllCellsBackWhereThatIsCheap) {
  const City city(49, 24, 4, 3);
  EXPECT_LT(outcome(city, city.spec(), 3).off_mean, 1e-8);
}

TEST(SmoothCells, IsTheSameEveryTime) {
  const City city(12, 9, 4);
  std::mt19937_64 random(10);
  const std::vector<double> values = by_place(city.measured(random)), deviations = by_place(city.deviations);
  const SmoothedCells once = smooth_cells(values, deviations, city.spec());
  const SmoothedCells twice = smooth_cells(values, deviations, city.spec());
  EXPECT_EQ(once.values, twice.values);
  EXPECT_EQ(once.widths, twice.widths);
}

TEST(SmoothCells, WhatACellThatIsNotThereHoldsDoesNotMatter) {
  const City city(12, 9, 4);
  std::mt19937_64 random(11);
  std::vector<double> values = by_place(city.measured(random));
  const std::vector<double> deviations = by_place(city.deviations);
  const SmoothedCells once = smooth_cells(values, deviations, city.spec());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (deviations[i] == 0) values[i] = std::numeric_limits<double>::quiet_NaN();
  const SmoothedCells twice = smooth_cells(values, deviations, city.spec());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (deviations[i] == 0) {
      EXPECT_TRUE(std::isnan(twice.values[i]));
    } else {
      EXPECT_EQ(once.values[i], twice.values[i]);
    }
  }
}

TEST(SmoothCells, ScalesWithItsUnits) {
  const City city(12, 9, 4);
  std::mt19937_64 random(12);
  const ArrayXXd z = city.measured(random);
  const SmoothedCells once = smooth_cells(by_place(z), by_place(city.deviations), city.spec());
  const SmoothedCells large = smooth_cells(by_place(1024 * z), by_place(1024 * city.deviations), city.spec());
  for (std::size_t i = 0; i < once.values.size(); ++i) {
    EXPECT_EQ(large.values[i], 1024 * once.values[i]);
    EXPECT_EQ(large.widths[i], once.widths[i]);
  }
}

TEST(SmoothCells, FewCellsStayAsMeasured) {
  const auto stays = [](const std::vector<double>& values, const std::vector<double>& deviations,
                        const CellsSpec& spec) {
    const SmoothedCells made = smooth_cells(values, deviations, spec);
    EXPECT_EQ(made.values, values);
    EXPECT_EQ(made.widths, std::vector<double>(values.size(), 1));
  };
  stays({21.5}, {2}, {});
  stays({21.5, 3}, {2, 0}, {.places = 2});
  stays({21.5, 3}, {0, 0}, {.steps = 2});
}

TEST(SmoothCells, OnePlaceAndOneSlotAreSmoothedToo) {
  for (const auto& [places, steps] : {std::pair<Index, Index>{1, 60}, {60, 1}}) {
    const City city(places, steps, 0, 4);
    const Outcome made = outcome(city, city.spec(), 20);
    EXPECT_LT(made.smooth, 0.8 * made.raw) << places;
    EXPECT_GT(made.covered, 0.93) << places;
  }
}

}  // namespace
}  // namespace chronoveil::post
