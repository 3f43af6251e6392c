// laplace, gaussian and event: noise on every step.
#include <gtest/gtest.h>

#include <cmath>

#include "chronoveil/mechanisms/series/event.h"
#include "chronoveil/mechanisms/series/gaussian.h"
#include "chronoveil/mechanisms/series/laplace.h"
#include "watched.h"

namespace chronoveil::mechanisms::testing {
namespace {

TEST(Laplace, TheScaleIsTheSensitivityOverEpsilon) {
  Request request = request_for(10, 0.5, 0);
  request.shape.max_per_slot = 4;
  const SeriesPlan plan = value_of(laplace().prepare(request));
  EXPECT_EQ(plan.sensitivity, 12);
  EXPECT_GE(plan.scale, 24);
  EXPECT_NEAR(plan.scale, 24, 1e-9);
  request.shape.relation = Relation::replace;
  EXPECT_NEAR(value_of(laplace().prepare(request)).scale, 48, 1e-9);
  request.shape.steps = 5;
  EXPECT_NEAR(value_of(laplace().prepare(request)).scale, 40, 1e-9) << "no more slots change than there are";
  request.shape.steps = 10;
  request.delta = 1e-3;
  EXPECT_NEAR(value_of(laplace().prepare(request)).scale, 48, 1e-9) << "pure whatever the budget has";
  EXPECT_EQ(value_of(laplace().prepare(request)).delta, 0);
}

TEST(Laplace, TheUnitDecidesWhatOneNeighbourChanges) {
  Request request = request_for(10, 1, 0);
  request.shape.unit = Unit::event;
  EXPECT_NEAR(value_of(laplace().prepare(request)).scale, 1, 1e-9);
  request.shape.unit = Unit::w_event;
  request.shape.width = 7;
  EXPECT_NEAR(value_of(laplace().prepare(request)).scale, 7, 1e-9);
  request.shape.width = 70;
  EXPECT_NEAR(value_of(laplace().prepare(request)).scale, 10, 1e-9);
}

// The figure of the spec: (0.5, 1e-4), I = 180.
TEST(Gaussian, TheScaleIsThatOfTheExactProfile) {
  Request request = request_for(1800, 0.5, 1e-4);
  request.shape.max_steps = 180;
  const SeriesPlan plan = value_of(gaussian().prepare(request));
  EXPECT_NEAR(plan.scale, 79.07, 0.01);
  request.analysis = accounting::Analysis::published;
  EXPECT_NEAR(value_of(gaussian().prepare(request)).scale, std::sqrt(180 * 2 * std::log(1.25e4)) / 0.5, 1e-6);
}

TEST(Gaussian, TheIntervalIsThatOfItsNoise) {
  const SeriesPlan plan = value_of(gaussian().prepare(request_for(3, 1, 1e-6)));
  const Estimate estimate = value_of(gaussian().reconstruct(plan, {.values = {1, 2, 3}, .kept = std::nullopt}));
  EXPECT_NEAR(estimate.upper[1] - 2, 1.959963984540054 * plan.scale, 1e-9);
  EXPECT_NEAR(2 - estimate.lower[1], 1.959963984540054 * plan.scale, 1e-9);
}

TEST(Laplace, TheIntervalIsThatOfItsNoise) {
  const SeriesPlan plan = value_of(laplace().prepare(request_for(3, 1, 0)));
  const Estimate estimate = value_of(laplace().reconstruct(plan, {.values = {1, 2, 3}, .kept = std::nullopt}));
  EXPECT_NEAR(estimate.upper[0] - 1, -std::log(0.05) * plan.scale, 1e-9);
}

// The last value, with an interval for its age and for how far values have moved per step so far.
TEST(EveryStepLive, AMissingStepRepeatsTheLastValueWithAWiderInterval) {
  const SeriesPlan plan = value_of(gaussian().prepare(request_for(8, 1, 1e-6)));
  const auto maximum = static_cast<double>(plan.shape.maximum);
  Draws draws = Draws::replayed({.noise = std::vector<double>{0, -200, 0}, .kept = std::nullopt});
  const Watched watched = watch(plan, {kMissing, 100, kMissing, kMissing, 106, kMissing, kMissing, 50}, draws);
  ASSERT_EQ(watched.error, "");
  const std::vector<double> value = {0, 100, 100, 100, -94, -94, -94, 50};
  for (std::size_t t = 0; t < 8; ++t) EXPECT_NEAR(watched.estimate.value[t], value[t], 1e-6) << t;
  EXPECT_EQ(watched.estimate.sampled, (std::vector<std::uint8_t>{0, 1, 0, 0, 1, 0, 0, 1}));
  for (const std::size_t t : {0u, 2u, 3u}) {
    EXPECT_EQ(watched.estimate.lower[t], 0) << "nobody knows yet how the series moves";
    EXPECT_EQ(watched.estimate.upper[t], maximum);
  }
  // 194 in three steps.
  const double drift = 194.0 * 194.0 / 3, noise = plan.scale * plan.scale;
  EXPECT_NEAR(watched.estimate.upper[5] - value[5], 1.959963984540054 * std::sqrt(noise + drift), 1e-4);
  EXPECT_NEAR(value[6] - watched.estimate.lower[6], 1.959963984540054 * std::sqrt(noise + 2 * drift), 1e-4);
  EXPECT_EQ(draws.used(), 3);
}

Request event_request(double epsilon, double delta, const std::string& law) {
  Request request = request_for(10, epsilon, delta);
  request.shape.unit = Unit::event;
  request.parameters["law"] = law;
  return request;
}

TEST(EventMechanism, AutoTakesTheSmallerVariance) {
  EXPECT_EQ(value_of(event().prepare(event_request(1, 0, "auto"))).noise, NoiseKind::laplace);
  EXPECT_EQ(value_of(event().prepare(event_request(1, 1e-9, "auto"))).noise, NoiseKind::laplace);
  EXPECT_EQ(value_of(event().prepare(event_request(0.1, 0.05, "auto"))).noise, NoiseKind::gaussian);
  for (const auto& [epsilon, delta] : std::vector<std::pair<double, double>>{{1, 1e-9}, {0.1, 0.05}, {0.01, 1e-3}}) {
    const double b = value_of(event().prepare(event_request(epsilon, delta, "laplace"))).scale;
    const double sigma = value_of(event().prepare(event_request(epsilon, delta, "gaussian"))).scale;
    EXPECT_EQ(value_of(event().prepare(event_request(epsilon, delta, "auto"))).scale,
              sigma * sigma < 2 * b * b ? sigma : b);
  }
}

TEST(EventMechanism, RefusesOtherLawsAndUnits) {
  EXPECT_EQ(event().prepare(event_request(1, 0, "uniform")).error().text(),
            "mechanism.law: uniform is not valid; it must be auto, laplace or gaussian");
  EXPECT_FALSE(event().prepare(event_request(1, 0, "gaussian")));
  Request request = event_request(1, 0, "auto");
  request.shape.unit = Unit::w_event;
  EXPECT_FALSE(event().prepare(request));
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
