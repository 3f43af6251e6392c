// Where the random choices of one release come from, and the proof that it may make them. A mechanism cannot run
// without Draws, and Draws without a receipt mark whatever they touch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/base/draw_right.h"
#include "chronoveil/base/measurement.h"
#include "chronoveil/base/result.h"
#include "chronoveil/ledger/receipt.h"
#include "chronoveil/ledger/run.h"
#include "chronoveil/mechanisms/replay.h"
#include "chronoveil/noise/exponential_choice.h"
#include "chronoveil/noise/sampler.h"

namespace chronoveil::mechanisms {

class Draws {
 public:
  // Takes the receipt, for exactly this event; bits come from this thread's cryptographic source.
  static Result<Draws> authorised(ledger::Receipt&&, const accounting::Event& about_to_run);
  // Resumes a run, for live steps only: noise until the `uses` of its debit are used up. Bits come from this thread's
  // cryptographic source.
  static Result<Draws> continued(ledger::Run&&, const accounting::Event& about_to_run);
  // "seeded: not private"
  static Draws seeded(std::uint64_t seed);
  // "not private: replayed"; what the tape does not hold is drawn from a fixed seed.
  static Draws replayed(Replay);

  Draws(Draws&&) noexcept = default;
  Draws& operator=(Draws&&) noexcept = default;
  Draws(const Draws&) = delete;
  Draws& operator=(const Draws&) = delete;

  const std::string& mark() const { return right_.mark(); }  // empty when authorised
  const std::optional<ledger::DebitReference>& debit() const { return debit_; }
  // The event that the receipt covered; empty if not authorised.
  const std::optional<accounting::Event>& event() const { return event_; }

  // One authorisation is one run: authorised draws give noise and subsets only between start() and finish(), start()
  // refuses any other event and a second call, and moved-from draws are spent. Draws that are not private may run again
  // and again. Called by measure(), not by mechanisms.
  // start() redeems the receipt: it returns only once the ledger has recorded durably that bits are drawn for this
  // debit, and refuses if another process came first.
  Result<void> start(const accounting::Event& about_to_run);
  void finish();
  // What start() made of a receipt.
  //   no          it was not called, or refused before the ledger was asked: the debit is unused, and the same job can
  //               take it up
  //   yes         bits may have been drawn: the debit is spent on this run
  //   by_another  another process came first and this one drew nothing
  //   refused     the debit was settled meanwhile, and nothing was drawn
  //   unknown     it is not certain that the ledger recorded it, and nothing was drawn
  enum class Begun { no, yes, by_another, refused, unknown };
  Begun begun() const { return begun_; }
  // `told` is called as soon as the answer is yes.
  void tell_when_begun(std::function<void()> told) { told_ = std::move(told); }

  // Whether these draws resume a run: then they cover only steps as they come, not a whole series at once.
  bool continues() const { return uses_.has_value(); }
  // The uses of a run that are used up, including those of earlier processes; without a run, those since the beginning.
  std::int64_t used() const { return used_; }
  // One more use. Refused beyond what the run's debit covers and, like noise, outside start() and finish().
  Result<void> use();

  // Adds independent rounded noise to grid indices, in order. `scale` and `grid` in counts.
  Result<void> add_noise(std::span<std::int64_t> indices, NoiseKind, double scale, double grid);
  // One draw of rounded noise, in steps. With a tape, the next number on it is used instead; `step` is the size of a
  // step in the units of the tape.
  Result<std::int64_t> noise(NoiseKind, double scale_in_steps, double step);
  // A choice by the exponential mechanism; always from bits, never from a tape.
  Result<noise::Choice> choose(std::span<const double> log_weights, double input_error);
  Result<noise::Choice> choose(std::span<const noise::WeightedInterval>, double input_error);
  // Each of n positions with probability `rate`; ascending.
  Result<std::vector<std::int64_t>> keep(std::int64_t n, double rate);
  // For code that draws by itself: keyed choices that precede the noise (such as which records of a person stay),
  // mechanisms that move values, and training. It gives bits until finish(); before start() only for those keyed
  // choices. If a run fails before start(), its key is forgotten, and only the error leaves, which must not depend on
  // the key; a run that takes up the debit draws another, independent key. So the release is distributed as if the
  // failed run had never been.
  DrawRight& right() { return right_; }

 private:
  using Standing = DrawRight::Standing;

  explicit Draws(DrawRight right) : right_(std::move(right)) {}
  Result<void> may_draw() const;
  Result<double> next_on_tape(std::size_t wanted);
  // Making a sampler takes as long as thousands of draws, so those of recent scales are kept.
  Result<const noise::Sampler*> sampler(noise::Law, double scale_in_steps);

  DrawRight right_;
  Replay replay_;
  std::size_t noise_used_ = 0;
  std::int64_t used_ = 0;
  std::optional<std::int64_t> uses_;  // of a run
  std::optional<ledger::DebitReference> debit_;
  std::optional<ledger::Receipt> receipt_;  // until start()
  Begun begun_ = Begun::no;
  std::function<void()> told_;
  std::optional<accounting::Event> event_;
  std::vector<noise::Sampler> samplers_;
  std::size_t recent_ = 0;  // the index of the one used last
};

}  // namespace chronoveil::mechanisms
