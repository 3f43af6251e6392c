// What every live process must keep to. Each check returns what is wrong, or an empty text; broken twins must not pass.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "noise_check.h"
#include "watched.h"

namespace chronoveil::mechanisms::testing {

// A walk with bursts, so that what is adaptive adapts, and a part of the steps missing.
inline std::vector<std::int64_t> restless_counts(const SeriesPlan& plan, std::uint64_t seed, double missing) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  const auto steps = static_cast<std::size_t>(plan.shape.steps);
  std::vector<std::int64_t> counts(cells(plan));
  double level = 50;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool burst = i % steps / 16 % 3 == 2;
    level = std::max(0.0, level + (uniform(random) - 0.5) * (burst ? 200 : 2) * (1 + plan.scale / 20));
    counts[i] = std::min(static_cast<std::int64_t>(level), plan.shape.maximum);
    if (uniform(random) < missing) counts[i] = kMissing;
  }
  return counts;
}

// One use per question or, if one use covers a step, one per step with questions; never more than the plan reserves,
// none for missing series; each series and the distance at most once per step.
inline std::string question_complaints(const SeriesPlan& plan, const std::vector<std::int64_t>& counts,
                                       const Watched& watched) {
  std::string wrong;
  const auto complain = [&](bool is_wrong, const std::string& what) {
    if (is_wrong && wrong.find(what) == std::string::npos) wrong += (wrong.empty() ? "" : ", ") + what;
  };
  complain(!watched.error.empty(), watched.error);
  complain(watched.uses > plan.measured, "more uses than planned");
  std::map<std::pair<std::int64_t, std::int64_t>, int> asked;
  std::map<std::int64_t, int> steps;
  for (const Question& question : watched.questions) {
    complain(++asked[{question.step, question.series}] > 1, "asked twice");
    ++steps[question.step];
    complain(question.scale < plan.scale, "less noise than planned");
    if (question.series != kDistance)
      complain(counts[static_cast<std::size_t>(question.series * plan.shape.steps + question.step)] == kMissing,
               "asked what is missing");
  }
  const bool one_a_step = std::holds_alternative<accounting::Pure>(plan.event.kind);
  complain(watched.uses != static_cast<std::int64_t>(one_a_step ? steps.size() : watched.questions.size()),
           "uses that are not those of the questions");
  return wrong;
}

// The process, saved and loaded after every step, must ask and publish the same.
inline std::string state_complaints(const SeriesPlan& plan, const std::vector<std::int64_t>& counts, const Start& start,
                                    std::uint64_t seed) {
  Draws once = Draws::seeded(seed), again = Draws::seeded(seed);
  const Watched straight = watch(plan, counts, once, start), reloaded = watch(plan, counts, again, start, true);
  if (!straight.error.empty()) return straight.error;
  if (!reloaded.error.empty()) return reloaded.error;
  if (!(straight.questions == reloaded.questions)) return "asks otherwise once it was loaded";
  return is_same(straight.estimate, reloaded.estimate) ? "" : "publishes otherwise once it was loaded";
}

// Answers from a book, without any data.
class BookedAnswers final : public Answers {
 public:
  BookedAnswers(const Watched& book, std::span<const std::int64_t> counts, std::size_t& next)
      : book_(book), counts_(counts), next_(next) {}
  bool present(std::int64_t series) const override { return counts_[static_cast<std::size_t>(series)] != kMissing; }
  Result<double> count(std::int64_t series, double) override { return answer(series); }
  Result<double> distance(std::span<const double>, double) override { return answer(kDistance); }
  Result<void> use() override { return {}; }

 private:
  Result<double> answer(std::int64_t series) {
    if (next_ == book_.questions.size() || book_.questions[next_].series != series)
      return fail(ErrorKind::internal, "asks otherwise when it sees answers alone");
    return book_.questions[next_++].answer;
  }
  const Watched& book_;
  std::span<const std::int64_t> counts_;
  std::size_t& next_;
};

// What is asked and published must follow from the answers and from who reported, and from nothing else.
inline std::string secrecy_complaints(const SeriesPlan& plan, const std::vector<std::int64_t>& counts,
                                      const Start& start, std::uint64_t seed) {
  Draws draws = Draws::seeded(seed);
  const Watched live = watch(plan, counts, draws, start);
  if (!live.error.empty()) return live.error;
  std::size_t next = 0;
  const Watched blind = watch(
      plan, counts,
      [&](LiveProcess& process, std::int64_t, std::span<const std::int64_t> now, std::span<LiveValue> out) {
        BookedAnswers answers(live, now, next);
        return process.step(answers, out);
      },
      start);
  if (!blind.error.empty()) return blind.error;
  return is_same(live.estimate, blind.estimate) ? "" : "publishes what answers alone do not say";
}

// Fewer than for whole releases: the noise comes from the same place, and processes take time to think.
inline constexpr std::int64_t kLiveResiduals = 100'000;

// Answers less truths are independent draws of the planned law, in whole grid steps. Of the questions that `chosen`
// picks, all of one scale. `said`: what that scale is said to be, if not itself.
inline std::string live_noise_complaints(const SeriesPlan& plan, const Start& start, double scale,
                                         const std::function<bool(const Question&)>& chosen, std::uint64_t seed,
                                         std::optional<double> said = std::nullopt) {
  const std::vector<std::int64_t> counts[] = {std::vector<std::int64_t>(cells(plan), 0),
                                              restless_counts(plan, seed, 0.1)};
  Draws draws = Draws::seeded(seed);
  std::vector<std::int64_t> ready;
  std::size_t used = 0, turn = 0;
  std::string wrong;
  const noise::Fill fill = [&](std::span<std::int64_t> out) {
    for (std::int64_t& residual : out) {
      for (int tries = 0; used == ready.size() && tries < 1000; ++tries) {
        used = 0;
        ready.clear();
        for (const Question& question : watch(plan, counts[turn++ % 2], draws, start).questions) {
          if (question.scale != scale || !chosen(question)) continue;
          const double in_steps = (question.answer - question.truth) / plan.grid;
          if (in_steps != std::floor(in_steps)) wrong = "off the grid, ";
          ready.push_back(static_cast<std::int64_t>(std::floor(std::clamp(in_steps, -0x1p60, 0x1p60))));
        }
      }
      if (ready.empty()) wrong = "nothing was asked, ";
      residual = ready.empty() ? 0 : ready[used++];
    }
  };
  const noise::Law law = plan.noise == NoiseKind::laplace ? noise::Law::rounded_laplace : noise::Law::rounded_gaussian;
  noise::LawChecker checker(law, said.value_or(scale) / plan.grid);
  const std::string failed = checker.complaints(fill, kLiveResiduals);
  return wrong + failed;
}

}  // namespace chronoveil::mechanisms::testing
