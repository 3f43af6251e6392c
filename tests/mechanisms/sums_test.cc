#include "chronoveil/mechanisms/sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/parts/sum_of_noise.h"
#include "chronoveil/mechanisms/series/shrink.h"
#include "chronoveil/post/joint/joint.h"
#include "chronoveil/post/shrink/shrink.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {
namespace {

// P(|sum of n draws of Laplace noise| <= x), b = 1, by the characteristic function 1/(1 + u²)^n [GilPelaez51]:
// (2/π) ∫ sin(ux)/u (1 + u²)^(−n) du, by Simpson's rule.
double laplace_sum_within(std::int64_t n, double x) {
  const double end = n == 2 ? 2000 : 400 / std::sqrt(static_cast<double>(n));
  constexpr int kParts = 2'000'000;
  const double step = end / kParts;
  double sum = x;  // at u = 0
  for (int i = 1; i < kParts; ++i) {
    const double u = step * i;
    sum += (i % 2 == 0 ? 2 : 4) * std::sin(u * x) / u * std::pow(1 + u * u, -static_cast<double>(n));
  }
  return sum * step / 3 * 2 / M_PI;
}

TEST(SumOfNoise, HoldsTheSumWithItsLevel) {
  for (const double level : {0.5, 0.95, 0.999}) {
    EXPECT_EQ(half_width_of_sum(NoiseKind::laplace, 3, level, 1), noise_half_width(NoiseKind::laplace, 3, level));
    for (const std::int64_t n : {2, 3, 24, 500}) {
      const double half_width = half_width_of_sum(NoiseKind::laplace, 3, level, n);
      EXPECT_NEAR(laplace_sum_within(n, half_width / 3), level, 1e-6) << n;
      EXPECT_DOUBLE_EQ(half_width_of_sum(NoiseKind::gaussian, 3, level, n),
                       3 * std::sqrt(static_cast<double>(n)) * noise_half_width(NoiseKind::gaussian, 1, level));
    }
    for (const std::int64_t n : {513, 5000}) {
      const double half_width = half_width_of_sum(NoiseKind::laplace, 1, level, n);
      const double normal = noise_half_width(NoiseKind::gaussian, std::sqrt(2.0 * static_cast<double>(n)), level);
      EXPECT_GE(half_width, normal);
      EXPECT_LE(half_width, normal * 1.002);
    }
  }
}

struct Case {
  const SeriesMechanism* row;
  SeriesPlan plan;
  Measurement measurement;
};

Case measured(std::string_view name, std::int64_t series, std::int64_t steps, Parameters parameters = {}) {
  Case all{value_of(find_series_mechanism(name)), {}, {}};
  Request request = request_for(steps, 1, 1e-6);
  request.shape.series = series;
  request.parameters = std::move(parameters);
  if (all.row->units.front() != Unit::user) request.shape.unit = all.row->units.front();
  all.plan = value_of(all.row->prepare(request));
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < series * steps; ++i) counts.push_back(50 + 10 * (i / steps) + (i % 7) * (i % 3));
  Draws draws = Draws::seeded(5);
  all.measurement = value_of(all.row->measure(all.plan, counts, draws));
  return all;
}

TEST(Summands, AreNoisyValuesWhereEveryCellHasItsOwnNoise) {
  for (const char* const name : {"laplace", "gaussian", "event"}) {
    const Case one = measured(name, 3, 12);
    const Summed summed = value_of(reconstruct(one.plan, one.measurement, {}));
    EXPECT_EQ(summed.summands.cells.value, one.measurement.values) << name;
    ASSERT_TRUE(summed.summands.noise) << name;
    EXPECT_EQ(summed.summands.noise(36), half_width_of_sum(one.plan.noise, one.plan.scale, one.plan.level, 36));
    EXPECT_EQ(summed.estimate.value, value_of(reconstruct(one.plan, one.measurement)).value);
  }
}

// Answers of a live mechanism come step by step; sums need them series by series.
TEST(Summands, OfKalmanAreItsNoisyValuesSeriesBySeries) {
  const Case one = measured("kalman", 3, 12);
  const Summed summed = value_of(reconstruct(one.plan, one.measurement, {}));
  for (std::size_t s = 0; s < 3; ++s)
    for (std::size_t t = 0; t < 12; ++t)
      EXPECT_EQ(summed.summands.cells.value[s * 12 + t], one.measurement.values[t * 3 + s]);
  EXPECT_EQ(summed.summands.cells.value[12], summed.estimate.value[12]);  // the first value is released as measured
  ASSERT_TRUE(summed.summands.noise);
}

TEST(Summands, AreCellsWhereNothingIsKnownOfTheirNoise) {
  for (const char* const name : {"subsample", "fast", "w_event", "dft", "running_total"}) {
    const Case one = measured(name, 2, 12);
    const Summed summed = value_of(reconstruct(one.plan, one.measurement, {}));
    EXPECT_EQ(summed.summands.cells.value, summed.estimate.value) << name;
    EXPECT_EQ(summed.summands.cells.upper, summed.estimate.upper) << name;
    EXPECT_FALSE(summed.summands.noise) << name;
  }
}

TEST(Summands, OfShrinkAreThoseThatJointDenoisingMakesHold) {
  const Case one = measured("shrink", 5, 48, {{"season", std::int64_t{12}}});
  const SumsAsked asked{{{0, 2}, {1, 3, 4}}, {5, 17, 29, 41}};
  const Summed summed = value_of(reconstruct(one.plan, one.measurement, asked));
  post::JointSpec spec{48, one.plan.scale, noise_half_width(one.plan.noise, one.plan.scale, one.plan.level), 12};
  spec.groups = asked.groups;
  spec.season_starts = asked.season_starts;
  const post::JointEstimate joint = post::shrink_jointly(one.measurement.values, spec);
  EXPECT_EQ(summed.estimate.value, joint.cells.value);
  EXPECT_EQ(summed.estimate.lower, joint.cells.lower);
  EXPECT_EQ(summed.summands.cells.value, joint.cells.value);
  ASSERT_EQ(summed.summands.of_groups.size(), 2U);
  for (std::size_t t = 0; t < 48; ++t) {
    EXPECT_EQ(summed.summands.of_all[t], joint.total.upper[t] - joint.total.value[t]);
    EXPECT_EQ(summed.summands.of_groups[1][t], joint.groups[1].upper[t] - joint.groups[1].value[t]);
  }
}

// One series, joint = false, trend = true and few steps: what shrink says of each series, bit by bit; the sums are of
// noisy values.
TEST(Summands, OfShrinkOneByOneAreNoisyValues) {
  const Case cases[] = {measured("shrink", 1, 48), measured("shrink", 5, 48, {{"joint", false}}),
                        measured("shrink", 5, 48, {{"trend", true}}), measured("shrink", 5, 7)};
  for (const Case& one : cases) {
    const Summed summed = value_of(reconstruct(one.plan, one.measurement, {}));
    const Estimate alone = post::shrink(one.measurement.values,
                                        {.steps = one.plan.shape.steps,
                                         .noise_deviation = one.plan.scale,
                                         .half_width = noise_half_width(one.plan.noise, one.plan.scale, one.plan.level),
                                         .season = 0,
                                         .trend = std::get<bool>(one.plan.parameters.at("trend"))});
    EXPECT_EQ(summed.estimate.value, alone.value);
    EXPECT_EQ(summed.estimate.lower, alone.lower);
    EXPECT_EQ(summed.estimate.upper, alone.upper);
    EXPECT_EQ(summed.summands.cells.value, one.measurement.values);
    EXPECT_TRUE(summed.summands.of_all.empty());
  }
}

TEST(Summands, DenoisingJointlyChangesNoEventAndNoPrice) {
  const Case joint = measured("shrink", 5, 48), alone = measured("shrink", 5, 48, {{"joint", false}});
  EXPECT_EQ(joint.plan.scale, alone.plan.scale);
  EXPECT_EQ(joint.plan.price.epsilon, alone.plan.price.epsilon);
  EXPECT_EQ(joint.measurement.values, alone.measurement.values);
  EXPECT_NE(value_of(reconstruct(joint.plan, joint.measurement)).value,
            value_of(reconstruct(alone.plan, alone.measurement)).value);
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
