// A live release with somebody watching: every question that a process asks, with the answer and the truth.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/mechanisms/live.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {

inline constexpr std::int64_t kDistance = -1;  // in place of a series

struct Question {
  std::int64_t step = 0, series = 0;
  double scale = 0;
  double truth = 0, answer = 0;
};

struct Watched {
  std::vector<Question> questions;
  std::int64_t uses = 0;
  Estimate estimate;  // series-major
  std::string error;  // what ended it early
};

using Start = std::function<std::unique_ptr<LiveProcess>(const SeriesPlan&)>;
inline Start start_of_catalogue() {
  return [](const SeriesPlan& plan) { return value_of(go_live(plan)); };
}

// The counts of a step, and what is asked in their place where they are remembered.
struct Truths {
  std::vector<std::int64_t> counts;
  std::vector<double> asked;
};

// Passes questions on and writes them down.
class WatchedAnswers final : public Answers {
 public:
  WatchedAnswers(Answers& inner, const Truths& truths, std::int64_t step, Watched& book)
      : inner_(inner), counts_(truths.counts), asked_(truths.asked), step_(step), book_(book) {}
  bool present(std::int64_t series) const override { return inner_.present(series); }
  Result<double> count(std::int64_t series, double scale) override {
    CV_TRY(const double answer, inner_.count(series, scale));
    book_.questions.push_back({step_, series, scale, asked_[static_cast<std::size_t>(series)], answer});
    return answer;
  }
  Result<double> distance(std::span<const double> last, double scale) override {
    CV_TRY(const double answer, inner_.distance(last, scale));
    double truth = 0;
    for (std::size_t s = 0; s < last.size(); ++s)
      if (counts_[s] != kMissing) truth += std::abs(static_cast<double>(counts_[s]) - last[s]);
    book_.questions.push_back({step_, kDistance, scale, truth, answer});
    return answer;
  }
  Result<void> use() override {
    CV_CHECK(inner_.use());
    ++book_.uses;
    return {};
  }

 private:
  Answers& inner_;
  std::span<const std::int64_t> counts_;
  std::span<const double> asked_;
  std::int64_t step_;
  Watched& book_;
};

class WatchedProcess final : public LiveProcess {
 public:
  WatchedProcess(LiveProcess& inner, const Truths& truths, std::int64_t step, Watched& book)
      : inner_(inner), truths_(truths), step_(step), book_(book) {}
  Result<void> step(Answers& answers, std::span<LiveValue> out) override {
    WatchedAnswers watched(answers, truths_, step_, book_);
    return inner_.step(watched, out);
  }
  void save(StateWriter& to) const override { inner_.save(to); }
  void load(StateReader& from) override { inner_.load(from); }
  CountMemory* memory() override { return inner_.memory(); }

 private:
  LiveProcess& inner_;
  const Truths& truths_;
  std::int64_t step_;
  Watched& book_;
};

// Feeds `counts` (series-major, kMissing where nothing was reported) step by step; `feed` takes the place of live_step.
using Feed =
    std::function<Result<void>(LiveProcess&, std::int64_t step, std::span<const std::int64_t>, std::span<LiveValue>)>;
inline Watched watch(const SeriesPlan& plan, const std::vector<std::int64_t>& counts, const Feed& feed,
                     const Start& start = start_of_catalogue(), bool reload = false) {
  const auto series = static_cast<std::size_t>(plan.shape.series), steps = static_cast<std::size_t>(plan.shape.steps);
  Watched book;
  for (std::vector<double>* each : {&book.estimate.value, &book.estimate.lower, &book.estimate.upper})
    each->resize(cells(plan));
  book.estimate.sampled.resize(cells(plan));
  std::unique_ptr<LiveProcess> process = start(plan);
  const SeriesMechanism& row = *value_of(find_series_mechanism(plan.mechanism));
  const std::unique_ptr<CountMemory> memory = row.remember ? row.remember(plan) : nullptr;
  std::vector<FixedSum> sums(series);
  Truths now{std::vector<std::int64_t>(series), std::vector<double>(series)};
  std::vector<LiveValue> out(series);
  for (std::size_t t = 0; t < steps; ++t) {
    for (std::size_t s = 0; s < series; ++s) now.counts[s] = counts[s * steps + t];
    now.asked.assign(now.counts.begin(), now.counts.end());
    if (memory) memory->take(now.counts, sums);
    for (std::size_t s = 0; s < series && memory; ++s)
      now.asked[s] = static_cast<double>(to_grid(sums[s], plan.grid)) * plan.grid;
    WatchedProcess watched(*process, now, static_cast<std::int64_t>(t), book);
    if (const Result<void> done = feed(watched, static_cast<std::int64_t>(t), now.counts, out); !done) {
      book.error = done.error().text();
      return book;
    }
    for (std::size_t s = 0; s < series; ++s) {
      book.estimate.value[s * steps + t] = out[s].value;
      book.estimate.lower[s * steps + t] = out[s].lower;
      book.estimate.upper[s * steps + t] = out[s].upper;
      book.estimate.sampled[s * steps + t] = out[s].sampled ? 1 : 0;
    }
    if (!reload) continue;
    StateWriter saved;
    process->save(saved);
    const std::vector<std::uint64_t> words = std::move(saved).take();
    process = start(plan);
    StateReader reader(words);
    process->load(reader);
    EXPECT_TRUE(reader.complete()) << "step " << t;
  }
  return book;
}

inline Watched watch(const SeriesPlan& plan, const std::vector<std::int64_t>& counts, Draws& draws,
                     const Start& start = start_of_catalogue(), bool reload = false) {
  return watch(
      plan, counts,
      [&](LiveProcess& process, std::int64_t, std::span<const std::int64_t> now, std::span<LiveValue> out) {
        return live_step(plan, process, now, draws, out);
      },
      start, reload);
}

inline bool operator==(const Question& a, const Question& b) {
  return a.step == b.step && a.series == b.series && a.scale == b.scale && a.truth == b.truth && a.answer == b.answer;
}

// Bit by bit.
inline bool is_same(const Estimate& a, const Estimate& b) {
  return a.value == b.value && a.lower == b.lower && a.upper == b.upper && a.sampled == b.sampled;
}

}  // namespace chronoveil::mechanisms::testing
