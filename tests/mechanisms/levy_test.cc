#include "chronoveil/mechanisms/cells/levy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cell_neighbours.h"
#include "cell_setting.h"
#include "chronoveil/mechanisms/cells/parts/array_means.h"

namespace chronoveil::mechanisms {
namespace {

using testing::cell_of_means;
using testing::cell_plan;
using testing::cell_request;
using testing::MadeUpCell;

constexpr std::uint32_t kUpper = 545'259'520;  // U of values in [0, 65]
constexpr double kStep = 65.0 / kUpper;

const accounting::Compose& parts(const CellsPlan& plan) { return std::get<accounting::Compose>(plan.event.kind); }

TEST(ArrayMeans, AreRoundedHalvesUpAndStayWithinTheBounds) {
  // Counts 3, 2, 1 with m_ub = 2: the first two fill an array each, of which only the first two records count.
  const std::vector<std::uint32_t> counts = {3, 2, 1};
  const MadeUpCell cell{counts, {1, 2, 1000, 7, 7, 1000}, 1000};
  EXPECT_EQ(array_means(cell.view(), best_fit(counts, 2), 2), (std::vector<std::uint32_t>{2, 7, 1000}));
  // All in one array of six: 2017 / 6 = 336.2.
  EXPECT_EQ(array_means(cell.view(), best_fit(counts, 6), 6), (std::vector<std::uint32_t>{336}));
  const MadeUpCell top{counts, std::vector<std::uint32_t>(6, 1u << 30), 1u << 30};
  EXPECT_EQ(array_means(top.view(), best_fit(counts, 6), 6), (std::vector<std::uint32_t>{1u << 30}));
}

TEST(LevyBins, AreOfTheWidthThatTheMeansOfLongArraysNeed) {
  // τ/U = √(ln(2 × 100 / 0.2) / 800) = 0.0929: 11 bins.
  const LevyBins bins(1'000'000, 100, 400);
  EXPECT_NEAR(bins.width(), 1e6 * std::sqrt(std::log(1000.0) / 800), 1e-6);
  ASSERT_EQ(bins.count(), 11);
  EXPECT_EQ(bins.first(0), 0);
  EXPECT_EQ(bins.first(1), 92'924);  // τ = 92923.05: one step less is in bin 0
  EXPECT_EQ(bins.first(11), 1'000'001);
  // The middle of the bin ± 1.5τ, outward, and cut.
  EXPECT_EQ(bins.around(0).a, 0);
  EXPECT_EQ(bins.around(0).b, 185'847);
  EXPECT_EQ(bins.around(5).a, 371'692);
  EXPECT_EQ(bins.around(5).b, 650'462);
  EXPECT_EQ(bins.around(10).a, 836'307);
  EXPECT_EQ(bins.around(10).b, 1'000'000);
}

TEST(LevyBins, ShortArraysHaveOneBinWithEverythingInIt) {
  for (const std::int64_t arrays : {1, 2, 2000}) {
    const LevyBins bins(kUpper, arrays, 1);
    ASSERT_EQ(bins.count(), 1) << arrays;
    EXPECT_EQ(bins.around(0).a, 0);
    EXPECT_EQ(bins.around(0).b, kUpper);
    EXPECT_EQ(levy_log_weights(bins, {0, kUpper, 5}, 1), std::vector<double>{0});
  }
}

TEST(LevyBins, HoldEveryWholeStepOnceUpToTheUpperBound) {
  for (const std::int64_t m_ub : {1, 3, 10, 100, 100'000}) {
    const LevyBins bins(50, 4, m_ub);
    EXPECT_EQ(bins.first(0), 0);
    EXPECT_EQ(bins.first(bins.count()), 51);
    for (std::int64_t s = 0; s < bins.count(); ++s) {
      EXPECT_LE(bins.first(s), bins.first(s + 1));
      EXPECT_LE(bins.around(s).a, bins.first(s));
      EXPECT_GE(bins.around(s).b, bins.first(s + 1) - 1);
    }
  }
}

TEST(Levy, SpendsItsShareOnTheChoiceAndTheNoiseRoundingIncluded) {
  for (const double epsilon : {1e-6, 0.5, 1.0, 20.0}) {
    const CellsPlan plan = cell_plan(levy(), cell_request(epsilon));
    ASSERT_EQ(parts(plan).events.size(), 2u);
    const auto& choice = std::get<accounting::Exponential>(parts(plan).events[0].kind);
    const auto& noise = std::get<accounting::Laplace>(parts(plan).events[1].kind);
    const double charge = noise::charge_of_log_weights(kLogWeightError);
    EXPECT_GT(charge, 0);
    EXPECT_GE(choice.epsilon, plan.share / 2 + charge);
    EXPECT_EQ(noise.noise_multiplier, plan.noise_multiplier);
    EXPECT_LE(choice.epsilon + 1 / plan.noise_multiplier, plan.share * (1 + 1e-15));
    EXPECT_NEAR(plan.noise_multiplier * (plan.share / 2 - charge), 1, 1e-12);
    EXPECT_EQ(plan.event.count, 1);
    EXPECT_EQ(plan.delta, 0);
    EXPECT_EQ(plan.relation, Relation::replace_values);
    EXPECT_LE(plan.price.epsilon, epsilon);
    EXPECT_GT(plan.price.epsilon, epsilon * (1 - 1e-9));
  }
}

TEST(Levy, SplitsAPureBudgetOverTheCellsOfAPersonAndComposesTheOther) {
  CellRequest request = cell_request(1);
  request.shape.places = 40;
  request.shape.max_cells = 30;
  const CellsPlan pure = cell_plan(levy(), request);
  EXPECT_EQ(pure.event.count, 30);
  EXPECT_NEAR(pure.share, 1.0 / 30, 1e-12);
  EXPECT_LE(pure.price.epsilon, 1);
  request.delta = 1e-6;
  const CellsPlan composed = cell_plan(levy(), request);
  EXPECT_EQ(composed.event.count, 30);
  EXPECT_GT(composed.share, 1.2 * pure.share);
  EXPECT_LE(composed.price.epsilon, 1);
  EXPECT_EQ(composed.delta, 1e-6);
}

TEST(Levy, LooksAtPublicCountsAlone) {
  const CellsPlan plan = cell_plan(levy(), cell_request(1));
  const std::vector<std::uint32_t> counts(100, 400);
  const CellFacts facts = *levy().look(plan, counts);
  EXPECT_EQ(facts.users, 100);
  EXPECT_EQ(facts.m_ub, 400);
  EXPECT_EQ(facts.arrays, 100);
  EXPECT_EQ(facts.fills, counts);
  const double three_bins = 3 * 65 * std::sqrt(std::log(1000.0) / 800);
  EXPECT_NEAR(facts.sensitivity, three_bins / 100, 1e-7);
  EXPECT_GE(facts.sensitivity, three_bins / 100);
  EXPECT_EQ(facts.scale, plan.noise_multiplier * facts.sensitivity);
  EXPECT_EQ(facts.expected_noise, facts.scale);
  // One record each: one bin, and the whole range.
  EXPECT_EQ(levy().look(plan, std::vector<std::uint32_t>(10, 1))->sensitivity, 6.5);
}

TEST(Levy, ReleasesTheMeanOfWhatLiesInTheChosenBins) {
  // All but one in bin 2 of 7 or so; ε so large that the choice is sure and the noise nothing.
  const CellsPlan plan = cell_plan(levy(), cell_request(1e6));
  const std::vector<std::uint32_t> means = {kUpper / 3, kUpper / 3 + 8, kUpper / 3 + 16, kUpper};
  const MadeUpCell cell = cell_of_means(means, 100, kUpper);
  const LevyBins bins(kUpper, 4, 100);
  std::int64_t s = 0;
  while (bins.first(s + 1) <= kUpper / 3) ++s;
  Draws draws = Draws::seeded(3);
  const CellEstimate estimate = *levy().measure(plan, cell.view(), draws);
  EXPECT_NEAR(estimate.mean, kStep * static_cast<double>(clamped_sum(means, bins.around(s))) / 4, 0.001);
  EXPECT_EQ(estimate.state, CellEstimate::State::published);
  EXPECT_LT(estimate.lower, estimate.mean);
  EXPECT_GT(estimate.upper, estimate.mean);
}

TEST(Levy, TheWholeReleaseKeepsItsShareOnTheWorstNeighbours) {
  // One user with everything at one end or the other: the bin moves, and the clamped mean by the whole width.
  const CellsPlan plan = cell_plan(levy(), cell_request(2));
  const MadeUpCell low = cell_of_means({0}, 60, kUpper), high = cell_of_means({kUpper}, 60, kUpper);
  const double narrow = levy().look(plan, low.counts)->scale * -2 * std::log(1 - plan.level) * 0.8;
  const auto attained = [&](const CellsPlan& with) {
    return testing::attained_epsilon(levy(), with, low, high, {0, 10, 20, 32.5, 45, 55, 65},
                                     {narrow * with.noise_multiplier / plan.noise_multiplier}, testing::kReleases);
  };
  const double honest = attained(plan);
  EXPECT_LE(honest, plan.share);
  EXPECT_GT(honest, 0.4 * plan.share);
  CellsPlan twin = plan;
  twin.noise_multiplier /= 3;
  EXPECT_GT(attained(twin), plan.share);
}

TEST(Levy, RefusesWrappedArraysAndSaysWhy) {
  CellRequest request = cell_request(1);
  request.parameters["grouping"] = std::string("wrap_around");
  const auto refused = levy().prepare(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  EXPECT_NE(refused.error().text().find("it must be best_fit for levy"), std::string::npos) << refused.error().text();
  EXPECT_NE(refused.error().text().find("one user moves two"), std::string::npos);
}

TEST(Levy, RefusesABudgetThatExactChoicesWouldUseUp) {
  EXPECT_TRUE(levy().prepare(cell_request(1e-8)));
  const auto refused = levy().prepare(cell_request(1e-9));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  EXPECT_EQ(refused.error().text().find("epsilon: 1e-09 is not valid; it must be at least "), 0u)
      << refused.error().text();
  EXPECT_FALSE(levy().prepare(cell_request(0)));
}

TEST(Levy, DoesNotRunAPlanThatChoosesForMoreThanWasDebited) {
  CellsPlan plan = cell_plan(levy(), cell_request(1));
  const MadeUpCell cell = cell_of_means({5, 6}, 3, kUpper);
  Draws draws = Draws::seeded(1);
  EXPECT_TRUE(levy().measure(plan, cell.view(), draws));
  plan.share *= 1.001;
  const auto refused = levy().measure(plan, cell.view(), draws);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::internal);
}

}  // namespace
}  // namespace chronoveil::mechanisms
