// StaSwitch as it is measured, against what is known exactly.
#include "chronoveil/accounting/moves/staswitch_simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "accounting/moves/switch_enumeration.h"
#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/moves/clopper_pearson.h"
#include "chronoveil/accounting/moves/staswitch_bounds.h"
#include "chronoveil/accounting/moves/staswitch_graph.h"

namespace chronoveil::accounting {
namespace {

constexpr double kTypeOne = 1e-6;

// How many places, ends and ε have a δ that their coins refute, whichever way, at a total Type I error of 1e-6.
int refuted(int k, double p, int longest, SwitchTwin twin) {
  constexpr std::int64_t kRuns = 8000;
  constexpr double kLevel = kTypeOne / (2.0 * EpsilonGrid::kSize * 200);
  StaSwitchPath path(k, p);
  const EpsilonGrid grid(k, p);
  BitSource bits = BitSource::with_seed(20260101);
  int count = 0, compared = 0;
  for (int distance = 1; distance < k; ++distance)
    for (int before = 0; before + distance < longest; ++before) {
      SwapCounts counts(path, {distance, before, before, false}, grid);
      counts.run(kRuns, bits);
      const auto coins = counts.by_end();
      for (std::size_t i = 0; i + 1 < coins.size(); ++i) {
        const int length = before + counts.first_end() + static_cast<int>(i);
        if (length > longest) break;
        ++compared;
        const auto outputs = enumerate({k, p, true, twin}, length, before, before + distance);
        for (std::size_t at = 0; at < EpsilonGrid::kSize; ++at) {
          const double exact = hockey_stick(outputs, grid.at(at));
          count += exact > upper_limit(coins[i][at], kRuns, kLevel) + 1e-9;
          count += exact < 1 - upper_limit(kRuns - coins[i][at], kRuns, kLevel) - 1e-9;
        }
      }
    }
  EXPECT_GT(compared, 6);
  EXPECT_LE(compared, 200);
  return count;
}

TEST(StaSwitchSimulation, EveryPlaceAndEndHasTheDeltaOfAllItsOutputs) {
  EXPECT_EQ(refuted(2, 0.6, 5, SwitchTwin::right), 0);
  EXPECT_EQ(refuted(3, 0.4, 7, SwitchTwin::right), 0);
  EXPECT_EQ(refuted(3, 0.8, 7, SwitchTwin::right), 0);
  EXPECT_EQ(refuted(4, 0.55, 7, SwitchTwin::right), 0);
}

TEST(StaSwitchSimulation, ForgettingTheStateOrGivingTheRestToStayingIsRefuted) {
  for (SwitchTwin twin : {SwitchTwin::state_stays_behind, SwitchTwin::rest_stays})
    EXPECT_GT(refuted(3, 0.4, 7, twin), 10);
}

TEST(StaSwitchSimulation, OneRunForManyStartsIsAtLeastThatOfEachOfThem) {
  for (auto [k, p] : {std::pair(3, 0.5), std::pair(5, 0.3), std::pair(8, 0.5), std::pair(12, 0.7)}) {
    StaSwitchPath path(k, p);
    const int full = k - 1;
    int finite = 0, runs = 0, longer_runs = 0;
    for (const SwapPlace& all : {SwapPlace{full, 0, full, false}, SwapPlace{full, 1, 2 * full, true},
                                 SwapPlace{1, full, full + 3, false}, SwapPlace{full, full + 2, full + 2, true},
                                 SwapPlace{full / 2, 2, 2 * full, true}, SwapPlace{full, 3 * full, 3 * full, true}})
      for (std::uint64_t seed = 0; seed < 40; ++seed)
        for (int before = all.fewest; before <= all.most + (all.or_more ? 2 * full : 0); ++before) {
          // A step takes one word: both have the same draws from the time on at which both series have begun.
          BitSource for_all = BitSource::with_seed(seed), for_one = BitSource::with_seed(seed);
          for (int i = before; i < all.most; ++i) for_one.next_u64();
          for (int i = all.most; i < before; ++i) for_all.next_u64();
          const double one = path.run_endless({all.distance, before, before, false}, for_one);
          const double together = path.run_endless(all, for_all);
          ++runs;
          longer_runs += before > all.most;
          finite += std::isfinite(together);
          EXPECT_TRUE(std::isinf(together) || together == one) << k << ' ' << before << ' ' << seed;
        }
    EXPECT_GT(finite, runs / 20) << k;
    EXPECT_GT(longer_runs, 0);
  }
}

TEST(StaSwitchSimulation, ASetOfStartsHasAtEveryEndAtLeastTheDeltaOfEachOfThem) {
  constexpr int k = 3, longest = 7;
  constexpr double p = 0.5;
  constexpr std::int64_t kRuns = 8000;
  constexpr double kLevel = kTypeOne / (EpsilonGrid::kSize * 200.0);
  StaSwitchPath path(k, p);
  const EpsilonGrid grid(k, p);
  BitSource bits = BitSource::with_seed(20260102);
  int compared = 0;
  for (const SwapPlace& set : {SwapPlace{1, 0, 2, true}, SwapPlace{2, 0, 2, true}, SwapPlace{2, 1, 3, false},
                               SwapPlace{1, 2, 2, true}, SwapPlace{2, 2, 4, false}}) {
    SwapCounts counts(path, set, grid);
    counts.run(kRuns, bits);
    const auto coins = counts.by_end();
    for (int before = set.fewest; before <= (set.or_more ? longest : set.most); ++before)
      for (std::size_t i = 0; i + 1 < coins.size(); ++i) {
        const int length = before + counts.first_end() + static_cast<int>(i);
        if (length > longest) break;
        if (length < k) continue;
        ++compared;
        const auto outputs = enumerate({k, p, true, SwitchTwin::right}, length, before, before + set.distance);
        for (std::size_t at = 0; at < EpsilonGrid::kSize; ++at)
          EXPECT_LE(hockey_stick(outputs, grid.at(at)), upper_limit(coins[i][at], kRuns, kLevel) + 1e-9)
              << set.distance << ' ' << set.fewest << ' ' << before << ' ' << length << ' ' << at;
      }
  }
  EXPECT_GT(compared, 40);
  EXPECT_LE(compared, 200);
}

// All sets of starts that halving {0, ..., 4(k-1) or more} can come to.
int halves_of(int starts) { return starts == 1 ? 1 : 1 + halves_of(starts / 2) + halves_of(starts - starts / 2); }

TEST(StaSwitchSimulation, AllLimitsThatCouldBeLookedAtShareBeta) {
  for (const int k : {12, 30, 80}) {
    const SimulationPlan plan = simulation_plan(k);
    // Where nothing was seen the bound is 5/2 of the limit, which is 1 - level^(1/n).
    const auto runs = static_cast<double>(plan.first_runs);
    const double level = std::exp(runs * std::log1p(-simulated_at_best(k, 0) / 2.5));
    const StaSwitchPath path(k, 0.5);
    const double ends = path.last_end() - path.first_end({k - 1, k - 1, k - 1, false}) + 1;
    const double places = (k - 1.0) * halves_of(4 * (k - 1) + 1) * static_cast<double>(plan.runs.size()) + 1;
    const double most_ends = path.last_end() - path.first_end({1, 4 * (k - 1), 4 * (k - 1), true}) + 1;
    EXPECT_LE(level * EpsilonGrid::kSize * (places - 1) * most_ends + level * EpsilonGrid::kSize * ends, plan.beta);
    EXPECT_GE(level * EpsilonGrid::kSize * places * most_ends, 0.9 * plan.beta);
  }
}

TEST(StaSwitchSimulation, OneStartIsKnownExactlyAndManyCostALittleMore) {
  constexpr int k = 5;
  constexpr double p = 0.6;
  StaSwitchPath path(k, p);
  const EpsilonGrid grid(k, p);
  BitSource bits = BitSource::with_seed(7);
  PairLosses losses(staswitch_law(k, p));
  constexpr std::int64_t kRuns = 1 << 14;
  constexpr double kLevel = kTypeOne / (2.0 * EpsilonGrid::kSize * 40);
  for (int distance = 1; distance < k; ++distance)
    for (int before : {0, k - 1, 2 * k}) {
      SwapCounts one(path, {distance, before, before, false}, grid);
      one.run(kRuns, bits);
      SwapCounts many(path, {distance, before / 2, 4 * k, true}, grid);
      many.run(kRuns, bits);
      const std::vector<std::int64_t> of_one = one.by_end().back(), of_many = many.by_end().back();
      const PairLoss exact = losses.from(swapped_pair(before, distance, PairState::kNoEnd));
      for (std::size_t i = 0; i < EpsilonGrid::kSize; ++i) {
        const auto delta = static_cast<double>(exact.delta(std::exp(static_cast<long double>(grid.at(i)))));
        const std::int64_t coins = of_one[i];
        EXPECT_LE(delta, upper_limit(coins, kRuns, kLevel));
        EXPECT_GE(delta,
                  1 - upper_limit(kRuns - coins, kRuns, kLevel) - 1e-3);  // runs that last long count as infinite
        EXPECT_LE(delta, upper_limit(of_many[i], kRuns, kLevel));
      }
    }
}

TEST(StaSwitchSimulation, WhatIsMeasuredIsAboveTheExactValueAndClose) {
  const SimulationPlan plan{kSimulationBeta, 1 << 16, {1 << 11, 1 << 13, 1 << 14}};
  for (auto [k, p] : {std::pair(2, 0.5), std::pair(3, 0.9), std::pair(5, 0.21), std::pair(8, 0.5)}) {
    const SimulatedProfile measured = simulate_staswitch(k, p, plan);
    for (double epsilon : {0.0, 0.37, 1.0, 2.0, 3.1, 20.0}) {
      const double exact = worst_swap(k, p, std::exp(epsilon)).upper;
      EXPECT_GE(measured.delta(epsilon), exact) << k << ' ' << p << ' ' << epsilon;
      EXPECT_LE(measured.delta(epsilon), exact + 0.06) << k << ' ' << p << ' ' << epsilon;
    }
  }
}

TEST(StaSwitchSimulation, InAWideWindowItIsBelowTheClosedFormAndAboveWhatIsAttained) {
  constexpr int k = 80;
  constexpr double p = 0.5;
  const SimulatedProfile measured = simulate_staswitch(k, p, {kSimulationBeta, 1 << 11, {1 << 10}});
  for (const double epsilon : {4.0, 5.0, 9.0}) {
    const long double alpha = std::exp(static_cast<long double>(epsilon));
    EXPECT_LT(measured.delta(epsilon), staswitch_upper_bound(k, p, alpha)) << epsilon;
    EXPECT_GT(measured.delta(epsilon), staswitch_attained(k, p).delta(alpha)) << epsilon;
  }
}

TEST(StaSwitchSimulation, APlaceThatIsWorseThanTheFirstRaisesTheBound) {
  // So few runs of it that its limit is far off; the others have more, and set the bound.
  const SimulationPlan few{kSimulationBeta, 64, {1 << 12, 1 << 14}};
  SimulationPlan none = few;
  none.first_runs = 1 << 16;
  EXPECT_GE(simulate_staswitch(4, 0.5, few).delta(1), worst_swap(4, 0.5, std::exp(1)).upper);
  EXPECT_GT(simulate_staswitch(4, 0.5, few).delta(1), simulate_staswitch(4, 0.5, none).delta(1));
}

TEST(StaSwitchSimulation, ChordsLieAboveAConvexProfileAndEndWithItsLastPoint) {
  const SimulatedProfile profile{0.5, {0.9, 0.5, 0.4}, 0};
  EXPECT_DOUBLE_EQ(profile.delta(0), 0.9);
  EXPECT_DOUBLE_EQ(profile.delta(0.5), 0.5);
  const double alpha = 1 + 0.25 * std::expm1(0.5);
  EXPECT_NEAR(profile.delta(std::log(alpha)), 0.9 - 0.25 * 0.4, 1e-15);
  EXPECT_DOUBLE_EQ(profile.delta(1), 0.4);
  EXPECT_DOUBLE_EQ(profile.delta(1e300), 0.4);
}

TEST(StaSwitchSimulation, WideWindowsArePricedWithAConfidenceAndTheSameTwice) {
  const Event event{StaSwitch{11, 0.5}, 1};
  const Price price = delta_at(event, Epsilon::make(2).value()).value();
  EXPECT_EQ(price.certificate, Certificate::upper_bound_with_confidence);
  EXPECT_EQ(price.beta, kSimulationBeta);
  // loss_from() of the first place, which takes minutes, has 0.66920873.
  EXPECT_GT(price.delta, 0.66920873);
  EXPECT_LT(price.delta, 0.69);
  EXPECT_GE(price.delta, price.delta_lower);
  EXPECT_EQ(delta_at(event, Epsilon::make(2).value())->delta, price.delta);
  // The other way round, from the same profile.
  const Price back = epsilon_at(event, Delta::make(price.delta).value()).value();
  EXPECT_NEAR(back.epsilon, 2, 1e-6);
  EXPECT_EQ(back.certificate, Certificate::upper_bound_with_confidence);
  EXPECT_LE(back.epsilon_lower, back.epsilon);
  // Where no finite ε holds nothing is certified, with whatever confidence.
  const Price none = epsilon_at(event, Delta::make(0.1).value()).value();
  EXPECT_TRUE(std::isinf(none.epsilon));
  EXPECT_EQ(none.beta, 0);
}

TEST(StaSwitchSimulation, CompositionsAndWhatTheClosedFormShowsAreCertain) {
  const Price twice = delta_at({StaSwitch{11, 0.5}, 2}, Epsilon::make(2).value()).value();
  EXPECT_EQ(twice.certificate, Certificate::upper_bound);
  EXPECT_EQ(twice.beta, 0);
  const Price near = delta_at({StaSwitch{12, 0.9999}, 1}, Epsilon::make(15).value()).value();
  EXPECT_EQ(near.certificate, Certificate::upper_bound);
  EXPECT_EQ(near.beta, 0);
  const Price wide = delta_at({StaSwitch{kLargestSimulatedWindow + 1, 0.5}, 1}, Epsilon::make(2).value()).value();
  EXPECT_EQ(wide.certificate, Certificate::upper_bound);
}

TEST(StaSwitchSimulation, CalibrationEndsOnThePrivateSideAndCountsThePricesItSaw) {
  const Calibration found =
      calibrate({StaSwitch{11, kToCalibrate}, 1}, Epsilon::make(5).value(), Delta::make(0.4).value()).value();
  EXPECT_LE(found.price.epsilon, 5);
  EXPECT_EQ(found.price.certificate, Certificate::upper_bound_with_confidence);
  EXPECT_GE(found.price.beta, kSimulationBeta);
  EXPECT_LE(found.price.beta, 4 * kSimulationBeta);
  EXPECT_GT(found.noise, 0.5);
  const Price price = delta_at(found.event, Epsilon::make(5).value()).value();
  EXPECT_LE(price.delta, 0.4);
  EXPECT_GT(price.delta, 0.38);
}

}  // namespace
}  // namespace chronoveil::accounting
