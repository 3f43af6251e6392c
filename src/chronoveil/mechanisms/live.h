// Steps as they come: a mechanism that publishes each step before it sees the next. A process never sees data. It asks,
// and gets answers that already have their noise; so all that it decides, keeps and publishes is post-processing of
// answers, and the price of the plan is the price of everything that it may ask.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "chronoveil/base/state_words.h"
#include "chronoveil/mechanisms/parts/fixed_point.h"
#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

// Raised whenever the saved state of a process changes: state of an older program is then refused.
inline constexpr std::int64_t kLiveStateFormat = 1;

inline constexpr std::int64_t kMissing = -1;  // in place of a count: the series did not report at this step

struct LiveValue {
  double value = 0, lower = 0, upper = 0;
  bool sampled = false;  // the step itself was asked
};

// What a mechanism that asks for more than the count of a step remembers of earlier ones: its answers are fixed sums,
// with weights, of all counts so far. It is as private as the counts, and no part of the process, which sees answers.
class CountMemory {
 public:
  virtual ~CountMemory() = default;
  // The next step: what is asked in place of each count, in units of 2^-kFixedBits. A missing count adds nothing.
  virtual void take(std::span<const std::int64_t> counts, std::span<FixedSum> asked) = 0;
  virtual void save(StateWriter&) const = 0;
  virtual void load(StateReader&) = 0;
};

// One step of all series, seen through noise.
class Answers {
 public:
  virtual ~Answers() = default;
  // Whether the series reported at this step. Public: a series that did not report cannot be asked, and costs nothing.
  virtual bool present(std::int64_t series) const = 0;
  // The count of a series that is present, or what a memory makes of it, with noise of this scale (of the plan's law,
  // on its grid). A series is asked at most once per step, in ascending order, with no less than the plan's scale.
  virtual Result<double> count(std::int64_t series, double scale) = 0;
  // Σ |count − last| over the present series, with noise of this scale; at most once per step, before any count;
  // refused where there is a memory.
  virtual Result<double> distance(std::span<const double> last, double scale) = 0;
  // Called before the questions that one use of the debit covers: it counts uses, and refuses one too many.
  virtual Result<void> use() = 0;
};

class LiveProcess {
 public:
  virtual ~LiveProcess() = default;
  // The next step: fills one value per series. A series that is not asked costs nothing and is published as predicted.
  virtual Result<void> step(Answers&, std::span<LiveValue> out) = 0;
  // Whether the mechanism estimates the sum of all series by itself; and that of the last step.
  virtual bool has_total() const { return false; }
  virtual std::optional<LiveValue> total() const { return std::nullopt; }
  // Everything that the next step depends on. load() is called on a fresh process of the same plan.
  virtual void save(StateWriter&) const = 0;
  virtual void load(StateReader&) = 0;
  // Of what go_live() returns, if the mechanism has one: saved and loaded with the process, never shown to it.
  virtual CountMemory* memory() { return nullptr; }
};

// A process of the plan's mechanism, before its first step; it refuses steps beyond the plan's T. Refused for
// mechanisms that need the whole series, and for a plan with less noise than its event says.
Result<std::unique_ptr<LiveProcess>> go_live(const SeriesPlan&);

// Feeds one step of bounded counts (one per series, in [0, maximum], or kMissing) to the process. The draws must
// continue a run and be started for the plan's event, or be marked as not private.
Result<void> live_step(const SeriesPlan&, LiveProcess&, std::span<const std::int64_t> counts, Draws&,
                       std::span<LiveValue> out);

// A whole series at once, by a live process: `measure` and `reconstruct` of every mechanism with a live process and no
// better way. The measurement holds the answers in the order in which they were given: step by step, and within a step
// series by series.
Result<Measurement> measure_live(const SeriesPlan&, std::span<const std::int64_t> counts, Draws&);
Result<Estimate> reconstruct_live(const SeriesPlan&, const Measurement&);
// The same with the sum of all series at each step, where the mechanism estimates it by itself; else without one.
struct LiveReplay {
  Estimate estimate;
  std::vector<double> total;
};
Result<LiveReplay> replay_live(const SeriesPlan&, const Measurement&);

}  // namespace chronoveil::mechanisms
