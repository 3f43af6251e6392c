#include "chronoveil/mechanisms/draws.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/noise/grid/grid.h"
#include "chronoveil/noise/single_draw.h"
#include "chronoveil/noise/subset.h"

namespace chronoveil::mechanisms {
namespace {

constexpr std::size_t kSamplersKept = 64;  // some 20 kB each

noise::Law law_of(NoiseKind kind) {
  return kind == NoiseKind::laplace ? noise::Law::rounded_laplace : noise::Law::rounded_gaussian;
}

Failure off_the_grid(std::size_t number, double step) {
  return fail(ErrorKind::usage, "run.noise_from",
              "number " + std::to_string(number) +
                  " is not valid; it must be within 2^61 steps of the grid, which are " + shortest(step));
}

}  // namespace

Result<Draws> Draws::authorised(ledger::Receipt&& receipt, const accounting::Event& about_to_run) {
  const Result<void> covered = ledger::check_covers(receipt, about_to_run);
  ledger::Receipt taken = std::move(receipt);  // a refusal uses it up, too
  CV_CHECK(covered);
  Draws draws{DrawRight()};
  draws.debit_ = taken.reference();
  draws.receipt_ = std::move(taken);
  draws.event_ = about_to_run;
  return draws;
}

Result<Draws> Draws::continued(ledger::Run&& run, const accounting::Event& about_to_run) {
  const std::int64_t uses = run.uses(), used = run.used();
  CV_TRY(ledger::DebitReference debit, ledger::redeem(std::move(run), about_to_run));
  Draws draws{DrawRight()};
  draws.uses_ = uses;
  draws.used_ = used;
  draws.debit_ = std::move(debit);
  draws.event_ = about_to_run;
  return draws;
}

Draws Draws::seeded(std::uint64_t seed) { return Draws(DrawRight::seeded(seed)); }

Draws Draws::replayed(Replay replay) {
  Draws draws(DrawRight(BitSource::with_seed(0), "not private: replayed"));
  draws.replay_ = std::move(replay);
  return draws;
}

Result<void> Draws::start(const accounting::Event& about_to_run) {
  if (right_.standing_ == Standing::marked) return {};
  if (right_.standing_ != Standing::authorised)
    return fail(ErrorKind::internal, "draws", "one debit covers one run, and this one was used before");
  if (accounting::to_text(*event_) != accounting::to_text(about_to_run))
    return fail(ErrorKind::internal, "draws", "they are authorised for another event than the one about to run");
  if (receipt_) {
    // Whatever happens, there is no second try with these draws.
    right_.standing_ = Standing::spent;
    ledger::Receipt receipt = std::move(*receipt_);
    receipt_.reset();
    Result<ledger::DebitReference> redeemed = ledger::redeem(std::move(receipt), about_to_run);
    // After a storage error the row may be there all the same.
    if (!redeemed) {
      const Error& error = redeemed.error();
      const bool by_another = error.parameter == ledger::kDrawnForByAnother;
      begun_ = error.kind == ErrorKind::storage ? Begun::unknown : by_another ? Begun::by_another : Begun::refused;
      return tl::unexpected(std::move(redeemed.error()));
    }
    begun_ = Begun::yes;
    if (told_) told_();
  }
  right_.standing_ = Standing::running;
  return {};
}

void Draws::finish() {
  if (right_.standing_ == Standing::running) right_.standing_ = Standing::spent;
}

Result<void> Draws::may_draw() const {
  if (right_.standing_ == Standing::marked || right_.standing_ == Standing::running) return {};
  return fail(ErrorKind::internal, "draws", "nothing is drawn outside the one run that a debit covers");
}

Result<void> Draws::use() {
  CV_CHECK(may_draw());
  if (uses_ && used_ >= *uses_)
    return fail(ErrorKind::over_budget, "draws", "all " + std::to_string(*uses_) + " uses of the debit are gone");
  ++used_;
  return {};
}

Result<const noise::Sampler*> Draws::sampler(noise::Law law, double scale_in_steps) {
  const auto fits = [&](const noise::Sampler& each) { return each.law() == law && each.scale() == scale_in_steps; };
  if (recent_ < samplers_.size() && fits(samplers_[recent_])) return &samplers_[recent_];
  const auto found = std::find_if(samplers_.begin(), samplers_.end(), fits);
  if (found != samplers_.end()) {
    recent_ = static_cast<std::size_t>(found - samplers_.begin());
    return &*found;
  }
  CV_TRY(noise::Sampler made, noise::Sampler::make(law, scale_in_steps));
  if (samplers_.size() < kSamplersKept) {
    recent_ = samplers_.size();
    samplers_.push_back(std::move(made));
  } else {
    recent_ = (recent_ + 1) % kSamplersKept;
    samplers_[recent_] = std::move(made);
  }
  return &samplers_[recent_];
}

Result<double> Draws::next_on_tape(std::size_t wanted) {
  const std::vector<double>& tape = *replay_.noise;
  if (tape.size() - noise_used_ < wanted)
    return fail(ErrorKind::usage, "run.noise_from",
                "the file holds " + std::to_string(tape.size()) + " numbers; this release draws at least " +
                    std::to_string(noise_used_ + wanted));
  return tape[noise_used_++];
}

Result<void> Draws::add_noise(std::span<std::int64_t> indices, NoiseKind kind, double scale, double grid) {
  CV_CHECK(may_draw());
  CV_TRY(const noise::Grid steps, noise::Grid::make(grid));
  if (replay_.noise) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      CV_TRY(const double number, next_on_tape(indices.size() - i));
      const Result<std::int64_t> noise = steps.to_grid(number);
      if (!noise) return off_the_grid(noise_used_, grid);
      indices[i] = noise::add_noise(indices[i], *noise);
    }
    return {};
  }
  CV_TRY(const double in_steps, steps.in_steps(scale));
  CV_TRY(const noise::Sampler* const source, sampler(law_of(kind), in_steps));
  std::vector<std::int64_t> noise(indices.size());
  source->fill(noise, right_.source());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = noise::add_noise(indices[i], noise[i]);
  return {};
}

Result<std::int64_t> Draws::noise(NoiseKind kind, double scale_in_steps, double step) {
  CV_CHECK(may_draw());
  if (replay_.noise) {
    CV_TRY(const double number, next_on_tape(1));
    const double steps = std::floor(number / step + 0.5);
    if (!(std::abs(steps) <= static_cast<double>(noise::kValueLimit))) return off_the_grid(noise_used_, step);
    return static_cast<std::int64_t>(steps);
  }
  // The scale is almost always a new one, and making a sampler takes longer than some hundred single draws.
  if (scale_in_steps >= 1 && scale_in_steps <= noise::kLargestScale)
    return noise::draw_once(law_of(kind), scale_in_steps, right_.source());
  CV_TRY(const noise::Sampler* const source, sampler(law_of(kind), scale_in_steps));
  return (*source)(right_.source());
}

Result<noise::Choice> Draws::choose(std::span<const double> log_weights, double input_error) {
  CV_CHECK(may_draw());
  return noise::choose_by_log_weight(log_weights, input_error, right_.source());
}

Result<noise::Choice> Draws::choose(std::span<const noise::WeightedInterval> intervals, double input_error) {
  CV_CHECK(may_draw());
  return noise::choose_grid_point(intervals, input_error, right_.source());
}

Result<std::vector<std::int64_t>> Draws::keep(std::int64_t n, double rate) {
  CV_CHECK(may_draw());
  if (!replay_.kept) return noise::poisson_subset(n, rate, right_.source());
  std::int64_t last = -1;
  for (const std::int64_t position : *replay_.kept) {
    if (position <= last || position >= n)
      return fail(ErrorKind::usage, "run.keep_from",
                  std::to_string(position) + " is not valid; positions must ascend and lie between 0 and " +
                      std::to_string(n - 1));
    last = position;
  }
  return *replay_.kept;
}

}  // namespace chronoveil::mechanisms
