#include "chronoveil/mechanisms/cells/parts/cell_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "cell_setting.h"
#include "chronoveil/ledger/filters/domination.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/cells/array_averaging.h"
#include "chronoveil/mechanisms/cells/baseline.h"
#include "chronoveil/mechanisms/cells/clip_mean.h"
#include "chronoveil/mechanisms/cells/sum_over_count.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {
namespace {

CellRequest city(std::int64_t max_cells, double epsilon, double delta) {
  CellRequest request = cell_request(epsilon);
  request.shape.places = 40;
  request.shape.steps = 24;
  request.shape.max_cells = max_cells;
  request.delta = delta;
  return request;
}

void expect_refused(const CellRequest& request, const std::string& start, const CellMechanism& row = clip_mean()) {
  const auto checked = check_request(request, row);
  ASSERT_FALSE(checked) << start;
  EXPECT_EQ(checked.error().kind, ErrorKind::usage);
  EXPECT_EQ(checked.error().text().substr(0, start.size()), start);
  EXPECT_FALSE(row.prepare(request));
}

TEST(CellRequests, WhatIsNotValidIsRefusedByName) {
  const auto changed = [](auto change) {
    CellRequest request = city(3, 1, 1e-6);
    change(request);
    return request;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double epsilon : {0.0, -1.0, infinity, std::nan("")})
    expect_refused(changed([&](CellRequest& r) { r.epsilon = epsilon; }), "epsilon: ");
  for (const double delta : {-0.1, 1.0, std::nan("")})
    expect_refused(changed([&](CellRequest& r) { r.delta = delta; }), "delta: ");
  for (const double level : {0.0, 1.0, std::nan("")})
    expect_refused(changed([&](CellRequest& r) { r.level = level; }), "level: ");
  expect_refused(changed([](CellRequest& r) { r.shape.lower = r.shape.upper; }), "upper: ");
  expect_refused(changed([&](CellRequest& r) { r.shape.upper = infinity; }), "upper: ");
  expect_refused(changed([](CellRequest& r) { r.shape.lower = std::nan(""); }), "lower: ");
  expect_refused(changed([](CellRequest& r) { r.shape.places = 0; }), "places: 0 ");
  expect_refused(changed([](CellRequest& r) { r.shape.steps = 0; }), "steps: 0 ");
  expect_refused(changed([](CellRequest& r) { r.shape.places = r.shape.steps = 1 << 20; }), "places and steps: ");
  expect_refused(changed([](CellRequest& r) { r.shape.max_cells = 0; }), "means.max_cells: 0 ");
  expect_refused(changed([](CellRequest& r) { r.shape.max_records = 0; }), "means.max_records: 0 ");
  expect_refused(changed([](CellRequest& r) { r.shape.sparse_below = 0; }), "means.sparse_below: 0 ");
  expect_refused(changed([](CellRequest& r) { r.shape.registered = 0; }), "means.registered: 0 ");
  for (const double m_ub : {0.0, -3.0, 1.5, 1e10, infinity, std::nan("")})
    expect_refused(changed([&](CellRequest& r) { r.parameters["m_ub"] = m_ub; }), "mechanism.m_ub: ");
  expect_refused(changed([](CellRequest& r) { r.parameters["m_ub"] = "mean"; }), "mechanism.m_ub: ");
  expect_refused(changed([](CellRequest& r) { r.parameters["m_up"] = 3.0; }), "mechanism.m_up: ");
  expect_refused(changed([](CellRequest& r) { r.parameters["noise"] = "normal"; }), "mechanism.noise: ");
}

TEST(CellRequests, NobodyIsInMoreCellsThanThereAre) {
  const Checked checked = value_of(check_request(city(100'000, 1, 0), clip_mean()));
  EXPECT_EQ(checked.shape.max_cells, 40 * 24);
  EXPECT_EQ(text(checked.parameters, "m_ub"), "optimised");
  EXPECT_EQ(text(checked.parameters, "noise"), "auto");
}

TEST(CellRequests, TheBoundOfRecordsIsWhatTheParameterSays) {
  const std::vector<std::uint32_t> counts = {20, 4, 2, 1};
  const auto m_ub = [&](const Value& given) {
    CellRequest request = cell_request(1);
    request.parameters["m_ub"] = given;
    return m_ub_of(cell_plan(clip_mean(), request), counts);
  };
  EXPECT_EQ(m_ub("median"), 4);
  EXPECT_EQ(m_ub("optimised"), 20) << "27²/20 = 36.5 against 11²/4 = 30.3";
  EXPECT_EQ(m_ub(std::int64_t{3}), 3);
  EXPECT_EQ(m_ub(7.0), 7);
}

TEST(CellRequests, TheWidthIsRoundedUp) {
  CellShape shape;
  shape.lower = -0.1;
  shape.upper = 0.2;
  EXPECT_GE(static_cast<long double>(shape.width()), 0.2L - -0.1L);
  shape.lower = 0x1p-60;  // 1 − 2^-60 is rounded to 1, which is more already
  shape.upper = 1;
  EXPECT_EQ(shape.width(), 1);
  shape.lower = -0x1p-60;
  EXPECT_EQ(shape.width(), std::nextafter(1.0, 2.0));
  shape.lower = 0;
  EXPECT_EQ(shape.width(), 1);
}

TEST(CellShares, WithoutDeltaTheyAreEven) {
  for (const std::int64_t c : {1, 2, 3, 7, 49, 960}) {
    const CellsPlan plan = cell_plan(array_averaging(), city(c, 0.7, 0));
    EXPECT_EQ(plan.noise, NoiseKind::laplace);
    EXPECT_EQ(plan.delta, 0);
    EXPECT_EQ(plan.event.count, c);
    EXPECT_NEAR(plan.share, 0.7 / static_cast<double>(c), 1e-14);
    EXPECT_NEAR(plan.noise_multiplier, static_cast<double>(c) / 0.7, 1e-12 * plan.noise_multiplier);
    EXPECT_LE(plan.price.epsilon, 0.7);
    EXPECT_GT(plan.price.epsilon, 0.7 * (1 - 1e-14));
    EXPECT_EQ(std::get<accounting::Laplace>(plan.event.kind).noise_multiplier, plan.noise_multiplier);
  }
}

TEST(CellShares, SoManyReleasesAsTheirBudgetSaysFitIntoIt) {
  for (std::int64_t cells = 1; cells <= 60; ++cells) {
    const accounting::Event event = value_of(array_averaging().prepare(city(cells, 1, 0))).event;
    ASSERT_EQ(event.count, cells);
    const auto cost = ledger::stated_epsilon(event);
    ASSERT_TRUE(cost);
    EXPECT_LE(cost->times(4 * cells), ledger::Amount::stated_down(4)) << cells;
  }
}

TEST(CellShares, ASumAndACountHaveHalfEach) {
  CellRequest request = city(5, 1, 0);
  request.shape.max_records = 4;
  const CellsPlan plan = cell_plan(sum_over_count(), request);
  EXPECT_EQ(plan.event.count, 10);
  EXPECT_NEAR(plan.share, 0.2, 1e-15);
  EXPECT_NEAR(plan.noise_multiplier, 10, 1e-13);
}

TEST(CellShares, DeltaBuysLargerOnes) {
  for (const std::int64_t c : {40, 100}) {
    CellRequest request = city(c, 1, 1e-6);
    request.parameters["noise"] = "laplace";
    const CellsPlan plan = cell_plan(baseline(), request);
    EXPECT_EQ(plan.delta, 1e-6);
    EXPECT_GT(plan.share, 1.01 / static_cast<double>(c));
    EXPECT_LE(plan.price.epsilon, 1);
    EXPECT_GT(plan.price.epsilon, 0.998);
    const auto again = value_of(accounting::epsilon_at(plan.event, value_of(Delta::make(1e-6))));
    EXPECT_EQ(again.epsilon, plan.price.epsilon);
  }
}

TEST(CellShares, ChoicesAndNoiseAreComposedTogether) {
  const auto one_cell = [](double share) {
    return std::vector<accounting::Event>{{accounting::Exponential{share / 2}}, {accounting::Laplace{2 / share}}};
  };
  const auto plan_for = [&](std::int64_t c, double delta) {
    const CellRequest request = city(c, 1, delta);
    return value_of(with_shares(request, baseline(), value_of(check_request(request, baseline())), c, one_cell));
  };
  const CellsPlan pure = plan_for(30, 0), composed = plan_for(30, 1e-6);
  EXPECT_NEAR(pure.share, 1.0 / 30, 1e-15);
  EXPECT_NEAR(pure.noise_multiplier, 60, 1e-12);
  EXPECT_EQ(pure.event.count, 30);
  EXPECT_EQ(std::get<accounting::Compose>(pure.event.kind).events.size(), 2u);
  EXPECT_GT(composed.share, 1.5 * pure.share);
  EXPECT_EQ(composed.delta, 1e-6);
  EXPECT_LE(composed.price.epsilon, 1);
  EXPECT_GT(composed.price.epsilon, 0.998);
  // A hundredth more is not worth a δ.
  EXPECT_EQ(plan_for(2, 1e-12).delta, 0);
  EXPECT_NEAR(plan_for(2, 1e-12).share, 0.5, 1e-14);
}

TEST(CellShares, WhatCannotBePricedTogetherIsPure) {
  // Losses this large have no room on a grid, so the composition of three cells has no price at a δ.
  CellRequest request = city(3, 1e12, 1e-6);
  for (const char* noise : {"laplace", "auto"}) {
    request.parameters["noise"] = std::string(noise);
    const Result<CellsPlan> plan = clip_mean().prepare(request);
    ASSERT_TRUE(plan) << noise << ": " << plan.error().text();
    EXPECT_LE(plan->price.epsilon, 1e12);
  }
  request.parameters["noise"] = std::string("laplace");
  const CellsPlan plan = cell_plan(clip_mean(), request);
  EXPECT_EQ(plan.delta, 0);
  EXPECT_NEAR(plan.share, 1e12 / 3, 1);
  EXPECT_EQ(plan.noise_multiplier, std::get<accounting::Laplace>(plan.event.kind).noise_multiplier);
}

TEST(CellNoise, TheNarrowerLawIsTaken) {
  const CellsPlan few = cell_plan(baseline(), city(1, 1, 1e-6));
  EXPECT_EQ(few.noise, NoiseKind::laplace);
  EXPECT_EQ(few.delta, 0) << "one noise alone has no use for δ";
  const CellsPlan many = cell_plan(baseline(), city(200, 1, 1e-6));
  EXPECT_EQ(many.noise, NoiseKind::gaussian);
  EXPECT_EQ(many.delta, 1e-6);
  EXPECT_EQ(many.share, 0);
  EXPECT_NEAR(many.influence, std::sqrt(200), 1e-12);
  EXPECT_GE(many.noise_multiplier, std::get<accounting::Gaussian>(many.event.kind).noise_multiplier * many.influence);
  for (const std::string kind : {"laplace", "gaussian"}) {
    for (const CellsPlan* chosen : {&few, &many}) {
      CellRequest request = city(chosen->shape.max_cells, 1, 1e-6);
      request.parameters["noise"] = kind;
      const CellsPlan plan = cell_plan(baseline(), request);
      EXPECT_EQ(plan.noise, kind == "laplace" ? NoiseKind::laplace : NoiseKind::gaussian);
      const auto deviation = [](const CellsPlan& p) {
        return p.noise_multiplier * (p.noise == NoiseKind::laplace ? std::sqrt(2.0) : 1.0);
      };
      EXPECT_LE(deviation(*chosen), deviation(plan));
    }
  }
  CellRequest request = city(2, 1, 0);
  request.parameters["noise"] = "gaussian";
  EXPECT_FALSE(baseline().prepare(request)) << "Gaussian noise needs δ";
}

TEST(CellNoise, TheRootOfTheCellsIsNeverTooSmall) {
  for (std::int64_t c = 1; c <= 60; ++c) {
    CellRequest request = city(c, 1, 1e-6);
    request.parameters["noise"] = "gaussian";
    const long double influence = cell_plan(baseline(), request).influence;
    EXPECT_GE(influence * influence, static_cast<long double>(c));
    EXPECT_NEAR(static_cast<double>(influence * influence), static_cast<double>(c), 1e-13 * static_cast<double>(c));
  }
}

TEST(CellNoise, WhatCannotBeDrawnIsKnownBeforeTheDebit) {
  EXPECT_FALSE(baseline().prepare(city(1, 0x1p41, 0)));
  EXPECT_TRUE(baseline().prepare(city(1, 0x1p39, 0)));
  EXPECT_FALSE(baseline().prepare(city(1, 0x1p-39, 0)));
  EXPECT_TRUE(baseline().prepare(city(1, 0x1p-37, 0)));
}

TEST(CellNoise, WhatIsDoubledMustStillBeDrawn) {
  CellRequest request = city(1, 0x1p-38 * (1 + 0x1p-48), 0);
  request.parameters["grouping"] = std::string("wrap_around");
  EXPECT_TRUE(array_averaging().prepare(request));
  request.analysis = accounting::Analysis::published;
  EXPECT_FALSE(array_averaging().prepare(request));
  request.epsilon *= 2;
  EXPECT_TRUE(array_averaging().prepare(request));
}

CellsPlan with_multiplier(double multiplier) {
  CellsPlan plan = cell_plan(baseline(), cell_request(1));
  plan.noise_multiplier = multiplier;
  return plan;
}

NoisySum on_tape(const CellsPlan& plan, Int128 sum, Int128 sensitivity, double divisor, double step, double noise) {
  Draws draws = Draws::replayed({.noise = std::vector<double>{noise}, .kept = std::nullopt});
  return value_of(noisy_sum(plan, sum, sensitivity, divisor, step, draws));
}

TEST(NoisySums, AreASumANoiseAndADivision) {
  const CellsPlan plan = with_multiplier(2);
  const NoisySum sum = on_tape(plan, 1000, 50, 8, 0.25, 0);
  EXPECT_EQ(sum.value, 125);
  EXPECT_NEAR(sum.scale, 12.5, 1e-13);
  EXPECT_GE(sum.scale, 12.5);
  // Noise on the tape is that of the result, in units of a value: 0.5 is two steps of the mean, sixteen of the sum.
  EXPECT_EQ(on_tape(plan, 1000, 50, 8, 0.25, 0.5).value, 127);
  EXPECT_EQ(on_tape(plan, 1000, 50, 8, 0.25, 0.51).value, 127) << "rounded to whole steps of the sum";
  EXPECT_EQ(on_tape(plan, -3, 50, 2, 1, 0).value, -1.5);
}

TEST(NoisySums, WithoutSensitivityHaveNoNoiseAndLeaveTheTape) {
  Draws draws = Draws::replayed({.noise = std::vector<double>{7}, .kept = std::nullopt});
  const CellsPlan plan = with_multiplier(2);
  const NoisySum exact = value_of(noisy_sum(plan, 12, 0, 3, 1, draws));
  EXPECT_EQ(exact.value, 4);
  EXPECT_EQ(exact.scale, 0);
  EXPECT_EQ(value_of(noisy_sum(plan, 12, 1, 1, 1, draws)).value, 19);
}

TEST(NoisySums, OfLargeNoiseAreOnACoarserGrid) {
  EXPECT_EQ(coarsening(with_multiplier(1), Int128{1} << 38), 0);
  EXPECT_EQ(coarsening(with_multiplier(1), Int128{1} << 39), 1) << "2^39 steps are one too many";
  EXPECT_EQ(coarsening(with_multiplier(1), Int128{1} << 60), 22);
  const CellsPlan plan = with_multiplier(0x1p20);
  const Int128 sensitivity = (Int128{1} << 30) + 1;
  EXPECT_EQ(coarsening(plan, sensitivity), 12);
  // ceil((2^30 + 1) / 2^12) = 2^18 + 1 steps of 2^12.
  EXPECT_NEAR(on_tape(plan, 0, sensitivity, 1, 1, 0).scale, 0x1p20 * (0x1p18 + 1) * 0x1p12, 0x1p10);
  EXPECT_EQ(on_tape(plan, 2047, sensitivity, 1, 1, 0).value, 0);
  EXPECT_EQ(on_tape(plan, 2048, sensitivity, 1, 1, 0).value, 4096);
  EXPECT_EQ(on_tape(plan, -2048, sensitivity, 1, 1, 0).value, 0);
  EXPECT_EQ(on_tape(plan, -2049, sensitivity, 1, 1, 0).value, -4096);
}

// The scale that is drawn covers what two sums within the sensitivity become on the grid, wherever they lie.
TEST(NoisySums, RoundingNeverMovesASumFurtherThanItsNoiseCovers) {
  std::mt19937_64 random(4);
  double closest = 1;
  for (int round = 0; round < 20'000; ++round) {
    const double multiplier = std::ldexp(1.0, static_cast<int>(random() % 37));
    const auto sensitivity = static_cast<std::int64_t>(1 + random() % (std::uint64_t{1} << (1 + random() % 45)));
    const auto sum = static_cast<std::int64_t>(random() % (std::uint64_t{1} << 50)) - (std::int64_t{1} << 49);
    const CellsPlan plan = with_multiplier(multiplier);
    const NoisySum one = on_tape(plan, sum, sensitivity, 1, 1, 0);
    const NoisySum other = on_tape(plan, Int128{sum} + sensitivity, sensitivity, 1, 1, 0);
    const double used = (other.value - one.value) * multiplier / one.scale;
    ASSERT_LE(used, 1);
    closest = std::min(closest, std::abs(1 - used));
    ASSERT_LT(coarsening(plan, sensitivity), 60);
  }
  EXPECT_LT(closest, 1e-12);
}

TEST(NoisySums, AnEstimateHasTheIntervalOfItsNoise) {
  CellRequest request = cell_request(1);
  request.shape.lower = 10;
  request.level = 0.9;
  const CellsPlan plan = cell_plan(baseline(), request);
  const CellEstimate estimate = estimate_of(plan, {.value = 8, .scale = 4}, 0.5);
  EXPECT_EQ(estimate.state, CellEstimate::State::published);
  EXPECT_EQ(estimate.mean, 14);
  EXPECT_NEAR(estimate.upper, 14 + 2 * std::log(10.0), 1e-12);
  EXPECT_NEAR(estimate.lower, 14 - 2 * std::log(10.0), 1e-12);
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
