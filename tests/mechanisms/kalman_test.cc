// kalman from counts to published values, against dense conditioning of all answers so far.
#include "chronoveil/mechanisms/series/kalman.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/mechanisms/series/gaussian.h"
#include "post/causal_directly.h"
#include "watched.h"

namespace chronoveil::mechanisms::testing {
namespace {

TEST(Kalman, EqualsDenseConditioningOfTheAnswers) {
  for (const std::int64_t season : {0, 7}) {
    Request request = request_for(120, 0.5, 1e-6);
    request.shape.series = 2;
    request.parameters["season"] = season;
    const SeriesPlan plan = value_of(kalman().prepare(request));
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    std::vector<std::int64_t> counts(cells(plan));
    for (std::size_t i = 0; i < counts.size(); ++i)
      counts[i] = i % 11 == 3 ? kMissing : static_cast<std::int64_t>(2000 + 30.0 * static_cast<double>(i % 120 % 7));
    std::vector<double> tape(cells(plan));
    for (double& noise : tape) noise = plan.scale * normal(random);
    Draws draws = Draws::replayed({.noise = tape, .kept = std::nullopt});
    const Watched watched = watch(plan, counts, draws);
    ASSERT_EQ(watched.error, "");
    for (std::size_t s = 0; s < 2; ++s) {
      std::vector<std::optional<double>> answers(120);
      for (const Question& question : watched.questions)
        if (question.series == static_cast<std::int64_t>(s))
          answers[static_cast<std::size_t>(question.step)] = question.answer;
      const auto directly =
          post::causal_directly({.noise_variance = plan.scale * plan.scale, .season = season}, answers);
      for (std::size_t t = 0; t < 120; ++t) {
        const std::size_t cell = s * 120 + t;
        ASSERT_EQ(watched.estimate.sampled[cell], counts[cell] == kMissing ? 0 : 1);
        ASSERT_NEAR(watched.estimate.value[cell], directly[t].mean, 1e-9 * 2000) << t;
        ASSERT_NEAR(watched.estimate.upper[cell] - watched.estimate.value[cell],
                    1.959963984540054 * std::sqrt(directly[t].variance), 1e-9 * plan.scale)
            << t;
      }
    }
  }
}

TEST(Kalman, CostsWhatGaussianCosts) {
  const Request request = request_for(50, 0.5, 1e-6);
  const SeriesPlan ours = value_of(kalman().prepare(request)), plain = value_of(gaussian().prepare(request));
  EXPECT_EQ(accounting::to_text(ours.event), accounting::to_text(plain.event));
  EXPECT_EQ(ours.scale, plain.scale);
  EXPECT_EQ(ours.measured, 50);
}

TEST(Kalman, RefusesASeasonThatNeverComesBack) {
  Request request = request_for(50, 1, 1e-6);
  for (const std::int64_t season : {0, 2, 50}) {
    request.parameters["season"] = season;
    EXPECT_TRUE(kalman().prepare(request));
  }
  for (const std::int64_t season : {-1, 1, 51}) {
    request.parameters["season"] = season;
    EXPECT_FALSE(kalman().prepare(request));
  }
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
