// The checks of the conformance suite reject what is broken on purpose.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/series/dft.h"
#include "chronoveil/mechanisms/series/gaussian.h"
#include "chronoveil/mechanisms/series/laplace.h"
#include "neighbours.h"
#include "noise_check.h"

namespace chronoveil::mechanisms::testing {
namespace {

bool is_quiet(Draws& draws) { return draws.mark() == "not private: replayed"; }

// Each twin adds no noise on a tape, as its sound sibling does, and something broken otherwise.
SeriesMechanism twin(const SeriesMechanism& sibling,
                     Result<Measurement> (*measure)(const SeriesPlan&, std::span<const std::int64_t>, Draws&)) {
  SeriesMechanism row = sibling;
  row.measure = measure;
  return row;
}

SeriesPlan plan_of(const SeriesMechanism& row, double delta = 1e-6) {
  Request request = request_for(50, 0.8, delta);
  request.shape.series = 20;
  return value_of(row.prepare(request));
}

Result<Measurement> three_percent_less(const SeriesPlan& plan, std::span<const std::int64_t> counts, Draws& draws) {
  SeriesPlan weaker = plan;
  weaker.scale *= 0.97;
  return measure_every_step(weaker, counts, draws);
}

Result<Measurement> used_twice(const SeriesPlan& plan, std::span<const std::int64_t> counts, Draws& draws) {
  CV_TRY(Measurement measured, measure_every_step(plan, counts, draws));
  if (is_quiet(draws)) return measured;
  for (std::size_t i = 0; i + 1 < counts.size(); i += 2)
    measured.values[i + 1] = measured.values[i] - static_cast<double>(counts[i]) + static_cast<double>(counts[i + 1]);
  return measured;
}

// Noise in floating point, and the same put on the grid by rounding down instead of to the nearest step.
template <bool kOnGrid>
Result<Measurement> floating(const SeriesPlan& plan, std::span<const std::int64_t> counts, Draws& draws) {
  static std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0, plan.scale);
  Measurement measured;
  for (const std::int64_t count : counts) {
    const double noise = is_quiet(draws) ? 0 : normal(random);
    measured.values.push_back(static_cast<double>(count) +
                              (kOnGrid ? std::floor(noise / plan.grid) * plan.grid : noise));
  }
  return measured;
}

TEST(BrokenTwins, TheirSoundSiblingPasses) {
  EXPECT_EQ(noise_complaints(gaussian(), plan_of(gaussian()), 5), "");
  EXPECT_EQ(noise_complaints(gaussian(), coarse(plan_of(gaussian())), 5), "");
}

TEST(BrokenTwins, NoiseThreePercentShortIsRejected) {
  for (const SeriesMechanism* sibling : {&gaussian(), &laplace()}) {
    const SeriesMechanism row = twin(*sibling, three_percent_less);
    EXPECT_NE(noise_complaints(row, plan_of(row), 5), "");
    EXPECT_NE(noise_complaints(row, coarse(plan_of(row)), 5), "");
  }
}

TEST(BrokenTwins, TheLawOfTheOtherNoiseIsRejected) {
  SeriesPlan plan = plan_of(gaussian());
  plan.noise = NoiseKind::laplace;
  plan.scale /= std::sqrt(2.0);  // the same variance
  const SeriesMechanism row = twin(gaussian(), floating<true>);
  EXPECT_NE(noise_complaints(row, plan, 5), "");
}

TEST(BrokenTwins, NoiseInFloatingPointIsRejected) {
  const SeriesMechanism row = twin(gaussian(), floating<false>);
  EXPECT_NE(noise_complaints(row, plan_of(row), 5).find("off the grid"), std::string::npos);
}

TEST(BrokenTwins, RoundingDownIsRejectedWhereItShows) {
  const SeriesMechanism row = twin(gaussian(), floating<true>);
  EXPECT_NE(noise_complaints(row, coarse(plan_of(row)), 5), "");
}

TEST(BrokenTwins, NoiseUsedForTwoStepsIsRejected) {
  const SeriesMechanism row = twin(gaussian(), used_twice);
  EXPECT_NE(noise_complaints(row, plan_of(row), 5).find("lag 1"), std::string::npos);
}

TEST(BrokenTwins, ASensitivityOneInAThousandShortIsRejected) {
  for (const SeriesMechanism* row : {&gaussian(), &laplace(), &dft()}) {
    Request request = request_for(7, 0.8, row == &laplace() ? 0 : 1e-6);
    request.shape.max_steps = row == &dft() ? 1 : 3;
    request.parameters = row == &dft() ? Parameters{{"coefficients", std::int64_t{2}}} : Parameters{};
    SeriesPlan plan = value_of(row->prepare(request));
    EXPECT_LE(Neighbours(request.shape, 7).worst(*row, plan), 1);
    plan.sensitivity *= 0.999;
    EXPECT_GT(Neighbours(request.shape, 7).worst(*row, plan), 1);
  }
}

// A replacement that is priced as if somebody only left.
TEST(BrokenTwins, AForgottenReplacementIsRejected) {
  Request request = request_for(7, 0.8, 1e-6);
  const SeriesPlan plan = value_of(gaussian().prepare(request));
  request.shape.relation = Relation::replace;
  EXPECT_GT(Neighbours(request.shape, 7).worst(gaussian(), plan), 1);
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
