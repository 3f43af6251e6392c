// The checks of the live suite reject what is broken on purpose.
#include <gtest/gtest.h>

#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/parts/decaying_weights.h"
#include "chronoveil/mechanisms/series/fast.h"
#include "chronoveil/mechanisms/series/fixed_rate.h"
#include "chronoveil/mechanisms/series/running_total.h"
#include "live_checks.h"

namespace chronoveil::mechanisms::testing {
namespace {

SeriesPlan plan_of(const SeriesMechanism& row) {
  Request request = request_for(120, 0.8, 1e-6);
  request.parameters["process_variance"] = 1.0;
  if (row.name == "fast") {
    request.parameters["integration_time"] = std::int64_t{4};
    request.parameters["queries"] = std::int64_t{8};  // gone long before the end
  }
  return value_of(row.prepare(request));
}

// Does what its sibling does, and lets a test change what goes through.
class Twin : public LiveProcess {
 public:
  explicit Twin(std::unique_ptr<LiveProcess> sibling) : sibling_(std::move(sibling)) {}
  Result<void> step(Answers& answers, std::span<LiveValue> out) override { return sibling_->step(answers, out); }
  void save(StateWriter& to) const override { sibling_->save(to); }
  void load(StateReader& from) override { sibling_->load(from); }
  CountMemory* memory() override { return sibling_->memory(); }

 protected:
  LiveProcess& sibling() { return *sibling_; }

 private:
  std::unique_ptr<LiveProcess> sibling_;
};

template <class Broken>
Start start_of() {
  return [](const SeriesPlan& plan) { return std::make_unique<Broken>(plan, value_of(go_live(plan))); };
}

// Once its sibling has asked m times, asks once more.
class AsksOnceMore final : public Twin {
 public:
  AsksOnceMore(const SeriesPlan& plan, std::unique_ptr<LiveProcess> sibling)
      : Twin(std::move(sibling)), scale_(plan.scale), left_(plan.measured) {}
  Result<void> step(Answers& answers, std::span<LiveValue> out) override {
    CV_CHECK(sibling().step(answers, out));
    if (out[0].sampled) {
      --left_;
    } else if (left_ == 0) {
      --left_;
      CV_CHECK(answers.use());
      CV_TRY(out[0].value, answers.count(0, scale_));
    }
    return {};
  }

 private:
  double scale_;
  std::int64_t left_;
};

// Loads everything but how often it has asked, which comes third: the steps of the plan, its own, the questions.
class ForgetsItsQuestions final : public Twin {
 public:
  ForgetsItsQuestions(const SeriesPlan&, std::unique_ptr<LiveProcess> sibling) : Twin(std::move(sibling)) {}
  void save(StateWriter& to) const override {
    StateWriter all;
    Twin::save(all);
    std::vector<std::uint64_t> words = std::move(all).take();
    words[2] = 0;
    for (const std::uint64_t word : words) to.put(static_cast<std::int64_t>(word));
  }
};

// Loads everything but the sums of earlier counts, which come after the steps of the plan.
class ForgetsTheCounts final : public Twin {
 public:
  ForgetsTheCounts(const SeriesPlan& plan, std::unique_ptr<LiveProcess> sibling)
      : Twin(std::move(sibling)),
        sums_(2 * decaying_weights(plan.shape.steps, number(plan.parameters, "memory")).keep.size()) {}
  void save(StateWriter& to) const override {
    StateWriter all;
    Twin::save(all);
    std::vector<std::uint64_t> words = std::move(all).take();
    std::fill_n(words.begin() + 1, sums_, 0);
    for (const std::uint64_t word : words) to.put(static_cast<std::int64_t>(word));
  }

 private:
  std::size_t sums_;
};

// Asks for counts where its plan is for sums of them.
class HidesTheMemory final : public Twin {
 public:
  HidesTheMemory(const SeriesPlan&, std::unique_ptr<LiveProcess> sibling) : Twin(std::move(sibling)) {}
  CountMemory* memory() override { return nullptr; }
};

// Covers two questions by one use.
class UsesOnceForTwo final : public Twin {
 public:
  UsesOnceForTwo(const SeriesPlan&, std::unique_ptr<LiveProcess> sibling) : Twin(std::move(sibling)) {}
  Result<void> step(Answers& answers, std::span<LiveValue> out) override {
    struct Thrifty final : Answers {
      explicit Thrifty(Answers& from) : inner(from) {}
      bool present(std::int64_t series) const override { return inner.present(series); }
      Result<double> count(std::int64_t series, double scale) override { return inner.count(series, scale); }
      Result<double> distance(std::span<const double> last, double scale) override {
        return inner.distance(last, scale);
      }
      Result<void> use() override { return std::exchange(used, true) ? Result<void>() : inner.use(); }
      Answers& inner;
      bool used = false;
    } thrifty(answers);
    return sibling().step(thrifty, out);
  }
};

// Sees something else than answers.
class Peeks final : public Twin {
 public:
  Peeks(const SeriesPlan&, std::unique_ptr<LiveProcess> sibling) : Twin(std::move(sibling)) {}
  Result<void> step(Answers& answers, std::span<LiveValue> out) override {
    static std::int64_t everywhere = 0;
    CV_CHECK(sibling().step(answers, out));
    out[0].value += static_cast<double>(everywhere++);
    return {};
  }
};

std::string questions_of(const SeriesPlan& plan, const Start& start, bool reload = false) {
  const std::vector<std::int64_t> counts = restless_counts(plan, 1, 0);
  Draws draws = Draws::seeded(2);
  return question_complaints(plan, counts, watch(plan, counts, draws, start, reload));
}

TEST(LiveTwins, TheirSoundSiblingsPass) {
  for (const SeriesMechanism* row : {&fast(), &fixed_rate()}) {
    const SeriesPlan plan = plan_of(*row);
    EXPECT_EQ(questions_of(plan, start_of_catalogue()), "");
    EXPECT_EQ(questions_of(plan, start_of_catalogue(), true), "");
    EXPECT_EQ(secrecy_complaints(plan, restless_counts(plan, 1, 0), start_of_catalogue(), 2), "");
  }
}

TEST(LiveTwins, OneQuestionMoreThanPlannedIsRejected) {
  for (const SeriesMechanism* row : {&fast(), &fixed_rate()})
    EXPECT_NE(questions_of(plan_of(*row), start_of<AsksOnceMore>()).find("more uses than planned"), std::string::npos);
}

TEST(LiveTwins, QuestionsForgottenAfterLoadingAreRejected) {
  const SeriesPlan plan = plan_of(fast());
  EXPECT_NE(state_complaints(plan, restless_counts(plan, 1, 0), start_of<ForgetsItsQuestions>(), 2), "");
  EXPECT_NE(questions_of(plan, start_of<ForgetsItsQuestions>(), true).find("more uses than planned"),
            std::string::npos);
}

TEST(LiveTwins, CountsForgottenAfterLoadingAreRejected) {
  Request request = request_for(120, 0.8, 1e-6);
  const SeriesPlan plan = value_of(running_total().prepare(request));
  EXPECT_EQ(state_complaints(plan, restless_counts(plan, 1, 0), start_of_catalogue(), 2), "");
  EXPECT_NE(state_complaints(plan, restless_counts(plan, 1, 0), start_of<ForgetsTheCounts>(), 2), "");
  EXPECT_NE(questions_of(plan, start_of<HidesTheMemory>()).find("does not remember"), std::string::npos);
}

TEST(LiveTwins, QuestionsWithoutAUseOfTheirOwnAreRejected) {
  Request request = request_for(120, 0.8, 1e-6);
  request.shape.series = 2;
  EXPECT_NE(questions_of(value_of(fixed_rate().prepare(request)), start_of<UsesOnceForTwo>()), "");
}

TEST(LiveTwins, WhatDoesNotFollowFromAnswersIsRejected) {
  const SeriesPlan plan = plan_of(fast());
  EXPECT_NE(secrecy_complaints(plan, restless_counts(plan, 1, 0), start_of<Peeks>(), 2), "");
  EXPECT_NE(state_complaints(plan, restless_counts(plan, 1, 0), start_of<Peeks>(), 2), "");
}

TEST(LiveTwins, NoiseThreePercentShortOfWhatItIsSaidToBeIsRejected) {
  const SeriesPlan plan = plan_of(fixed_rate());
  const auto every = [](const Question&) { return true; };
  EXPECT_EQ(live_noise_complaints(plan, start_of_catalogue(), plan.scale, every, 3), "");
  EXPECT_NE(live_noise_complaints(plan, start_of_catalogue(), plan.scale, every, 3, plan.scale / 0.97), "");
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
