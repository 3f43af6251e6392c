// How far values move: against exact laws, an independent reference and the published tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "temporal_setting.h"

namespace chronoveil::mechanisms::testing {
namespace {

constexpr std::int64_t kMany = 1'000'000;

TemporalPlan switch_plan(const std::string& name, std::int64_t window, double stay) {
  const accounting::Kind kind = name == "staswitch" ? accounting::Kind(accounting::StaSwitch{window, stay})
                                                    : accounting::Kind(accounting::RanSwitch{window, stay});
  TemporalPlan plan;
  plan.mechanism = name;
  plan.window = window;
  plan.parameters["stay"] = stay;
  plan.event = {kind};
  return plan;
}

// The law of the displacement of one value under ranswitch, from 1 - k on: Theorem 3.2 of [Ye23] behind and at its own
// step, and beyond that what the theorem leaves out past k - 1. x[s]: not released before step s after its own, and
// there now; from s it goes to any of the next k - 1 steps, and each step before takes it away with probability q.
std::vector<double> ranswitch_law(std::int64_t window, double p, std::size_t forward) {
  const auto k = static_cast<std::size_t>(window);
  const double q = (1 - p) / static_cast<double>(k - 1), kept = 1 - q;
  const auto power = [&](std::size_t n) { return std::pow(kept, static_cast<double>(n)); };
  std::vector<double> law;
  for (std::size_t before = k - 1; before > 0; --before) law.push_back(q * power(k - 1 - before));
  std::vector<double> x = {power(k - 1)};
  law.push_back(p * x[0]);
  for (std::size_t j = 1; j <= forward; ++j) {
    double here = 0, taken = 0;
    for (std::size_t s = j >= k ? j - k + 1 : 0; s < j; ++s) {
      here += q * x[s] * power(j - 1 - s);
      taken += q * q * x[s] * static_cast<double>(s + k - 1 - j) * power(j - 1 - s);
    }
    x.push_back(here);
    law.push_back(p * here + taken);
  }
  return law;
}

double mean_distance(const std::vector<double>& law, std::int64_t first) {
  double sum = 0;
  for (std::size_t i = 0; i < law.size(); ++i)
    sum += law[i] * static_cast<double>(std::abs(first + static_cast<std::int64_t>(i)));
  return sum;
}

TEST(TemporalMoves, RanSwitchMovesByItsExactLaw) {
  for (const auto& [window, stay] : {std::pair<std::int64_t, double>{2, 0.7}, {4, 0.25}, {10, 0.8}, {40, 0.3}}) {
    const std::vector<double> law = ranswitch_law(window, stay, 40 * static_cast<std::size_t>(window));
    ASSERT_NEAR(std::accumulate(law.begin(), law.end(), 0.0), 1, 1e-9);
    const double exact = mean_distance(law, 1 - window);
    const Moves moves = value_of(expected_moves(switch_plan("ranswitch", window, stay), kMany));
    EXPECT_NEAR(moves.cost, exact, 0.01 * exact) << window << ", " << stay;
    EXPECT_EQ(moves.cost, moves.mean_distance) << "no value is lost";
    ASSERT_EQ(moves.first, 1 - window) << "no value leaves earlier";
    for (std::size_t i = 0; i < std::min(law.size(), moves.shares.size()); ++i)
      EXPECT_NEAR(moves.shares[i], law[i], 0.004) << "displacement " << moves.first + static_cast<std::int64_t>(i);
    EXPECT_NEAR(std::accumulate(moves.shares.begin(), moves.shares.end(), 0.0), 1, 1e-9);
  }
}

// As many values move early as late, and by as far: twice the part of Theorem 3.2 that is behind its own step.
double ranswitch_cost(std::int64_t window, double stay) {
  const double k = static_cast<double>(window), q = (1 - stay) / (k - 1);
  double sum = 0;
  for (double j = 1; j < k; ++j) sum += 2 * j * q * std::pow(1 - q, k - 1 - j);
  return sum;
}

TEST(TemporalMoves, DigitsThatAreShownHold) {
  // Plans of ranswitch at ε = 2, by window and δ, and the last decimal place that is shown.
  for (const auto& [window, delta, place] :
       {std::tuple<std::int64_t, double, double>{4, 0.7, 0.01}, {6, 0.6, 0.01}, {10, 0.46, 0.1}}) {
    const TemporalMechanism& row = *value_of(find_temporal_mechanism("ranswitch"));
    TemporalRequest request = temporal_request(row);
    request.window = window;
    request.epsilon = 2;
    request.delta = delta;
    const TemporalPlan plan = value_of(row.prepare(request));
    const double exact = ranswitch_cost(window, number(plan.parameters, "stay"));
    const Moves moves = value_of(expected_moves(plan));
    EXPECT_LT(std::abs(moves.cost - exact), 5 * moves.cost_error) << window;
    EXPECT_LT(moves.cost_error, 0.003 * exact) << window;
    EXPECT_GT(moves.cost_error, 0.0003 * exact) << window;
    const double shown = to_what_holds(moves).cost;
    EXPECT_NEAR(shown, exact, place) << window;
    EXPECT_NEAR(shown / place, std::round(shown / place), 1e-9) << window;
  }
}

TEST(TemporalMoves, StandardErrorsAreThoseOfManySeeds) {
  const TemporalPlan plan = switch_plan("ranswitch", 10, 0.5);
  const double exact = ranswitch_cost(10, 0.5);
  double squares = 0, said = 0;
  constexpr int kSeeds = 100;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const Moves moves = value_of(expected_moves(plan, 20'000, static_cast<std::uint64_t>(seed)));
    squares += (moves.cost - exact) * (moves.cost - exact) / kSeeds;
    said += moves.cost_error * moves.cost_error / kSeeds;
  }
  // 100 squares of normals: beyond these bounds with a probability below 1e-6.
  EXPECT_LT(squares, 1.9 * said);
  EXPECT_GT(squares, 0.45 * said);
}

TEST(TemporalMoves, WhatIsShownIsRoundedToThePlaceThatHolds) {
  Moves moves;
  const auto shown = [&](double cost, double error) {
    moves.cost = cost;
    moves.cost_error = error;
    return to_what_holds(moves).cost;
  };
  EXPECT_EQ(shown(0.43412, 0.001), 0.43);
  EXPECT_EQ(shown(0.43412, 0.0024), 0.43);
  EXPECT_EQ(shown(0.43412, 0.0026), 0.4);
  EXPECT_EQ(shown(0.43412, 0.0001), 0.434);
  EXPECT_EQ(shown(12345, 30), 12000);
  EXPECT_EQ(shown(0.0024, 0.01), 0.002) << "one digit is left";
  EXPECT_EQ(shown(1.0 / 3, 0), 1.0 / 3) << "it was counted";
  EXPECT_EQ(shown(0, 0.1), 0);
}

TEST(TemporalMoves, TheComparisonTellsALawThatIsALittleOff) {
  const double moved = value_of(expected_moves(switch_plan("ranswitch", 10, 0.8), kMany)).cost;
  for (const double other : {0.79, 0.81}) {
    const double wrong = mean_distance(ranswitch_law(10, other, 400), -9);
    EXPECT_GT(std::abs(moved - wrong), 0.02 * wrong) << other;
  }
}

TEST(TemporalMoves, StaSwitchNeverMovesAValueByAWindow) {
  for (const double stay : {0.1, 0.5, 0.9}) {
    const Moves moves = value_of(expected_moves(switch_plan("staswitch", 10, stay), 100'000));
    EXPECT_EQ(moves.first, -9);
    EXPECT_LE(moves.shares.size(), 19u);
    const Moves free = value_of(expected_moves(switch_plan("ranswitch", 10, stay), 100'000));
    EXPECT_LT(moves.cost, free.cost) << "that is what its state is for";
    EXPECT_GT(free.shares.size(), 19u);
  }
}

// [Ye23, Table II]: the mean cost of a value at k = 10 by nominal ε, as published.
TEST(TemporalMoves, PublishedCostsAreReproduced) {
  struct Case {
    double epsilon, ranswitch, staswitch;
  };
  for (const Case& c : {Case{7, 1.96, 1.77}, Case{8, 1.34, 1.24}, Case{10, 0.56, 0.54}, Case{14, 0.08, 0.08}}) {
    for (const auto& [name, printed] : {std::pair{"ranswitch", c.ranswitch}, {"staswitch", c.staswitch}}) {
      TemporalRequest request;
      request.window = 10;
      request.epsilon = c.epsilon;
      request.delta = 0.5;
      request.analysis = accounting::Analysis::published;
      const TemporalPlan plan = value_of(value_of(find_temporal_mechanism(name))->prepare(request));
      const Moves moves = value_of(expected_moves(plan, kMany));
      EXPECT_NEAR(moves.cost, printed, 0.05 * printed) << name << " at " << c.epsilon;
    }
  }
}

// The same law by other means: keys by inversion, a comparison sort, ties by a coin of its own.
double sorted_by_hand(double scale, std::size_t n) {
  std::mt19937_64 generator(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto geometric = [&] { return std::floor(-scale * std::log1p(-uniform(generator))); };
  struct Key {
    double key, coin;
    std::size_t step;
  };
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = {static_cast<double>(i) + geometric() - geometric(), uniform(generator), i};
  std::sort(keys.begin(), keys.end(),
            [](const Key& a, const Key& b) { return std::tie(a.key, a.coin) < std::tie(b.key, b.coin); });
  double sum = 0, count = 0;
  for (std::size_t at = 0; at < n; ++at) {
    if (keys[at].step < n / 8 || keys[at].step >= n - n / 8) continue;
    sum += std::abs(static_cast<double>(at) - static_cast<double>(keys[at].step));
    ++count;
  }
  return sum / count;
}

TEST(TemporalMoves, NoisySortMovesAsAnIndependentSortDoes) {
  for (const auto& [window, epsilon] : {std::pair<std::int64_t, double>{2, 3.0}, {4, 2.0}, {20, 1.0}}) {
    TemporalRequest request = temporal_request(*value_of(find_temporal_mechanism("noisy_sort")));
    request.window = window;
    request.epsilon = epsilon;
    request.delta = 0;
    request.parameters["law"] = "laplace";
    const TemporalPlan plan = value_of(value_of(find_temporal_mechanism("noisy_sort"))->prepare(request));
    const double reference = sorted_by_hand(2 * static_cast<double>(window - 1) / epsilon, 400'000);
    EXPECT_NEAR(value_of(expected_moves(plan, 400'000)).cost, reference, 0.02 * reference) << window << ", " << epsilon;
  }
}

TEST(TemporalMoves, AStreamMovesAsAFileDoesWhereItsBoundIsFar) {
  TemporalRequest request = temporal_request(*value_of(find_temporal_mechanism("noisy_sort")));
  request.delta = 1e-9;
  request.parameters["law"] = "staircase";
  const auto& row = *value_of(find_temporal_mechanism("noisy_sort"));
  const double file = value_of(expected_moves(value_of(row.prepare(request)), 200'000)).cost;
  request.streams = true;
  const TemporalPlan stream = value_of(row.prepare(request));
  EXPECT_GT(number(stream.parameters, "max_shift"), 10);
  EXPECT_NEAR(value_of(expected_moves(stream, 200'000)).cost, file, 0.02 * file);
}

// Noise that is far larger than 1 moves values by its own mean distance from 0: that of Laplace noise is its scale.
TEST(TemporalMoves, WideWindowsAreNotCutOffByTheMadeUpSeries) {
  const TemporalMechanism& sort = *value_of(find_temporal_mechanism("noisy_sort"));
  TemporalRequest request = temporal_request(sort);
  request.delta = 0;
  request.parameters["law"] = "laplace";
  for (const auto& [window, epsilon] :
       {std::pair<std::int64_t, double>{2, 1e-5}, {20'000, 0.1}, {200'000, 0.1}, {1'000'000, 4}}) {
    request.window = window;
    request.epsilon = epsilon;
    const double scale = 2 * static_cast<double>(window - 1) / epsilon;
    const TemporalPlan plan = value_of(sort.prepare(request));
    EXPECT_NEAR(value_of(expected_moves(plan, 200'000)).cost, scale, 0.01 * scale) << window << ", " << epsilon;
  }
  // With a bound that is as far as the scale: E|X| given |X| <= b is b (1 - 2/e)/(1 - 1/e).
  request.window = 200'000;
  request.epsilon = 1;
  TemporalPlan stream = value_of(sort.prepare(request));
  std::get<accounting::NoisySort>(stream.event.kind).max_shift = 399'998;
  stream.parameters["max_shift"] = 399'998.0;
  const double bounded = 399'998 * (1 - 2 / std::exp(1)) / (1 - 1 / std::exp(1));
  EXPECT_NEAR(value_of(expected_moves(stream, 200'000)).cost, bounded, 0.01 * bounded);
  const TemporalPlan wide = switch_plan("ranswitch", 100'000, 0.3);
  const double exact = ranswitch_cost(100'000, 0.3);
  EXPECT_NEAR(value_of(expected_moves(wide, 200'000)).cost, exact, 0.02 * exact);
}

TEST(TemporalMoves, ThresholdLeavesSlotsEmptyAtTheStartAlone) {
  const auto& row = *value_of(find_temporal_mechanism("threshold"));
  const TemporalPlan plan = value_of(row.prepare(temporal_request(row)));
  const Moves moves = value_of(expected_moves(plan, 100'000));
  EXPECT_EQ(moves.first, 0) << "no value leaves early";
  EXPECT_LE(moves.shares.size(), 4u);
  EXPECT_GT(moves.missing, 0);
  EXPECT_EQ(moves.missing, moves.empty);
  EXPECT_LE(moves.missing, 3e-5);
  EXPECT_NEAR(moves.cost, moves.mean_distance + 4 * (moves.missing + moves.empty), 1e-12);
}

// A series loses k - c0 values, however long it is: that is a larger share of a short one.
TEST(TemporalMoves, ThresholdLosesAShareOfTheSeriesThatIsThere) {
  const auto& row = *value_of(find_temporal_mechanism("threshold"));
  TemporalRequest request = temporal_request(row);
  request.window = 10;
  request.epsilon = 10;
  request.parameters["threshold"] = std::int64_t{4};
  const TemporalPlan plan = value_of(row.prepare(request));
  for (const std::int64_t rows : {300, 1000, 100'000, 5'000'000}) {
    const Moves moves = value_of(expected_moves(plan, kMadeUpValues, 1, rows));
    EXPECT_NEAR(moves.missing, 6.0 / static_cast<double>(rows), 0.01 / static_cast<double>(rows)) << rows;
    EXPECT_EQ(moves.missing, moves.empty) << rows;
    EXPECT_NEAR(moves.cost, moves.mean_distance + 20 * moves.missing, 1e-12);
    EXPECT_NEAR(moves.mean_distance, 6, 0.1) << rows;
  }
  const Moves shortest_of_all = value_of(expected_moves(plan, 20'000, 1, 10));
  EXPECT_LT(shortest_of_all.missing, 0.6) << "there was no time to fall to c0";
  EXPECT_GT(shortest_of_all.missing, 0.2);
}

TEST(TemporalMoves, ValuesThatAreChangedInPlaceDoNotMove) {
  for (const TemporalMechanism* row : temporal_catalogue()) {
    if (row->moves) continue;
    const Moves moves = value_of(expected_moves(value_of(row->prepare(temporal_request(*row)))));
    EXPECT_EQ(moves.first, 0);
    EXPECT_EQ(moves.shares, std::vector<double>{1});
    EXPECT_EQ(moves.cost, 0);
  }
}

TEST(TemporalMoves, WhatIsExpectedIsAFunctionOfThePlanAlone) {
  const TemporalPlan plan = switch_plan("ranswitch", 10, 0.5);
  const auto shares = [&](std::uint64_t seed) { return value_of(expected_moves(plan, 20'000, seed)).shares; };
  EXPECT_EQ(shares(1), shares(1));
  EXPECT_NE(shares(1), shares(2));
}

TEST(MoveCount, CountsDisplacementsOnBothSidesAndWhatIsMissing) {
  MoveCount count;
  const auto add = [&](std::int64_t at, std::int64_t step) { count.add(at, TimedValue{"", step}); };
  add(0, 2);  // two early
  add(1, 1);
  add(2, 1);  // one late
  count.add(3, std::nullopt);
  const Moves moves = count.moves(4, 1, 5);
  EXPECT_EQ(moves.first, -2);
  EXPECT_EQ(moves.shares, (std::vector<double>{0.25, 0, 0.25, 0.25}));
  EXPECT_DOUBLE_EQ(moves.mean_distance, 1);
  EXPECT_DOUBLE_EQ(moves.missing, 0.25);
  EXPECT_DOUBLE_EQ(moves.empty, 0.25);
  EXPECT_DOUBLE_EQ(moves.cost, 1 + 5 * 0.5);
}

TEST(MoveCount, IsOfUseWithoutAnyValue) {
  const Moves none = MoveCount().moves(0, 0, 4);
  EXPECT_EQ(none.first, 0);
  EXPECT_EQ(none.cost, 0);
  MoveCount early;
  early.add(0, TimedValue{"", 1});
  EXPECT_EQ(early.moves(1, 0, 4).shares, (std::vector<double>{1, 0})) << "the last is for values that stayed";
}

TEST(TemporalMoves, ValuesMoveNoFartherThanThereAreRows) {
  const TemporalMechanism& row = *value_of(find_temporal_mechanism("noisy_sort"));
  TemporalRequest request = temporal_request(row);
  request.window = 10;
  request.epsilon = 1e-4;  // every order of 200 values is about as likely: the mean of |i - j| is (n^2 - 1)/(3n)
  request.delta = 0;
  request.parameters["law"] = "laplace";
  const TemporalPlan plan = value_of(row.prepare(request));
  const Moves moves = value_of(expected_moves(plan, 20'000, 1, 200));
  EXPECT_NEAR(moves.mean_distance, (200.0 * 200 - 1) / 600, 1.5);
  EXPECT_GE(moves.first, -199);
  EXPECT_LE(moves.first + static_cast<std::int64_t>(moves.shares.size()), 200);
  EXPECT_NEAR(std::accumulate(moves.shares.begin(), moves.shares.end(), 0.0), 1, 1e-9);
  const TemporalPlan near = switch_plan("ranswitch", 10, 0.8);
  EXPECT_EQ(value_of(expected_moves(near, 20'000, 1, 200)).shares, value_of(expected_moves(near, 20'000)).shares)
      << "there is a middle";
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
