// subsample: its plan, its interpolation with replayed draws, its kept steps, and the privacy that it really has.
#include "chronoveil/mechanisms/series/subsample.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "chronoveil/mechanisms/draws.h"
#include "mechanisms/empirical_profile.h"
#include "mechanisms/sampled_request.h"
#include "noise/statistics.h"

namespace chronoveil::mechanisms {
namespace {

TEST(Subsample, ThePlanIsPricedForThePersonsSteps) {
  const auto plan = subsample().prepare(request_for(1, 1800, 180));
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(event_of(*plan).participation, 180);
  EXPECT_EQ(event_of(*plan).rate, 0.1);
  EXPECT_EQ(event_of(*plan).length, 1800);
  EXPECT_FALSE(event_of(*plan).filter_width);
  EXPECT_LE(plan->price.epsilon, 0.5);
  EXPECT_NEAR(plan->scale, 26.09, 0.01);  // the exact analysis at p = 0.1, I = 180
  EXPECT_GE(plan->scale, event_of(*plan).noise_multiplier);
  EXPECT_EQ(plan->measured, 180);
}

TEST(Subsample, NoiseGrowsWithWhatOneStepCanChange) {
  Request request = request_for(1, 100, 5);
  const double once = subsample().prepare(request)->scale;
  request.shape.max_per_slot = 7;
  const auto plan = subsample().prepare(request);
  EXPECT_NEAR(plan->scale, 7 * once, 1e-9 * once);
  EXPECT_EQ(plan->sensitivity, 7);
}

TEST(Subsample, ReplacingAPersonChangesTwiceTheSteps) {
  Request request = request_for(1, 100, 5);
  request.shape.relation = Relation::replace;
  EXPECT_EQ(event_of(*subsample().prepare(request)).participation, 10);
  request.shape.max_steps = 80;  // no more than there are
  EXPECT_EQ(event_of(*subsample().prepare(request)).participation, 100);
}

TEST(Subsample, SeveralSeriesAreOneLongSeries) {
  const auto several = subsample().prepare(request_for(20, 50, 200)),
             one = subsample().prepare(request_for(1, 1000, 200));
  ASSERT_TRUE(several) << several.error().text();
  EXPECT_EQ(event_of(*several).participation, 200);
  EXPECT_EQ(event_of(*several).length, 1000);
  EXPECT_EQ(several->scale, one->scale);
}

TEST(Subsample, EveryStepKeptIsTheGaussianMechanism) {
  Request request = request_for(1, 100, 25);
  request.parameters = {{"rate", 1.0}};
  EXPECT_NEAR(subsample().prepare(request)->scale, 79.07 / std::sqrt(180.0) * 5, 0.01);
}

TEST(Subsample, ThePublishedAnalysisNeedsAboutTwiceTheNoise) {
  Request request = request_for(1, 1800, 180);
  const double certified = subsample().prepare(request)->scale;
  request.analysis = accounting::Analysis::published;
  const auto plan = subsample().prepare(request);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->price.certificate, Certificate::as_published);
  EXPECT_GT(plan->scale, 1.5 * certified);
  EXPECT_LT(plan->scale, 2.5 * certified);
}

TEST(Subsample, WhatDoesNotFitIsRefused) {
  const auto refused = [](const Request& request, std::string_view names) {
    const auto plan = subsample().prepare(request);
    return !plan && plan.error().kind == ErrorKind::usage && plan.error().text().find(names) != std::string::npos;
  };
  for (const double rate : {0.0, -0.1, 1.5, std::nan("")}) {
    Request request = request_for(1, 100, 5);
    request.parameters = {{"rate", rate}};
    EXPECT_TRUE(refused(request, "mechanism.rate"));
  }
  Request request = request_for(1, 100, 5);
  request.parameters = {{"rate", 1e-5}};  // P(a step of a person is kept) < delta
  EXPECT_TRUE(refused(request, "without noise"));
  request.parameters = {{"interpolation", std::string("cubic")}};
  EXPECT_TRUE(refused(request, "mechanism.interpolation"));
  request = request_for(1, 100, 5);
  request.parameters = {{"filter_width", 3.0}};
  EXPECT_TRUE(refused(request, "filter_width"));
  request = request_for(1, 100, 5);
  request.delta = 0;
  EXPECT_TRUE(refused(request, "delta"));
  for (const Unit unit : {Unit::event, Unit::w_event}) {
    request = request_for(1, 100, 5);
    request.shape.unit = unit;
    EXPECT_TRUE(refused(request, "unit"));
  }
}

// Two series of 11 and their noise from a tape, then every step by itself in long double.
TEST(Subsample, ReplayedDrawsGiveTheDirectComputation) {
  const std::int64_t length = 11;
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < 2 * length; ++i) counts.push_back((i * i * 37) % 101);
  const std::vector<std::vector<std::int64_t>> kept_steps{
      {0, 10, 11, 21}, {3, 7, 12, 13, 20}, {5, 16}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 12}, {}};
  std::vector<std::int64_t> all(static_cast<std::size_t>(2 * length));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  auto cases = kept_steps;
  cases.push_back(all);
  for (const auto& kept : cases) {
    const auto plan = subsample().prepare(request_for(2, length, 4));
    std::vector<double> tape;
    for (std::size_t i = 0; i < kept.size(); ++i) tape.push_back(std::sin(static_cast<double>(i + 1)) * 100);
    Draws draws = Draws::replayed({.noise = tape, .kept = kept});
    const auto measured = subsample().measure(*plan, counts, draws);
    ASSERT_TRUE(measured) << measured.error().text();
    const auto estimate = subsample().reconstruct(*plan, *measured);
    ASSERT_TRUE(estimate) << estimate.error().text();
    ASSERT_EQ(estimate->value.size(), counts.size());
    for (std::int64_t position = 0; position < 2 * length; ++position) {
      // The nearest kept position to the left and to the right within the series.
      const std::int64_t first = position / length * length;
      std::int64_t left = -1, right = -1;
      for (std::size_t i = 0; i < kept.size(); ++i) {
        if (kept[i] < first || kept[i] >= first + length) continue;
        if (kept[i] <= position) left = static_cast<std::int64_t>(i);
        if (kept[i] >= position && right < 0) right = static_cast<std::int64_t>(i);
      }
      const auto released = [&](std::int64_t i) -> long double {
        const auto k = static_cast<std::size_t>(i);
        const long double steps = std::floor(static_cast<long double>(tape[k]) / plan->grid + 0.5L);
        return counts[static_cast<std::size_t>(kept[k])] + steps * plan->grid;
      };
      long double expected = 0;
      if (left >= 0 && right >= 0 && left != right) {
        const long double a = kept[static_cast<std::size_t>(left)], b = kept[static_cast<std::size_t>(right)];
        expected = (released(left) * (b - position) + released(right) * (position - a)) / (b - a);
      } else if (left >= 0 || right >= 0) {
        expected = released(left >= 0 ? left : right);
      }
      const auto t = static_cast<std::size_t>(position);
      EXPECT_NEAR(estimate->value[t], static_cast<double>(expected), 1e-9);
      EXPECT_EQ(estimate->sampled[t], left >= 0 && left == right);
      EXPECT_LE(estimate->lower[t], estimate->value[t]);
      EXPECT_GE(estimate->upper[t], estimate->value[t]);
    }
  }
}

TEST(Subsample, NoiseIsDrawnForKeptStepsOnly) {
  const auto plan = subsample().prepare(request_for(1, 10, 3));
  const std::vector<std::int64_t> counts(10, 5);
  Draws enough = Draws::replayed({.noise = std::vector<double>{1, 2}, .kept = std::vector<std::int64_t>{4, 8}});
  const auto measured = subsample().measure(*plan, counts, enough);
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->values, (std::vector<double>{6, 7}));
  EXPECT_EQ(measured->kept, (std::vector<std::int64_t>{4, 8}));
  Draws short_tape = Draws::replayed({.noise = std::vector<double>{1}, .kept = std::vector<std::int64_t>{4, 8}});
  EXPECT_FALSE(subsample().measure(*plan, counts, short_tape));
}

TEST(Subsample, ASeriesWithoutAKeptStepIsZeroWithTheWholeRange) {
  const auto plan = subsample().prepare(request_for(2, 4, 3));
  const auto estimate = subsample().reconstruct(*plan, {.values = {50, 60}, .kept = std::vector<std::int64_t>{5, 6}});
  ASSERT_TRUE(estimate);
  for (std::size_t t = 0; t < 4; ++t) {
    EXPECT_EQ(estimate->value[t], 0);
    EXPECT_EQ(estimate->lower[t], 0);
    EXPECT_EQ(estimate->upper[t], 1000);
  }
  EXPECT_EQ(estimate->value[5], 50);
}

TEST(Subsample, AMeasurementOfAnotherShapeIsRefused) {
  const auto plan = subsample().prepare(request_for(1, 4, 3));
  using Steps = std::vector<std::int64_t>;
  EXPECT_FALSE(subsample().reconstruct(*plan, {.values = {1, 2}, .kept = std::nullopt}));
  EXPECT_FALSE(subsample().reconstruct(*plan, {.values = {1, 2}, .kept = Steps{1}}));
  EXPECT_FALSE(subsample().reconstruct(*plan, {.values = {1, 2}, .kept = Steps{1, 4}}));
  EXPECT_FALSE(subsample().reconstruct(*plan, {.values = {1, 2}, .kept = Steps{2, 1}}));
  EXPECT_FALSE(subsample().reconstruct(*plan, {.values = {1, 2}, .kept = Steps{-1, 1}}));
}

// How often each of the 2^3 patterns of kept steps comes up in series of 3: every step with its rate, independently.
double pattern_p_value(const std::vector<std::int64_t>& kept, std::int64_t series, double rate) {
  std::vector<unsigned> pattern(static_cast<std::size_t>(series));
  for (const std::int64_t position : kept) pattern[static_cast<std::size_t>(position / 3)] |= 1u << (position % 3);
  std::vector<std::int64_t> counts(8);
  std::vector<double> probabilities(8);
  for (const unsigned each : pattern) ++counts[each];
  for (unsigned each = 0; each < 8; ++each)
    probabilities[each] = std::pow(rate, std::popcount(each)) * std::pow(1 - rate, 3 - std::popcount(each));
  return noise::chi_squared_p_value(counts, probabilities);
}

TEST(Subsample, EveryStepIsKeptByItselfWithTheRate) {
  constexpr std::int64_t kSeries = 300'000;
  Request request = request_for(kSeries, 3, 2);
  request.parameters = {{"rate", 0.3}};
  const auto plan = subsample().prepare(request);
  Draws draws = Draws::seeded(1);
  const auto measured = subsample().measure(*plan, std::vector<std::int64_t>(3 * kSeries, 0), draws);
  ASSERT_TRUE(measured);
  EXPECT_GT(pattern_p_value(*measured->kept, kSeries, 0.3), noise::kLevel);
  // Broken twins: two percent too many, and series that are never empty.
  EXPECT_LT(pattern_p_value(*draws.keep(3 * kSeries, 0.306), kSeries, 0.3), noise::kLevel);
  std::vector<std::int64_t> never_empty;
  std::size_t next = 0;
  for (std::int64_t series = 0; series < kSeries; ++series) {
    const std::size_t first = next;
    while (next < measured->kept->size() && (*measured->kept)[next] / 3 == series)
      never_empty.push_back((*measured->kept)[next++]);
    if (next == first) never_empty.push_back(3 * series);
  }
  EXPECT_LT(pattern_p_value(never_empty, kSeries, 0.3), noise::kLevel);
}

// T = 3, I = 2: the release of (0, 0, 0) against that of (1, 1, 0), in many independent series at once.
TEST(Subsample, ItsReleasesAreAsPrivateAsCertifiedAndNoMore) {
  Request request = request_for(kReplicas, 3, 2);
  request.epsilon = 1;
  request.delta = 0.05;
  request.parameters = {{"rate", 0.5}};
  const auto plan = subsample().prepare(request);
  ASSERT_TRUE(plan) << plan.error().text();
  const double epsilon = plan->price.epsilon;
  const double certified = accounting::delta_at(plan->event, *Epsilon::make(epsilon))->delta;
  const std::vector<std::int64_t> without{0, 0, 0}, with{1, 1, 0};
  const Attained both = attained_delta(subsample(), *plan, without, with, {1, 1, 0}, epsilon);
  EXPECT_LE(both.lower, certified);
  EXPECT_GE(both.upper, certified) << "the analysis is exact, so the best test attains it";
  SeriesPlan half = *plan;
  half.scale /= 2;
  EXPECT_GT(attained_delta(subsample(), half, without, with, {1, 1, 0}, epsilon).lower, certified);
}

}  // namespace
}  // namespace chronoveil::mechanisms
