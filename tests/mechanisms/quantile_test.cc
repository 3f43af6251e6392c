#include "chronoveil/mechanisms/cells/quantile.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cell_neighbours.h"
#include "cell_setting.h"

namespace chronoveil::mechanisms {
namespace {

using testing::cell_of_means;
using testing::cell_plan;
using testing::cell_request;
using testing::MadeUpCell;

constexpr std::uint32_t kUpper = 545'259'520;  // U of values in [0, 65]
constexpr double kStep = 65.0 / kUpper;

const CellMechanism* const kBoth[] = {&fixed_quantile(), &epsilon_quantile()};

const accounting::Compose& parts(const CellsPlan& plan) { return std::get<accounting::Compose>(plan.event.kind); }
const accounting::Exponential& choice(const CellsPlan& plan) {
  return std::get<accounting::Exponential>(parts(plan).events[0].kind);
}

double value(const Rank& rank) { return static_cast<double>(rank.numerator) / static_cast<double>(rank.denominator); }

TEST(QuantileRanks, AreTenthsOrAsManyAsTwoOverEpsilon) {
  EXPECT_EQ(value(fixed_ranks(2000).low), 200);
  EXPECT_EQ(value(fixed_ranks(2000).high), 1800);
  EXPECT_EQ(value(fixed_ranks(1).low), 0.1);
  EXPECT_EQ(value(fixed_ranks(1).high), 0.9);
  EXPECT_EQ(value(epsilon_ranks(100, 0.5).low), 4);
  EXPECT_EQ(value(epsilon_ranks(100, 0.5).high), 96);
  EXPECT_EQ(value(epsilon_ranks(100, 0.49).low), 5);
  EXPECT_EQ(value(epsilon_ranks(100, 50).low), 1);
  // At most the half, on both sides.
  for (const double share : {0.5, 1e-9}) {
    EXPECT_EQ(value(epsilon_ranks(7, share).low), 3.5);
    EXPECT_EQ(value(epsilon_ranks(7, share).high), 3.5);
  }
  EXPECT_EQ(value(epsilon_ranks(1, 100).low), 0.5);
}

TEST(QuantileRanks, AShareThatWasRoundedDownCountsAsWhatItWas) {
  EXPECT_EQ(value(epsilon_ranks(100, std::nextafter(1.0 / 3, 0)).low), 6);
  EXPECT_EQ(value(epsilon_ranks(100, 0.1 * (1 - 1e-15)).low), 20);
}

TEST(QuantileRanks, FollowTheShareOfTheCellNotTheBudgetOfTheCity) {
  CellRequest request = cell_request(2);
  request.shape.places = 10;
  request.shape.max_cells = 4;
  EXPECT_EQ(value(ranks_of(cell_plan(epsilon_quantile(), request), 1000).low), 4);
  EXPECT_EQ(value(ranks_of(cell_plan(fixed_quantile(), request), 1000).low), 100);
}

TEST(Quantile, SpendsItsShareOnTwoChoicesAndTheNoiseRoundingIncluded) {
  const double charge = noise::charge_of_grid_points(kLogWeightError);
  for (const CellMechanism* row : kBoth) {
    for (const double epsilon : {1e-6, 0.5, 1.0, 20.0}) {
      const CellsPlan plan = cell_plan(*row, cell_request(epsilon));
      EXPECT_EQ(quantile_rate(plan), plan.share / 8);
      ASSERT_EQ(parts(plan).events.size(), 2u);
      EXPECT_EQ(parts(plan).events[0].count, 2);
      EXPECT_GE(choice(plan).epsilon, plan.share / 4 + charge);
      EXPECT_EQ(std::get<accounting::Laplace>(parts(plan).events[1].kind).noise_multiplier, plan.noise_multiplier);
      EXPECT_LE(2 * choice(plan).epsilon + 1 / plan.noise_multiplier, plan.share * (1 + 1e-15));
      EXPECT_NEAR(plan.noise_multiplier * (plan.share / 2 - 2 * charge), 1, 1e-12);
      EXPECT_EQ(plan.price.certificate == Certificate::as_published, false);
      EXPECT_LE(plan.price.epsilon, epsilon);
      EXPECT_GT(plan.price.epsilon, epsilon * (1 - 1e-9));
    }
  }
}

TEST(Quantile, AsPublishedIsMarkedAndALedgerIsToldTheTrueCost) {
  for (const CellMechanism* row : kBoth) {
    EXPECT_TRUE(row->has_published);
    CellRequest request = cell_request(1);
    request.shape.places = 10;
    request.shape.max_cells = 3;
    const CellsPlan certified = cell_plan(*row, request);
    request.analysis = accounting::Analysis::published;
    const CellsPlan plan = cell_plan(*row, request);
    EXPECT_EQ(quantile_rate(plan), plan.share / 4);
    EXPECT_EQ(plan.share, certified.share);
    EXPECT_EQ(plan.noise_multiplier, certified.noise_multiplier);
    EXPECT_EQ(plan.price.analysis, accounting::Analysis::published);
    EXPECT_EQ(plan.price.certificate, Certificate::as_published);
    EXPECT_LE(plan.price.epsilon, 1);
    EXPECT_EQ(plan.event.count, 3);
    EXPECT_GE(choice(plan).epsilon, plan.share / 2);
    const accounting::Price truth = *accounting::epsilon_at(plan.event, *Delta::make(0));
    EXPECT_NEAR(truth.epsilon, 1.5, 1e-6);
    EXPECT_NEAR(truth.epsilon_lower, 1.5, 1e-6);
    Draws draws = Draws::seeded(1);
    EXPECT_TRUE(row->measure(plan, cell_of_means({1, 2, 3}, 4, kUpper).view(), draws));
  }
}

TEST(Quantile, ComposesWhatOnePersonSpendsInManyCells) {
  CellRequest request = cell_request(1);
  request.shape.places = 40;
  request.shape.max_cells = 30;
  request.delta = 1e-6;
  for (const CellMechanism* row : kBoth) {
    const CellsPlan plan = cell_plan(*row, request);
    EXPECT_EQ(plan.event.count, 30);
    EXPECT_GT(plan.share, 1.2 / 30);
    EXPECT_LE(plan.price.epsilon, 1);
    EXPECT_EQ(plan.delta, 1e-6);
  }
}

TEST(Quantile, LooksAtPublicCountsAlone) {
  const std::vector<std::uint32_t> counts(1000, 100);
  const CellsPlan fixed = cell_plan(fixed_quantile(), cell_request(1));
  const CellFacts facts = *fixed_quantile().look(fixed, counts);
  EXPECT_EQ(facts.users, 1000);
  EXPECT_EQ(facts.m_ub, 100);
  EXPECT_EQ(facts.arrays, 1000);
  EXPECT_EQ(facts.sensitivity, 0.065);
  EXPECT_EQ(facts.scale, 0.065 * fixed.noise_multiplier);
  // The 10 and 90 % quantiles of 1000 means of 100 are about 1.28 U / 10 apart, and hardly ever missed: the weight
  // outside is e^-12.5 = 3.7e-6, against 0.128 × 16 / 1000 = 2.05e-3 inside.
  const double width = 0.12816 + std::exp(-12.5) / (std::exp(-12.5) + 0.12816 * 16 / 1000);
  EXPECT_NEAR(facts.expected_noise, 0.065 * fixed.noise_multiplier * width, 1e-5);
  // With two array means nothing holds a quantile back, and the guess ends at U.
  const std::vector<std::uint32_t> two(2, 1);
  EXPECT_NEAR(fixed_quantile().look(fixed, two)->expected_noise, 32.5 * fixed.noise_multiplier, 1e-9);
  // The rank 2/ε leaves e^-1/4 outside, however many there are.
  const CellsPlan epsilon = cell_plan(epsilon_quantile(), cell_request(1));
  EXPECT_GT(epsilon_quantile().look(epsilon, counts)->expected_noise, facts.expected_noise);
}

TEST(Quantile, ReleasesTheMeanOfWhatLiesBetween) {
  // So large an ε that both quantiles are sure to fall into the intervals of their ranks, and the noise is nothing.
  std::vector<std::uint32_t> means;
  for (std::uint32_t i = 1; i <= 20; ++i) means.push_back(kUpper / 2 + i * 1000);
  means[0] = 0;
  means[19] = kUpper;
  const MadeUpCell cell = cell_of_means(means, 5, kUpper);
  const CellsPlan plan = cell_plan(fixed_quantile(), cell_request(1e7));
  Draws draws = Draws::seeded(2);
  const CellEstimate estimate = *fixed_quantile().measure(plan, cell.view(), draws);
  // Ranks 2 and 18 of 20: a is in [z_2, z_3), b in [z_18, z_19).
  const double least = kStep * static_cast<double>(clamped_sum(means, {means[1], means[17]})) / 20;
  const double most = kStep * static_cast<double>(clamped_sum(means, {means[2], means[18]})) / 20;
  EXPECT_GT(estimate.mean, least - 1e-6);
  EXPECT_LT(estimate.mean, most + 1e-6);
  EXPECT_EQ(estimate.state, CellEstimate::State::published);
}

TEST(Quantile, WhatHasNoWidthIsReleasedWithoutNoise) {
  // Only one step to choose from: a = b = 0. Nothing is read from the tape, which is empty.
  const MadeUpCell cell = cell_of_means({0, 1, 1}, 2, 1);
  for (const CellMechanism* row : kBoth) {
    CellRequest request = cell_request(0.01);
    request.shape.lower = -3;
    const CellsPlan plan = cell_plan(*row, request);
    Draws draws = Draws::replayed({std::vector<double>{}, {}});
    const CellEstimate estimate = *row->measure(plan, cell.view(), draws);
    EXPECT_EQ(estimate.mean, -3);
    EXPECT_EQ(estimate.lower, -3);
    EXPECT_EQ(estimate.upper, -3);
  }
}

TEST(Quantile, MeansThatAreAllEqualAndAtTheEndsAreReleased) {
  for (const CellMechanism* row : kBoth) {
    const CellsPlan plan = cell_plan(*row, cell_request(1));
    Draws draws = Draws::seeded(5);
    for (const std::uint32_t same : {0u, kUpper / 2, kUpper}) {
      for (const std::size_t arrays : {1u, 2u, 50u}) {
        const auto released =
            row->measure(plan, cell_of_means(std::vector<std::uint32_t>(arrays, same), 3, kUpper).view(), draws);
        ASSERT_TRUE(released);
        EXPECT_TRUE(std::isfinite(released->mean));
      }
    }
  }
}

TEST(Quantile, TheWholeReleaseKeepsItsShareOnTheWorstNeighbours) {
  // A user from one end to the other, alone and beside two that make the first quantile move.
  const std::vector<std::uint32_t> nine_tenths = {0, kUpper / 10 * 9, kUpper};
  const std::pair<MadeUpCell, MadeUpCell> neighbours[] = {
      {cell_of_means({0}, 60, kUpper), cell_of_means({kUpper}, 60, kUpper)},
      {cell_of_means(nine_tenths, 60, kUpper), cell_of_means({kUpper, nine_tenths[1], kUpper}, 60, kUpper)}};
  for (const CellMechanism* row : kBoth) {
    const CellsPlan plan = cell_plan(*row, cell_request(2));
    CellsPlan twin = plan;
    twin.noise_multiplier /= 5;
    double honest = 0, broken = 0;
    for (const auto& [one, other] : neighbours) {
      const std::vector<double> levels = {-20, 0, 10, 20, 32.5, 45, 55, 65, 85}, widths = {10, 50};
      honest = std::max(honest, testing::attained_epsilon(*row, plan, one, other, levels, widths, testing::kReleases));
      broken = std::max(broken, testing::attained_epsilon(*row, twin, one, other, levels, widths, testing::kReleases));
    }
    EXPECT_LE(honest, plan.share) << row->name;
    EXPECT_GT(honest, 0.3 * plan.share) << row->name;
    EXPECT_GT(broken, plan.share) << row->name;
  }
}

TEST(Quantile, RefusesWrappedArraysAndSaysWhy) {
  for (const CellMechanism* row : kBoth) {
    CellRequest request = cell_request(1);
    request.parameters["grouping"] = std::string("wrap_around");
    const auto refused = row->prepare(request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
    EXPECT_NE(refused.error().text().find("it must be best_fit for " + std::string(row->name)), std::string::npos)
        << refused.error().text();
    EXPECT_NE(refused.error().text().find("one user moves two"), std::string::npos);
  }
}

TEST(Quantile, RefusesABudgetThatExactChoicesWouldUseUp) {
  for (const CellMechanism* row : kBoth) {
    EXPECT_TRUE(row->prepare(cell_request(1e-8)));
    const auto refused = row->prepare(cell_request(5e-9));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
    CellRequest city = cell_request(1e-8);
    city.shape.places = city.shape.max_cells = 2;
    EXPECT_FALSE(row->prepare(city));
    EXPECT_FALSE(row->prepare(cell_request(0)));
  }
}

TEST(Quantile, DoesNotRunAPlanThatChoosesForMoreThanWasDebited) {
  for (const CellMechanism* row : kBoth) {
    CellsPlan plan = cell_plan(*row, cell_request(1));
    const MadeUpCell cell = cell_of_means({5, 6}, 3, kUpper);
    Draws draws = Draws::seeded(1);
    EXPECT_TRUE(row->measure(plan, cell.view(), draws));
    // Without the half, but with an event that has it.
    plan.price.analysis = accounting::Analysis::published;
    const auto refused = row->measure(plan, cell.view(), draws);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::internal);
    plan.price.analysis = accounting::Analysis::certified;
    std::get<accounting::Compose>(plan.event.kind).events[0].count = 1;
    EXPECT_FALSE(row->measure(plan, cell.view(), draws));
  }
}

}  // namespace
}  // namespace chronoveil::mechanisms
