#include "chronoveil/mechanisms/series/shrink.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/series/gaussian.h"
#include "post/shrink_directly.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {
namespace {

TEST(ShrinkMechanism, MeasuresAndCostsExactlyWhatGaussianDoes) {
  for (const Unit unit : {Unit::user, Unit::event, Unit::w_event})
    for (const auto analysis : {accounting::Analysis::certified, accounting::Analysis::published}) {
      Request request = request_for(40, 0.5, 1e-6);
      request.shape.unit = unit;
      request.shape.width = 4;
      request.analysis = analysis;
      const SeriesPlan ours = value_of(shrink().prepare(request)), plain = value_of(gaussian().prepare(request));
      EXPECT_EQ(accounting::to_text(ours.event), accounting::to_text(plain.event));
      EXPECT_EQ(ours.scale, plain.scale);
      EXPECT_EQ(ours.grid, plain.grid);
      EXPECT_EQ(ours.sensitivity, plain.sensitivity);
      EXPECT_EQ(ours.measured, plain.measured);
      EXPECT_EQ(ours.price.epsilon, plain.price.epsilon);
      const std::vector<std::int64_t> counts(40, 7);
      Draws one = Draws::seeded(3), other = Draws::seeded(3);
      EXPECT_EQ(value_of(shrink().measure(ours, counts, one)).values,
                value_of(gaussian().measure(plain, counts, other)).values);
    }
}

TEST(ShrinkMechanism, WithReplayedNoiseItEqualsTheFormulasWrittenOut) {
  std::mt19937_64 random(1);
  for (const std::int64_t season : {0, 7}) {
    Request request = request_for(35, 0.9, 1e-5);
    request.shape.series = 2;
    request.parameters["season"] = season;
    request.parameters["joint"] = false;
    const SeriesPlan plan = value_of(shrink().prepare(request));
    std::normal_distribution<double> normal(0, plan.scale);
    std::vector<double> noise;
    std::vector<std::int64_t> counts;
    for (std::int64_t i = 0; i < 70; ++i) {
      noise.push_back(normal(random));
      counts.push_back(10 + 20 * (i % 7 == 3) + i / 35 * 40);
    }
    Draws draws = taped(shrink(), plan, noise);
    const Estimate estimate = value_of(shrink().reconstruct(plan, value_of(shrink().measure(plan, counts, draws))));
    for (std::size_t s = 0; s < 2; ++s) {
      std::vector<double> values;
      for (std::size_t t = 0; t < 35; ++t) {
        const std::size_t i = s * 35 + t;
        values.push_back(static_cast<double>(counts[i]) + plan.grid * std::floor(noise[i] / plan.grid + 0.5));
      }
      const auto direct = post::direct::shrink(values, plan.scale, noise_half_width(plan.noise, plan.scale, plan.level),
                                               static_cast<std::size_t>(season));
      for (std::size_t t = 0; t < 35; ++t) {
        EXPECT_NEAR(estimate.value[s * 35 + t], static_cast<double>(direct.value[t]), 1e-9);
        EXPECT_NEAR(estimate.upper[s * 35 + t] - estimate.value[s * 35 + t], static_cast<double>(direct.half_width[t]),
                    1e-9);
      }
    }
  }
}

TEST(ShrinkMechanism, ATrendIsSmootherThanTheSeriesWhereThatIsRough) {
  Request request = request_for(200, 5, 1e-5);
  std::mt19937_64 random(2);
  std::vector<std::int64_t> counts;
  for (int t = 0; t < 200; ++t) counts.push_back(random() % 2 == 0 ? 500 : 600);  // a jump is far above the noise
  const auto roughness = [&](bool trend) {
    request.parameters["trend"] = trend;
    const SeriesPlan plan = value_of(shrink().prepare(request));
    Draws draws = Draws::seeded(1);
    const Estimate e = value_of(shrink().reconstruct(plan, value_of(shrink().measure(plan, counts, draws))));
    double sum = 0;
    for (std::size_t t = 1; t < 200; ++t) sum += std::abs(e.value[t] - e.value[t - 1]);
    return sum / 199;
  };
  EXPECT_GT(roughness(false), 40);
  EXPECT_LT(roughness(true), 10);
}

TEST(ShrinkMechanism, RefusesSeasonsThatCannotBe) {
  for (const std::int64_t season : {-1, 1, 41}) {
    Request request = request_for(40, 0.5, 1e-6);
    request.parameters["season"] = season;
    const auto refused = shrink().prepare(request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
    EXPECT_NE(refused.error().text().find("mechanism.season"), std::string::npos);
  }
  for (const std::int64_t season : {0, 2, 40}) {
    Request request = request_for(40, 0.5, 1e-6);
    request.parameters["season"] = season;
    EXPECT_TRUE(shrink().prepare(request));
  }
}

TEST(ShrinkMechanism, RefusesAMeasurementOfAnotherShape) {
  const SeriesPlan plan = value_of(shrink().prepare(request_for(40, 0.5, 1e-6)));
  const auto refused = shrink().reconstruct(plan, {.values = std::vector<double>(39), .kept = std::nullopt});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::internal);
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
