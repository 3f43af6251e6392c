// What every live release rests on: runs and their uses, the order of questions, the horizon, replayed answers.
#include "chronoveil/mechanisms/live.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "chronoveil/bound/bounded_series.h"
#include "chronoveil/ledger/ledger.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/series/gaussian.h"
#include "chronoveil/mechanisms/series/laplace.h"
#include "chronoveil/mechanisms/series/shrink.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {
namespace {

class LiveRun : public ::testing::Test {
 protected:
  void SetUp() override {
    ledger::DatasetRequest dataset;
    dataset.name = "city";
    dataset.epsilon = 10;
    dataset.delta = 1e-4;
    ASSERT_TRUE(ledger_.create(dataset));
    terms_.dataset = "city";
    terms_.purpose = "a test";
    terms_.mechanism = plan_.mechanism;
  }
  ledger::DebitId reserve(std::int64_t uses) { return value_of(ledger_.reserve_run(terms_, plan_.event, uses)).id; }
  Draws resume(const ledger::DebitId& id) {
    return value_of(Draws::continued(value_of(ledger_.resume_run(id)), plan_.event));
  }
  Result<void> step(LiveProcess& process, Draws& draws, std::vector<std::int64_t> counts = {7, 9}) {
    out_.resize(counts.size());
    return live_step(plan_, process, counts, draws, out_);
  }

  const SeriesPlan plan_ = [] {
    Request request = request_for(10, 0.5, 1e-6);
    request.shape.series = 2;
    return value_of(gaussian().prepare(request));
  }();
  ledger::Ledger ledger_ = value_of(ledger::Ledger::open(":memory:"));
  ledger::Terms terms_;
  std::vector<LiveValue> out_;
};

TEST_F(LiveRun, NothingIsDrawnBeforeItStarts) {
  Draws draws = resume(reserve(20));
  const auto process = value_of(go_live(plan_));
  EXPECT_TRUE(draws.continues());
  EXPECT_EQ(draws.mark(), "");
  ASSERT_TRUE(draws.debit());
  EXPECT_FALSE(draws.use());
  EXPECT_FALSE(step(*process, draws));
  EXPECT_EQ(draws.used(), 0);
  ASSERT_TRUE(draws.start(plan_.event));
  EXPECT_TRUE(step(*value_of(go_live(plan_)), draws));
  EXPECT_EQ(draws.used(), 2) << "one for each series";
}

TEST_F(LiveRun, ItsUsesEnd) {
  Draws draws = resume(reserve(5));
  const auto process = value_of(go_live(plan_));
  ASSERT_TRUE(draws.start(plan_.event));
  EXPECT_TRUE(step(*process, draws));
  EXPECT_TRUE(step(*process, draws));
  const Result<void> third = step(*process, draws);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().kind, ErrorKind::over_budget);
  EXPECT_EQ(third.error().text(), "draws: all 5 uses of the debit are gone");
  EXPECT_EQ(draws.used(), 5);
  EXPECT_FALSE(draws.use());
}

TEST_F(LiveRun, UsesOfEarlierProcessesAreGone) {
  const ledger::DebitId id = reserve(20);
  ASSERT_TRUE(ledger_.use_run(id, 0, 19));
  Draws draws = resume(id);
  EXPECT_EQ(draws.used(), 19);
  ASSERT_TRUE(draws.start(plan_.event));
  EXPECT_TRUE(draws.use());
  EXPECT_FALSE(draws.use());
}

TEST_F(LiveRun, ARunOfAnotherEventIsRefused) {
  EXPECT_FALSE(Draws::continued(value_of(ledger_.resume_run(reserve(20))), {accounting::Pure{0.1}}));
  const accounting::Event other{accounting::Gaussian{50}};
  const ledger::DebitId id = value_of(ledger_.reserve_run(terms_, other, 20)).id;
  Draws draws = value_of(Draws::continued(value_of(ledger_.resume_run(id)), other));
  EXPECT_FALSE(draws.start(plan_.event));
  ASSERT_TRUE(draws.start(other));
  EXPECT_FALSE(step(*value_of(go_live(plan_)), draws)) << "started for its own event, it covers no other";
  EXPECT_EQ(draws.used(), 0);
}

TEST_F(LiveRun, WhatWasMovedFromCoversNothing) {
  Draws from = resume(reserve(20));
  ASSERT_TRUE(from.start(plan_.event));
  Draws to = std::move(from);
  EXPECT_FALSE(step(*value_of(go_live(plan_)), from));
  EXPECT_TRUE(step(*value_of(go_live(plan_)), to));
}

TEST_F(LiveRun, ItCoversStepsAndNoWholeSeries) {
  const bound::Caps caps{plan_.shape.unit, plan_.shape.max_steps, plan_.shape.max_per_slot, plan_.shape.maximum};
  const bound::BoundedSeries series(2, 10, std::vector<std::int64_t>(20, 7), caps, Basis::enforced, {});
  Draws run = resume(reserve(20));
  EXPECT_FALSE(measure(plan_, series, run));
  Draws whole = value_of(Draws::authorised(value_of(ledger_.reserve(terms_, plan_.event)), plan_.event));
  ASSERT_TRUE(whole.start(plan_.event));
  EXPECT_FALSE(step(*value_of(go_live(plan_)), whole)) << "and a receipt covers no steps";
}

TEST_F(LiveRun, StepsBeyondThePlanAreRefusedAlsoAfterLoading) {
  Draws draws = Draws::seeded(1);
  auto process = value_of(go_live(plan_));
  for (int t = 0; t < 10; ++t) {
    ASSERT_TRUE(step(*process, draws));
    StateWriter saved;
    process->save(saved);
    const std::vector<std::uint64_t> words = std::move(saved).take();
    process = value_of(go_live(plan_));
    StateReader reader(words);
    process->load(reader);
    EXPECT_TRUE(reader.complete());
  }
  const Result<void> late = step(*process, draws);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().text(), "live: all 10 steps of the plan are over");
}

TEST_F(LiveRun, CountsOfAnotherShapeOrBeyondTheCapsAreRefused) {
  Draws draws = Draws::seeded(1);
  const auto process = value_of(go_live(plan_));
  EXPECT_FALSE(step(*process, draws, {7}));
  EXPECT_FALSE(step(*process, draws, {7, 8, 9}));
  EXPECT_FALSE(step(*process, draws, {7, plan_.shape.maximum + 1}));
  EXPECT_FALSE(step(*process, draws, {7, -2}));
  EXPECT_EQ(draws.used(), 0);
  EXPECT_TRUE(step(*process, draws, {kMissing, plan_.shape.maximum}));
  EXPECT_EQ(draws.used(), 1);
}

TEST_F(LiveRun, APlanWithLessNoiseThanItsEventDoesNotGoLive) {
  SeriesPlan weak = plan_;
  weak.scale *= 0.999;
  EXPECT_FALSE(go_live(weak));
  Draws draws = Draws::seeded(1);
  out_.resize(2);
  EXPECT_FALSE(live_step(weak, *value_of(go_live(plan_)), std::vector<std::int64_t>{7, 9}, draws, out_));
}

TEST(GoLive, SaysWhichMechanismsCan) {
  const auto refused = go_live(value_of(shrink().prepare(request_for(10, 1, 1e-6))));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  EXPECT_EQ(refused.error().text().find("mechanism.name: shrink needs the whole series; live, it must be one of "), 0u);
}

// A process that asks as a test tells it to.
class Asks final : public LiveProcess {
 public:
  explicit Asks(std::function<Result<double>(Answers&)> what) : what_(std::move(what)) {}
  Result<void> step(Answers& answers, std::span<LiveValue>) override {
    CV_TRY(answer, what_(answers));
    return {};
  }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}
  double answer = 0;

 private:
  std::function<Result<double>(Answers&)> what_;
};

TEST_F(LiveRun, QuestionsThatWouldNotBeCoveredAreRefused) {
  const double scale = plan_.scale;
  const std::vector<double> last = {0, 0};
  const auto refuses = [&](std::function<Result<double>(Answers&)> what, std::vector<std::int64_t> counts = {7, 9}) {
    Asks process(std::move(what));
    Draws draws = Draws::seeded(1);
    return !step(process, draws, counts);
  };
  EXPECT_FALSE(refuses([&](Answers& a) { return a.use(), a.count(0, scale); })) << "the control";
  EXPECT_FALSE(refuses([&](Answers& a) { return a.use(), a.distance(last, scale); })) << "the control";
  EXPECT_TRUE(refuses([&](Answers& a) { return a.count(0, scale); })) << "without a use";
  EXPECT_TRUE(refuses([&](Answers& a) { return a.distance(last, scale); })) << "without a use";
  EXPECT_TRUE(refuses([&](Answers& a) { return a.use(), a.count(0, scale * 0.999); })) << "with less noise";
  EXPECT_TRUE(refuses([&](Answers& a) { return a.use(), a.count(0, std::nan("")); })) << "with no noise";
  EXPECT_TRUE(refuses([&](Answers& a) { return a.use(), a.distance(last, scale * 0.999); })) << "with less noise";
  EXPECT_TRUE(refuses([&](Answers& a) { return a.use(), a.count(0, scale), a.count(0, scale); })) << "twice";
  EXPECT_TRUE(refuses([&](Answers& a) { return a.use(), a.count(1, scale), a.count(0, scale); })) << "out of order";
  EXPECT_TRUE(refuses([&](Answers& a) { return a.use(), a.distance(last, scale), a.distance(last, scale); }))
      << "twice";
  EXPECT_TRUE(refuses([&](Answers& a) { return a.use(), a.count(0, scale), a.distance(last, scale); })) << "late";
  EXPECT_TRUE(refuses([&](Answers& a) { return a.use(), a.count(2, scale); })) << "no such series";
  EXPECT_TRUE(refuses([&](Answers& a) { return a.use(), a.count(-1, scale); })) << "no such series";
  EXPECT_TRUE(refuses([&](Answers& a) { return a.use(), a.count(0, scale); }, {kMissing, 9})) << "not there";
}

TEST_F(LiveRun, TheDistanceIsThatOfThePresentSeries) {
  Draws draws = Draws::replayed({.noise = std::vector<double>{0, 0, 2.5}, .kept = std::nullopt});
  Asks process([&](Answers& a) { return a.use(), a.distance(std::vector<double>{10, -2.5}, plan_.scale); });
  ASSERT_TRUE(step(process, draws, {7, 9}));
  EXPECT_EQ(process.answer, 3 + 11.5);
  ASSERT_TRUE(step(process, draws, {kMissing, 9}));
  EXPECT_EQ(process.answer, 11.5);
  ASSERT_TRUE(step(process, draws, {12, kMissing}));
  EXPECT_EQ(process.answer, 2 + 2.5) << "with its noise";
}

// More scales than are kept ready, one after the other and again: each gets the law that it asks for.
TEST(Draws, NoiseOfManyScalesKeepsEachApart) {
  Draws draws = Draws::seeded(3);
  constexpr int kScales = 70, kRounds = 20, kInARow = 100;
  std::vector<double> sums(kScales, 0.0);
  for (int i = 0; i < kScales * kRounds; ++i) {
    const int which = i % kScales;
    const double scale = std::exp2(which / 2.0);
    for (int j = 0; j < kInARow; ++j) {
      std::int64_t index = 0;
      ASSERT_TRUE(
          draws.add_noise({&index, 1}, which % 3 == 0 ? NoiseKind::laplace : NoiseKind::gaussian, scale, 0x1p-4));
      sums[static_cast<std::size_t>(which)] += std::abs(static_cast<double>(index)) * 0x1p-4 / scale;
    }
  }
  // The mean of |X| is b for Laplace and σ √(2/π) for Gauss, its variance at most b²: six standard errors, within which
  // neither the next scale nor the other law lies.
  constexpr double kDraws = kRounds * kInARow;
  for (int which = 0; which < kScales; ++which)
    EXPECT_NEAR(sums[static_cast<std::size_t>(which)] / kDraws, which % 3 == 0 ? 1 : std::sqrt(2 / M_PI),
                6 / std::sqrt(kDraws))
        << "scale 2^" << which / 2.0;
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
