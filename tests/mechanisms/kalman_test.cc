// kalman from counts to published values, against dense conditioning of all answers so far.
#include "chronoveil/mechanisms/series/kalman.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/mechanisms/series/gaussian.h"
#include "chronoveil/post/causal/joint_filter.h"
#include "post/causal_directly.h"
#include "watched.h"

namespace chronoveil::mechanisms::testing {
namespace {

TEST(Kalman, EqualsDenseConditioningOfTheAnswers) {
  for (const std::int64_t season : {0, 7}) {
    Request request = request_for(120, 0.5, 1e-6);
    request.shape.series = 2;
    request.parameters["season"] = season;
    request.parameters["joint"] = false;
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
        // Raised where the answers say that the filter is too sure of itself, at most to the noise of an answer.
        const double half_width = watched.estimate.upper[cell] - watched.estimate.value[cell];
        constexpr double kNormal = 1.959963984540054;
        ASSERT_GE(half_width, kNormal * std::min(plan.scale, std::sqrt(directly[t].variance)) - 1e-9 * plan.scale) << t;
        if (counts[cell] != kMissing) {
          ASSERT_LE(half_width, (kNormal + 1e-9) * plan.scale) << t;
        }
      }
    }
  }
}

// What is published is made of the answers and of public facts: a filter that was given nothing else says the same.
TEST(Kalman, PublishesWhatTheJointFilterMakesOfTheAnswers) {
  Request request = request_for(90, 0.5, 1e-6);
  request.shape.series = 3;
  request.parameters["season"] = std::int64_t{7};
  const SeriesPlan plan = value_of(kalman().prepare(request));
  std::vector<std::int64_t> counts(cells(plan));
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] = i % 13 == 5 ? kMissing : static_cast<std::int64_t>(300 + 40 * (i % 90 % 7));
  // How far what is published is from what a filter makes of the answers. The twin knows the counts, too, and leans on
  // them by a hundredth.
  const auto distance = [&](double lean) {
    Draws draws = Draws::seeded(4);
    const Watched watched = watch(plan, counts, draws);
    EXPECT_EQ(watched.error, "");
    post::JointFilter filter({3, {.noise_variance = plan.scale * plan.scale, .season = 7}});
    std::vector<std::optional<double>> answers(3);
    std::vector<post::CausalValue> out(3);
    double most = 0;
    std::size_t next = 0;
    for (std::size_t t = 0; t < 90; ++t) {
      std::fill(answers.begin(), answers.end(), std::nullopt);
      for (; next < watched.questions.size() && watched.questions[next].step == static_cast<std::int64_t>(t); ++next)
        answers[static_cast<std::size_t>(watched.questions[next].series)] =
            watched.questions[next].answer + lean * (watched.questions[next].truth - watched.questions[next].answer);
      filter.step(answers, out);
      for (std::size_t s = 0; s < 3; ++s)
        most = std::max(most, std::abs(watched.estimate.value[s * 90 + t] - out[s].mean));
    }
    return most;
  };
  EXPECT_EQ(distance(0), 0);
  EXPECT_GT(distance(0.01), 0.01);
}

TEST(Kalman, EstimatesTheSumOfSeveralSeriesByItself) {
  for (const std::int64_t series : {1, 4}) {
    Request request = request_for(60, 0.5, 1e-6);
    request.shape.series = series;
    const SeriesPlan plan = value_of(kalman().prepare(request));
    const std::unique_ptr<LiveProcess> process = value_of(go_live(plan));
    EXPECT_EQ(process->has_total(), series > 1);
    Draws draws = Draws::seeded(2);
    std::vector<LiveValue> out(static_cast<std::size_t>(series));
    const std::vector<std::int64_t> counts(out.size(), 500);
    for (int t = 0; t < 60; ++t) ASSERT_TRUE(live_step(plan, *process, counts, draws, out));
    ASSERT_EQ(process->total().has_value(), series > 1);
    if (series == 1) continue;
    const LiveValue total = *process->total();
    EXPECT_LT(total.lower, total.value);
    EXPECT_LT(total.upper - total.lower, 2 * 1.96 * plan.scale * std::sqrt(static_cast<double>(series)));
    EXPECT_LT(std::abs(total.value - 500.0 * static_cast<double>(series)), 6 * 2 * plan.scale);
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
