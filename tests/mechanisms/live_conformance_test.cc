// One suite for every mechanism that publishes steps as they come.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "live_checks.h"
#include "neighbours.h"

namespace chronoveil::mechanisms::testing {
namespace {

class LiveConformance : public ::testing::TestWithParam<const SeriesMechanism*> {
 protected:
  const SeriesMechanism& row() const { return *GetParam(); }
  std::vector<double> deltas() const {
    return row().needs_delta ? std::vector<double>{1e-6} : std::vector<double>{0, 1e-6};
  }
  // With parameters under which adaptive mechanisms have something to decide within a few dozen steps.
  Request request(std::int64_t series, std::int64_t steps, double delta) const {
    Request request = request_for(steps, 0.8, delta);
    request.shape.series = series;
    request.shape.unit = row().units.front();
    request.shape.width = 5;
    for (const ParameterInfo& info : row().parameters)
      if (info.name == "integration_time") request.parameters["integration_time"] = std::int64_t{4};
    return request;
  }
  SeriesPlan plan(std::int64_t series, std::int64_t steps, double delta) const {
    return value_of(row().prepare(request(series, steps, delta)));
  }
};

INSTANTIATE_TEST_SUITE_P(Catalogue, LiveConformance, ::testing::ValuesIn([] {
                           std::vector<const SeriesMechanism*> rows;
                           for (const SeriesMechanism* row : series_catalogue())
                             if (row->go_live) rows.push_back(row);
                           return rows;
                         }()),
                         [](const auto& parameter) { return std::string(parameter.param->name); });

TEST_P(LiveConformance, QuestionsAreThosePlannedAndMissingStepsCostNothing) {
  for (const double delta : deltas()) {
    for (const double missing : {0.0, 0.3, 1.0}) {
      const SeriesPlan plan = this->plan(3, 120, delta);
      const std::vector<std::int64_t> counts = restless_counts(plan, 5, missing);
      Draws draws = Draws::seeded(6);
      const Watched watched = watch(plan, counts, draws);
      EXPECT_EQ(question_complaints(plan, counts, watched), "");
      EXPECT_EQ(watched.uses, draws.used());
      EXPECT_EQ(watched.uses == 0, missing == 1.0);
    }
  }
}

TEST_P(LiveConformance, EveryStepGetsAValueAndAnInterval) {
  for (const double delta : deltas()) {
    for (const double missing : {0.0, 0.3, 1.0}) {
      const SeriesPlan plan = this->plan(2, 60, delta);
      const std::vector<std::int64_t> counts = restless_counts(plan, 7, missing);
      Draws draws = Draws::seeded(8);
      const Watched watched = watch(plan, counts, draws);
      std::vector<std::uint8_t> asked(cells(plan), 0);
      for (const Question& question : watched.questions)
        if (question.series != kDistance)
          asked[static_cast<std::size_t>(question.series * plan.shape.steps + question.step)] = 1;
      EXPECT_EQ(watched.estimate.sampled, asked);
      for (std::size_t i = 0; i < cells(plan); ++i) {
        EXPECT_TRUE(std::isfinite(watched.estimate.value[i]));
        EXPECT_LE(watched.estimate.lower[i], watched.estimate.value[i]);
        EXPECT_LE(watched.estimate.value[i], watched.estimate.upper[i]);
        EXPECT_LT(watched.estimate.lower[i], watched.estimate.upper[i]);
        if (missing < 1) continue;
        EXPECT_EQ(watched.estimate.value[i], 0);
        EXPECT_EQ(watched.estimate.lower[i], 0);
        EXPECT_EQ(watched.estimate.upper[i], static_cast<double>(plan.shape.maximum));
      }
    }
  }
}

TEST_P(LiveConformance, SavedAndLoadedAfterEveryStepItGoesOnBitByBit) {
  for (const double delta : deltas()) {
    for (const double missing : {0.0, 0.2}) {
      const SeriesPlan plan = this->plan(2, 120, delta);
      EXPECT_EQ(state_complaints(plan, restless_counts(plan, 9, missing), start_of_catalogue(), 10), "");
    }
  }
}

TEST_P(LiveConformance, WhatIsPublishedFollowsFromAnswersAlone) {
  for (const double delta : deltas()) {
    for (const double missing : {0.0, 0.2}) {
      const SeriesPlan plan = this->plan(2, 120, delta);
      EXPECT_EQ(secrecy_complaints(plan, restless_counts(plan, 11, missing), start_of_catalogue(), 12), "");
    }
  }
}

TEST_P(LiveConformance, StepByStepIsTheSameAsAllAtOnce) {
  for (const double delta : deltas()) {
    const SeriesPlan plan = this->plan(3, 100, delta);
    const std::vector<std::int64_t> counts = restless_counts(plan, 13, 0);
    std::vector<double> tape(most_draws(plan));
    for (std::size_t i = 0; i < tape.size(); ++i) tape[i] = std::sin(static_cast<double>(i * i)) * plan.scale;
    Draws live = Draws::replayed({.noise = tape, .kept = std::nullopt});
    const Watched watched = watch(plan, counts, live);
    ASSERT_EQ(watched.error, "");
    // A mechanism that measures at once does so series by series.
    std::vector<double> at_once = tape;
    const auto steps = static_cast<std::size_t>(plan.shape.steps);
    if (!row().causal)
      for (std::size_t i = 0; i < cells(plan); ++i) at_once[i] = tape[i % steps * 3 + i / steps];
    Draws draws = Draws::replayed({.noise = at_once, .kept = std::nullopt});
    const Measurement measured = value_of(row().measure(plan, counts, draws));
    EXPECT_TRUE(is_same(watched.estimate, value_of(reconstruct(plan, measured))));
  }
}

TEST_P(LiveConformance, AnswersAreTruthsWithTheNoiseOfTheTape) {
  const SeriesPlan plan = this->plan(2, 80, 1e-6);
  std::vector<double> tape(most_draws(plan));
  for (std::size_t i = 0; i < tape.size(); ++i) tape[i] = std::sin(static_cast<double>(i)) * plan.scale;
  Draws draws = Draws::replayed({.noise = tape, .kept = std::nullopt});
  const Watched watched = watch(plan, restless_counts(plan, 14, 0.1), draws);
  ASSERT_EQ(watched.error, "");
  ASSERT_GE(watched.questions.size(), 20u);
  for (std::size_t i = 0; i < watched.questions.size(); ++i)
    EXPECT_EQ(watched.questions[i].answer,
              watched.questions[i].truth + std::floor(tape[i] / plan.grid + 0.5) * plan.grid);
}

TEST_P(LiveConformance, TheNoiseOfEveryQuestionFollowsItsLaw) {
  for (const double delta : deltas()) {
    Request request = this->request(2, 200, delta);
    for (const ParameterInfo& info : row().parameters)
      if (info.name == "process_variance") request.parameters["process_variance"] = 1.0;  // the quickest
    const SeriesPlan fine = value_of(row().prepare(request));
    for (const SeriesPlan& plan : {fine, coarse(fine)}) {
      // The scales that are asked most, of counts and of distances.
      std::map<std::pair<bool, double>, int> often;
      Draws draws = Draws::seeded(15);
      for (const Question& question : watch(plan, restless_counts(plan, 16, 0.1), draws).questions)
        ++often[{question.series == kDistance, question.scale}];
      for (const bool distance : {false, true}) {
        double scale = 0;
        int most = 0;
        for (const auto& [kind, times] : often) {
          if (kind.first != distance || times <= most) continue;
          scale = kind.second;
          most = times;
        }
        if (most == 0) continue;
        EXPECT_EQ(live_noise_complaints(
                      plan, start_of_catalogue(), scale,
                      [&](const Question& question) { return (question.series == kDistance) == distance; }, 16),
                  "");
      }
      EXPECT_FALSE(often.empty());
    }
  }
}

// How far one neighbour moves what is asked, in units of what the plan allows, when the worst is asked that the
// mechanism may ask: every step, every s-th step, or any m steps of a series. Where windows share a budget, what counts
// is how far one slot moves; w_event_test.cc keeps the account of windows.
double worst_asked(const SeriesPlan& plan, const Counts& one, const Counts& other) {
  const auto series = static_cast<std::size_t>(plan.shape.series), steps = static_cast<std::size_t>(plan.shape.steps);
  const auto parameter = [&](std::string_view name) {
    return plan.parameters.contains(name) ? static_cast<std::size_t>(integer(plan.parameters, name)) : 0;
  };
  if (std::holds_alternative<accounting::Pure>(plan.event.kind)) {
    std::vector<double> slots(steps, 0.0);
    for (std::size_t i = 0; i < one.size(); ++i) slots[i % steps] += std::abs(static_cast<double>(one[i] - other[i]));
    return *std::max_element(slots.begin(), slots.end()) / (plan.sensitivity / 2);
  }
  double l1 = 0, squares = 0;
  for (std::size_t s = 0; s < series; ++s) {
    std::vector<double> moved;
    for (std::size_t t = 0; t < steps; ++t)
      if (parameter("interval") == 0 || t % parameter("interval") == 0)
        moved.push_back(std::abs(static_cast<double>(one[s * steps + t] - other[s * steps + t])));
    std::sort(moved.rbegin(), moved.rend());
    if (parameter("queries") > 0) moved.resize(parameter("queries"));
    for (const double each : moved) {
      l1 += each;
      squares += each * each;
    }
  }
  return (plan.noise == NoiseKind::laplace ? l1 : std::sqrt(squares)) / plan.sensitivity;
}

TEST_P(LiveConformance, NoNeighbourMovesWhatIsAskedFurtherThanPlanned) {
  const auto small = [&](std::int64_t series, std::int64_t steps, double delta) {
    return request(series, steps, delta);
  };
  expect_worst_as_planned(row(), deltas(), small, [&](const Request& request) {
    const SeriesPlan plan = value_of(row().prepare(request));
    Neighbours neighbours(request.shape, 7);
    if (row().remember) return neighbours.worst(row(), plan);
    double worst = 0;
    neighbours.for_each(
        [&](const Counts& one, const Counts& other) { worst = std::max(worst, worst_asked(plan, one, other)); });
    return worst;
  });
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
