#include "chronoveil/mechanisms/live.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/noise/grid/grid.h"

namespace chronoveil::mechanisms {
namespace {

__extension__ using WideDistance = __int128;

std::size_t series_of(const SeriesPlan& plan) { return static_cast<std::size_t>(plan.shape.series); }

// Enforces what a process may ask in one step, and in which order, for any kind of answers.
class OrderedAnswers : public Answers {
 public:
  Result<void> use() override {
    if (uses_left_ == 0)
      return fail(
          ErrorKind::over_budget, "live",
          "the process asks more often than its plan says, which is " + std::to_string(plan_.measured) + " times");
    --uses_left_;
    in_use_ = true;
    return {};
  }
  Result<double> count(std::int64_t series, double scale) override {
    CV_CHECK(may_ask(scale));
    if (series < next_ || series >= plan_.shape.series || !present(series))
      return fail(ErrorKind::internal, "live",
                  "a series is asked once per step, in order, and only when it is present");
    next_ = series + 1;
    return answer_count(series, scale);
  }
  Result<double> distance(std::span<const double> last, double scale) override {
    CV_CHECK(may_ask(scale));
    if (distance_asked_ || next_ != 0 || last.size() != series_of(plan_))
      return fail(ErrorKind::internal, "live",
                  "the distance is asked once per step, before the counts, for all series");
    distance_asked_ = true;
    return answer_distance(last, scale);
  }

  // The questions of the next step.
  void next_step() {
    next_ = 0;
    distance_asked_ = in_use_ = false;
  }

 protected:
  OrderedAnswers(const SeriesPlan& plan, std::int64_t uses) : plan_(plan), uses_left_(uses) {}
  virtual Result<double> answer_count(std::int64_t series, double scale) = 0;
  virtual Result<double> answer_distance(std::span<const double> last, double scale) = 0;
  const SeriesPlan& plan() const { return plan_; }

 private:
  Result<void> may_ask(double scale) const {
    if (!in_use_) return fail(ErrorKind::internal, "live", "nothing is asked before a use of the debit");
    if (!(scale >= plan_.scale)) return fail(ErrorKind::internal, "live", "a question with less noise than planned");
    return {};
  }

  const SeriesPlan& plan_;
  std::int64_t uses_left_;
  std::int64_t next_ = 0;
  bool distance_asked_ = false, in_use_ = false;
};

// Answers from counts, with noise.
class NoisyAnswers final : public OrderedAnswers {
 public:
  NoisyAnswers(const SeriesPlan& plan, Draws& draws, std::int64_t uses) : OrderedAnswers(plan, uses), draws_(draws) {}

  // The counts of the next step, and who remembers them.
  Result<void> see(std::span<const std::int64_t> counts, CountMemory* memory) {
    if (counts.size() != series_of(plan()))
      return fail(ErrorKind::internal, "live", "a step has one count for each series of the plan");
    for (const std::int64_t count : counts) {
      if (count != kMissing && (count < 0 || count > plan().shape.maximum))
        return fail(ErrorKind::internal, "live", "the counts were not bounded by the caps of the plan");
    }
    counts_ = counts;
    remembers_ = memory != nullptr;
    if (memory) {
      asked_.resize(counts.size());
      memory->take(counts, asked_);
    }
    next_step();
    return {};
  }
  std::vector<double> take() && { return std::move(given_); }
  void record() { recording_ = true; }

  bool present(std::int64_t series) const override { return counts_[static_cast<std::size_t>(series)] != kMissing; }
  Result<void> use() override {
    CV_CHECK(OrderedAnswers::use());
    return draws_.use();
  }

 private:
  Result<double> answer_count(std::int64_t series, double scale) override {
    const auto s = static_cast<std::size_t>(series);
    return with_noise(remembers_ ? to_grid(asked_[s], plan().grid) : on_grid(counts_[s], plan().grid), scale);
  }
  Result<double> answer_distance(std::span<const double> last, double scale) override {
    if (remembers_) return fail(ErrorKind::internal, "live", "no distance is asked where sums are remembered");
    CV_TRY(const noise::Grid grid, noise::Grid::make(plan().grid));
    WideDistance sum = 0;
    for (std::size_t s = 0; s < last.size(); ++s) {
      if (counts_[s] == kMissing) continue;
      CV_TRY(const std::int64_t index, grid.to_grid(last[s]));
      const std::int64_t apart = on_grid(counts_[s], plan().grid) - index;  // each within +-2^61
      sum += apart < 0 ? -apart : apart;
    }
    // Limiting cannot raise a sensitivity.
    return with_noise(static_cast<std::int64_t>(std::min<WideDistance>(sum, noise::kValueLimit)), scale);
  }
  Result<double> with_noise(std::int64_t index, double scale) {
    CV_CHECK(draws_.add_noise({&index, 1}, plan().noise, scale, plan().grid));
    const double answer = static_cast<double>(index) * plan().grid;
    if (recording_) given_.push_back(answer);
    return answer;
  }

  Draws& draws_;
  std::span<const std::int64_t> counts_;
  bool remembers_ = false;
  std::vector<FixedSum> asked_;  // in place of counts, where they are remembered
  bool recording_ = false;
  std::vector<double> given_;
};

// Answers that were given before, in the same order.
class RecordedAnswers final : public OrderedAnswers {
 public:
  RecordedAnswers(const SeriesPlan& plan, std::span<const double> given)
      : OrderedAnswers(plan, plan.measured), given_(given) {}

  bool present(std::int64_t) const override { return true; }
  bool all_used() const { return given_.empty(); }

 private:
  Result<double> answer_count(std::int64_t, double) override { return next(); }
  Result<double> answer_distance(std::span<const double>, double) override { return next(); }
  Result<double> next() {
    if (given_.empty())
      return fail(ErrorKind::internal, "reconstruct", "the measurement does not have the shape of the plan");
    const double answer = given_.front();
    given_ = given_.subspan(1);
    return answer;
  }

  std::span<const double> given_;
};

// No process goes on beyond its plan: T steps were priced. Keeps the memory apart from the process.
class WithinHorizon final : public LiveProcess {
 public:
  WithinHorizon(std::unique_ptr<LiveProcess> inner, std::unique_ptr<CountMemory> memory, const PublicShape& shape)
      : inner_(std::move(inner)), memory_(std::move(memory)), series_(shape.series), steps_(shape.steps) {}

  Result<void> step(Answers& answers, std::span<LiveValue> out) override {
    Result<void> stepped = next(answers, out);
    if (!stepped) memory_.reset();  // it has this step already; tried again, a person would count twice
    return stepped;
  }
  bool has_total() const override { return inner_->has_total(); }
  std::optional<LiveValue> total() const override { return inner_->total(); }
  void save(StateWriter& to) const override {
    to.put(done_);
    if (memory_) memory_->save(to);
    inner_->save(to);
  }
  void load(StateReader& from) override {
    done_ = from.integer();
    if (memory_) memory_->load(from);
    inner_->load(from);
  }
  CountMemory* memory() override { return memory_.get(); }

 private:
  Result<void> next(Answers& answers, std::span<LiveValue> out) {
    if (done_ < 0 || done_ >= steps_)
      return fail(ErrorKind::usage, "live", "all " + std::to_string(steps_) + " steps of the plan are over");
    if (static_cast<std::int64_t>(out.size()) != series_)
      return fail(ErrorKind::internal, "live", "a step has one value for each series of the plan");
    ++done_;
    return inner_->step(answers, out);
  }

  std::unique_ptr<LiveProcess> inner_;
  std::unique_ptr<CountMemory> memory_;
  std::int64_t series_, steps_;
  std::int64_t done_ = 0;
};

// Live events have one parameter and happen once, so this compares them completely.
bool is_same_event(const accounting::Event& one, const accounting::Event& other) {
  return one.kind.index() == other.kind.index() && noise_multiplier(one) == noise_multiplier(other);
}

}  // namespace

Result<std::unique_ptr<LiveProcess>> go_live(const SeriesPlan& plan) {
  CV_TRY(const SeriesMechanism* mechanism, find_series_mechanism(plan.mechanism));
  if (!mechanism->go_live) {
    std::string names;
    for (const SeriesMechanism* row : series_catalogue())
      if (row->go_live) names.append(names.empty() ? "" : ", ").append(row->name);
    return fail(ErrorKind::usage, "mechanism.name",
                plan.mechanism + " needs the whole series; live, it must be one of " + names);
  }
  CV_CHECK(check_noise(plan));
  CV_TRY(std::unique_ptr<LiveProcess> process, mechanism->go_live(plan));
  std::unique_ptr<CountMemory> memory;
  if (mechanism->remember) memory = mechanism->remember(plan);
  return std::make_unique<WithinHorizon>(std::move(process), std::move(memory), plan.shape);
}

Result<void> live_step(const SeriesPlan& plan, LiveProcess& process, std::span<const std::int64_t> counts, Draws& draws,
                       std::span<LiveValue> out) {
  CV_CHECK(check_noise(plan));
  if (draws.mark().empty() && !(draws.continues() && draws.event() && is_same_event(*draws.event(), plan.event)))
    return fail(ErrorKind::internal, "live", "the draws do not continue a run of the plan's event");
  CV_TRY(const SeriesMechanism* mechanism, find_series_mechanism(plan.mechanism));
  CountMemory* memory = process.memory();
  if ((memory != nullptr) != (mechanism->remember != nullptr))
    return fail(ErrorKind::internal, "live", "the process does not remember as its mechanism does");
  NoisyAnswers answers(plan, draws, plan.measured);
  CV_CHECK(answers.see(counts, memory));
  return process.step(answers, out);
}

Result<Measurement> measure_live(const SeriesPlan& plan, std::span<const std::int64_t> counts, Draws& draws) {
  CV_TRY(const std::unique_ptr<LiveProcess> process, go_live(plan));
  NoisyAnswers answers(plan, draws, plan.measured);
  answers.record();
  const auto steps = static_cast<std::size_t>(plan.shape.steps);
  if (counts.size() != series_of(plan) * steps || std::find(counts.begin(), counts.end(), kMissing) != counts.end())
    return fail(ErrorKind::internal, "measure", "the counts do not have the shape of the plan");
  std::vector<std::int64_t> step(series_of(plan));
  std::vector<LiveValue> out(series_of(plan));
  for (std::size_t t = 0; t < steps; ++t) {
    for (std::size_t s = 0; s < step.size(); ++s) step[s] = counts[s * steps + t];
    CV_CHECK(answers.see(step, process->memory()));
    CV_CHECK(process->step(answers, out));
  }
  return Measurement{.values = std::move(answers).take(), .kept = std::nullopt};
}

Result<Estimate> reconstruct_live(const SeriesPlan& plan, const Measurement& measurement) {
  CV_TRY(LiveReplay replay, replay_live(plan, measurement));
  return std::move(replay.estimate);
}

Result<LiveReplay> replay_live(const SeriesPlan& plan, const Measurement& measurement) {
  CV_TRY(const std::unique_ptr<LiveProcess> process, go_live(plan));
  RecordedAnswers answers(plan, measurement.values);
  const auto steps = static_cast<std::size_t>(plan.shape.steps);
  std::vector<LiveValue> out(series_of(plan));
  const std::size_t cells = out.size() * steps;
  Estimate estimate{std::vector<double>(cells), std::vector<double>(cells), std::vector<double>(cells),
                    std::vector<std::uint8_t>(cells)};
  std::vector<double> totals;
  for (std::size_t t = 0; t < steps; ++t) {
    answers.next_step();
    CV_CHECK(process->step(answers, out));
    for (std::size_t s = 0; s < out.size(); ++s) {
      const std::size_t cell = s * steps + t;
      estimate.value[cell] = out[s].value;
      estimate.lower[cell] = out[s].lower;
      estimate.upper[cell] = out[s].upper;
      estimate.sampled[cell] = out[s].sampled ? 1 : 0;
    }
    if (const std::optional<LiveValue> total = process->total()) totals.push_back(total->value);
  }
  if (!answers.all_used() || measurement.kept)
    return fail(ErrorKind::internal, "reconstruct", "the measurement does not have the shape of the plan");
  return LiveReplay{std::move(estimate), std::move(totals)};
}

}  // namespace chronoveil::mechanisms
