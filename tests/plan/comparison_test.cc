#include "chronoveil/plan/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "chronoveil/mechanisms/catalogue.h"

namespace chronoveil::plan {
namespace {

using mechanisms::Request;

// The setting of the literature: (0.5, 1e-4), I = 180 of T = 1800 steps.
Request literature() {
  Request request;
  request.shape.steps = 1800;
  request.shape.max_steps = 180;
  request.epsilon = 0.5;
  request.delta = 1e-4;
  return request;
}

Request hourly_week(Unit unit, double delta) {
  Request request;
  request.shape.steps = 168;
  request.shape.unit = unit;
  request.shape.width = 24;
  request.shape.max_steps = 20;
  request.epsilon = 1;
  request.delta = delta;
  return request;
}

const Candidate& of(const Comparison& comparison, std::string_view name) {
  const auto found = std::find_if(comparison.candidates.begin(), comparison.candidates.end(),
                                  [&](const Candidate& candidate) { return candidate.mechanism == name; });
  EXPECT_NE(found, comparison.candidates.end()) << name;
  return *found;
}

// A wave that repeats every day, far above the noise or below it.
PublicSample daily_wave(std::int64_t series, std::int64_t steps, double level, double height) {
  PublicSample sample{.series = series, .steps = steps, .counts = {}};
  for (std::int64_t i = 0; i < series * steps; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i % steps % 24) / 24;
    sample.counts.push_back(std::llround(level + height * std::sin(angle)));
  }
  return sample;
}

TEST(Comparison, GivesTheNumbersOfTheInformationArgument) {
  const auto got = compare(literature());
  ASSERT_TRUE(got) << got.error().text();
  const Candidate& gaussian = of(*got, "gaussian");
  const Candidate& subsample = of(*got, "subsample");
  EXPECT_NEAR(gaussian.plan->scale, 79.07, 0.01);
  EXPECT_NEAR(subsample.plan->scale, 26.09, 0.02);
  EXPECT_NEAR(gaussian.information / 1800, 1.60e-4, 0.005e-4);
  EXPECT_NEAR(subsample.information / 1800, 1.47e-4, 0.005e-4);
  EXPECT_NEAR(gaussian.noise_error, gaussian.plan->scale * std::sqrt(2 / std::numbers::pi), 1e-9);
  EXPECT_EQ(of(*got, "shrink").information, gaussian.information);
  EXPECT_EQ(got->recommended, "shrink");
  EXPECT_NE(got->reason.find("1.09 times the information of subsample"), std::string::npos) << got->reason;
}

TEST(Comparison, ListsTheWholeCatalogueInItsOrder) {
  const auto got = compare(hourly_week(Unit::user, 1e-6));
  ASSERT_TRUE(got);
  const auto catalogue = mechanisms::series_catalogue();
  ASSERT_EQ(got->candidates.size(), catalogue.size());
  for (std::size_t i = 0; i < catalogue.size(); ++i) {
    const Candidate& candidate = got->candidates[i];
    EXPECT_EQ(candidate.mechanism, catalogue[i]->name);
    EXPECT_NE(candidate.plan.has_value(), !candidate.refusal.text().empty());
    EXPECT_FALSE(candidate.expected_error) << "there is no sample";
    if (candidate.plan) {
      EXPECT_GT(candidate.noise_error, 0);
      EXPECT_GT(candidate.information, 0);
      EXPECT_LE(candidate.plan->price.epsilon, 1);
    }
  }
}

// A sample of another length, or of more series, needs more noise of some mechanisms; the noise stays the release's.
TEST(Comparison, EveryMechanismIsTriedOnSamplesOfOtherShapes) {
  for (const Unit unit : {Unit::user, Unit::w_event}) {
    Request request = hourly_week(unit, 1e-6);
    request.shape.max_steps = 100;
    for (const std::int64_t series : {1, 3}) {
      const auto got = compare(request, daily_wave(series, 24 * 14, 500, 200), Audience::any, 2);
      ASSERT_TRUE(got) << got.error().text();
      for (const Candidate& candidate : got->candidates)
        EXPECT_EQ(candidate.expected_error.has_value(), candidate.plan.has_value()) << candidate.mechanism;
    }
  }
}

// Half of ε over 24 steps: a step that publishes with its own share has noise of 2 · 24.
TEST(Comparison, TheNoiseOfAWindowIsThatOfOneOfItsSteps) {
  const auto got = compare(hourly_week(Unit::w_event, 0));
  ASSERT_TRUE(got);
  EXPECT_NEAR(of(*got, "w_event").noise_error, 48, 1e-6);
  EXPECT_NEAR(of(*got, "laplace").noise_error, 24, 1e-6);
}

// dft: √(m/T) times the deviation of a coefficient. running_total: of its last step, hardly more than
// (1 + 1/4 + 9/64)^½ times that of a square root.
TEST(Comparison, TheNoiseOfManyDrawsIsThatOfTheirSum) {
  const double normal = std::sqrt(2 / std::numbers::pi);
  Request week = hourly_week(Unit::user, 0);
  week.shape.series = 2;
  week.parameters["coefficients"] = std::int64_t{5};
  const auto waves = compare(week);
  ASSERT_TRUE(waves);
  const Candidate& dft = of(*waves, "dft");
  EXPECT_NEAR(dft.noise_error, std::sqrt(2 * 9 / 168.0) * dft.plan->scale * normal, 1e-9);
  EXPECT_NEAR(dft.information, 2 * 9 / (2 * dft.plan->scale * dft.plan->scale), 1e-12);
  Request three = hourly_week(Unit::event, 1e-6);
  three.shape.steps = 3;
  const auto sums = compare(three);
  ASSERT_TRUE(sums);
  const Candidate& totals = of(*sums, "running_total");
  const double multiplier = totals.plan->scale / totals.plan->sensitivity;
  EXPECT_NEAR(totals.noise_error, (1 + 0.25 + 9 / 64.0) * multiplier * normal, 1e-3 * totals.noise_error);
}

TEST(Comparison, SaysWhyAMechanismDoesNotFit) {
  const auto pure = compare(hourly_week(Unit::user, 0));
  ASSERT_TRUE(pure);
  for (const char* name : {"gaussian", "shrink", "subsample"})
    EXPECT_NE(of(*pure, name).refusal.text().find("delta"), std::string::npos) << of(*pure, name).refusal.text();
  EXPECT_NE(of(*pure, "event").refusal.text().find("unit"), std::string::npos) << of(*pure, "event").refusal.text();
  EXPECT_TRUE(of(*pure, "laplace").plan);
}

TEST(Comparison, ARequestThatNothingFitsIsAnErrorAboutTheRequest) {
  Request request = hourly_week(Unit::user, 1e-6);
  request.epsilon = -1;
  const auto got = compare(request);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, ErrorKind::usage);
  EXPECT_EQ(got.error().text().rfind("epsilon: -1", 0), 0u) << got.error().text();
}

TEST(Comparison, RecommendsByUnitAndDelta) {
  const auto recommended = [](const Request& request) { return compare(request)->recommended; };
  EXPECT_EQ(recommended(hourly_week(Unit::user, 1e-6)), "shrink");
  EXPECT_EQ(recommended(hourly_week(Unit::w_event, 1e-6)), "shrink");
  EXPECT_EQ(recommended(hourly_week(Unit::event, 1e-6)), "event");
  EXPECT_EQ(recommended(hourly_week(Unit::event, 0)), "event");
  // One who changes one value: Laplace noise b = 1 against Gaussian noise σ = 4.2.
  Request once = hourly_week(Unit::user, 1e-6);
  once.shape.max_steps = 1;
  EXPECT_EQ(recommended(once), "laplace");
}

TEST(Comparison, PureEpsilonAsksFewerQuestionsOnlyWhereThatLowersTheNoiseEnough) {
  // Everybody in every step: 59 coefficients instead of 1800 steps.
  Request all = literature();
  all.delta = 0;
  all.shape.max_steps = 1800;
  const auto many = compare(all);
  ASSERT_TRUE(many);
  EXPECT_EQ(many->recommended, "dft");
  EXPECT_LE(2 * of(*many, "dft").noise_error, of(*many, "laplace").noise_error);
  // In 20 steps a person moves 59 coefficients as well: less noise, but more questions than steps.
  all.shape.max_steps = 20;
  EXPECT_EQ(compare(all)->recommended, "laplace");
  // A week of hours has hardly more steps than coefficients.
  EXPECT_EQ(compare(hourly_week(Unit::user, 0))->recommended, "laplace");
}

TEST(Comparison, APublicSampleDecidesByTheLeastExpectedError) {
  const PublicSample slow = daily_wave(1, 168, 300, 120);
  const auto got = compare(hourly_week(Unit::user, 1e-6), slow);
  ASSERT_TRUE(got);
  double least = INFINITY;
  for (const Candidate& candidate : got->candidates) {
    EXPECT_EQ(candidate.plan.has_value(), candidate.expected_error.has_value()) << candidate.mechanism;
    if (candidate.expected_error) least = std::min(least, *candidate.expected_error);
  }
  EXPECT_EQ(*of(*got, got->recommended).expected_error, least);
  EXPECT_LT(*of(*got, "dft").expected_error, *of(*got, "gaussian").expected_error)
      << "30 frequencies hold a daily wave";
  EXPECT_NE(got->reason.find("public sample"), std::string::npos);
}

TEST(Comparison, ExpectedErrorOfNoiseAloneIsTheNoiseError) {
  // Far above zero nothing is cut off: 20 × 168 draws, so 6 standard errors of a half-normal mean are 0.08 of it.
  const auto got = compare(hourly_week(Unit::user, 1e-6), daily_wave(1, 168, 1e6, 1e5));
  ASSERT_TRUE(got);
  for (const char* name : {"gaussian", "laplace"})
    EXPECT_NEAR(*of(*got, name).expected_error / of(*got, name).noise_error, 1, name[0] == 'g' ? 0.08 : 0.11) << name;
}

TEST(Comparison, ASmallRippleUnderALargeBudgetIsNotSmoothedAway) {
  // Counts jump at every step and the noise is far below the jumps: the frequencies that dft drops cost more than
  // noise.
  PublicSample jumps{.series = 1, .steps = 168, .counts = {}};
  for (int i = 0; i < 168; ++i) jumps.counts.push_back(i % 2 == 0 ? 10000 : 0);
  Request request = hourly_week(Unit::user, 1e-6);
  const auto got = compare(request, jumps);
  ASSERT_TRUE(got);
  EXPECT_GT(*of(*got, "dft").expected_error, 50 * *of(*got, "gaussian").expected_error);
  EXPECT_NE(got->recommended, "dft");
}

TEST(Comparison, RunningTotalsAreComparedWithRunningTotalsAndNeverRecommended) {
  const auto got = compare(hourly_week(Unit::event, 1e-6), daily_wave(1, 168, 300, 120));
  ASSERT_TRUE(got);
  const Candidate& totals = of(*got, "running_total");
  ASSERT_TRUE(totals.expected_error);
  // The total of a week is about 50000: an error against the counts themselves would be of that size.
  EXPECT_LT(*totals.expected_error, 2 * totals.noise_error);
  EXPECT_NE(got->recommended, "running_total");
}

TEST(Comparison, IsTheSameEveryTime) {
  const PublicSample sample = daily_wave(3, 168, 40, 30);
  const auto once = compare(hourly_week(Unit::user, 1e-6), sample, Audience::any, 3);
  const auto again = compare(hourly_week(Unit::user, 1e-6), sample, Audience::any, 3);
  ASSERT_TRUE(once && again);
  EXPECT_EQ(once->reason, again->reason);
  for (std::size_t i = 0; i < once->candidates.size(); ++i)
    EXPECT_EQ(once->candidates[i].expected_error, again->candidates[i].expected_error);
}

TEST(Comparison, ASampleOfAnotherShapeIsTriedWithTheNoiseOfTheRelease) {
  // One series of a longer span stands for many: the noise is calibrated for the release, whatever the sample's length.
  const auto got = compare(hourly_week(Unit::user, 1e-6), daily_wave(1, 500, 1e6, 10));
  ASSERT_TRUE(got);
  const Candidate& gaussian = of(*got, "gaussian");
  EXPECT_EQ(gaussian.plan->shape.steps, 168);
  EXPECT_NEAR(*gaussian.expected_error / gaussian.noise_error, 1, 0.05);
  EXPECT_TRUE(of(*got, "dft").expected_error);
}

TEST(Comparison, ParametersGoToTheMechanismThatKnowsThem) {
  Request request = hourly_week(Unit::user, 1e-6);
  request.parameters["coefficients"] = std::int64_t{5};
  const auto got = compare(request);
  ASSERT_TRUE(got);
  EXPECT_EQ(of(*got, "dft").plan->measured, 9);
  EXPECT_TRUE(of(*got, "gaussian").plan) << "it has no such parameter and uses its defaults";
  request.parameters["coefficients"] = std::int64_t{0};
  const auto refused = compare(request);
  ASSERT_TRUE(refused);
  EXPECT_NE(of(*refused, "dft").refusal.text().find("coefficients"), std::string::npos);
}

TEST(Comparison, ASampleThatIsNotOfItsShapeIsRefused) {
  PublicSample sample = daily_wave(2, 24, 10, 5);
  sample.series = 3;
  const auto got = compare(hourly_week(Unit::user, 1e-6), sample);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, ErrorKind::usage);
  EXPECT_NE(got.error().text().find("plan.sample"), std::string::npos);
  EXPECT_FALSE(compare(hourly_week(Unit::user, 1e-6), PublicSample{.series = 1, .steps = 0, .counts = {}}));
}

}  // namespace
}  // namespace chronoveil::plan
