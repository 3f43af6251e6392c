#include "chronoveil/engine/live/live.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "chronoveil/base/interrupted.h"
#include "chronoveil/data/live/patience.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/live/see.h"
#include "chronoveil/engine/live/session.h"

namespace chronoveil::engine {
std::string_view name(LiveStage stage) {
  constexpr std::string_view names[] = {"none", "open", "from backup", "finished", "closed"};
  return names[static_cast<int>(stage)];
}

std::string_view name(LiveCaps caps) {
  constexpr std::string_view names[] = {"verified", "in use", "not verified"};
  return names[static_cast<int>(caps)];
}

namespace {

using namespace std::chrono_literals;

// The longest wait for rows without a look at the clock.
constexpr std::chrono::milliseconds kLookAgain = 500ms;
// The same without a look at whether somebody interrupts.
constexpr std::chrono::milliseconds kHeedAgain = 100ms;

// Whether the file that enforces the cap is what the state says. Another process may publish meanwhile, so the state
// and the file may change while they are read: then that process vouches for them.
Result<LiveCaps> caps_of(const LiveFolder& folder, const LiveState& state) {
  const auto in_use = [&] {
    const Result<FolderLock> lock = folder.lock();
    return !lock && lock.error().kind == ErrorKind::usage;
  };
  if (in_use()) return LiveCaps::in_use;
  if (state.step == 0 || !state.seal) return LiveCaps::not_verified;
  const Result<bool> verified = bound::Participation::verify(folder.people(state.debit), {state.step, *state.seal});
  if (!verified) {
    CV_TRY(const std::optional<LiveState> now, read_live_state(folder.path()));
    if (in_use() || !now || now->step != state.step || now->debit != state.debit) return LiveCaps::in_use;
    return Failure(verified.error());
  }
  return *verified ? LiveCaps::verified : LiveCaps::not_verified;
}

// The standing of a release that no process works on, from the ledger and its folder.
Result<LiveStanding> standing_of(const Job& job, OpenBudget& budget) {
  LiveStanding stands;
  stands.name = job.live().name;
  CV_TRY(const std::optional<ledger::Debit> debit, live_debit(budget.ledger, job));
  if (!debit) return stands;
  stands.debit = ledger::DebitReference{debit->id, debit->chain_head};
  stands.questions = *debit->uses;
  stands.asked = debit->used;
  CV_TRY(const LiveFolder folder, LiveFolder::of_release(budget.place, job));
  const bool reserved = debit->state == ledger::State::reserved;
  if (reserved && debit->from_backup) stands.stage = LiveStage::from_backup;
  if (stands.stage == LiveStage::from_backup && !folder.has_opening()) return stands;  // it may never have been here
  CV_TRY(const LiveOpening opening, folder.get());
  CV_TRY(const std::optional<LiveState> state, read_live_state(folder.path()));
  stands.mechanism = opening.published.plan.mechanism;
  stands.guarantee = opening.published.release.guarantee;
  CV_TRY(const data::SlotSpec slots, live_slots(job, state ? state->span : 0));
  stands.start = slots.start;
  stands.end = slots.end;
  stands.length = slots.length;
  stands.steps = opening.published.plan.shape.steps;
  stands.published = state ? state->step : 0;
  if (stands.published > 0) {
    CV_TRY(data::SlotCursor cursor, data::SlotCursor::make(slots));
    while (cursor.step() + 1 < stands.published) cursor.advance();
    stands.last = cursor.label();
  }
  if (!reserved || is_all_published(*debit, state, opening)) {
    stands.stage = stands.published == stands.steps ? LiveStage::finished : LiveStage::closed;
  } else if (!debit->from_backup) {
    stands.stage = LiveStage::open;
  }
  if (stands.stage == LiveStage::open && state && OpenStep::remembers(job, opening.published.plan.shape)) {
    CV_TRY(stands.caps, caps_of(folder, *state));
  }
  return stands;
}

}  // namespace

Result<LiveStanding> run_live(const Job& job, const LiveOptions& options) {
  CV_TRY(const LiveClock clock, LiveClock::of(job, options));
  return run_live_by(clock, job, options);
}

Result<LiveStanding> run_live_by(const LiveClock& clock, const Job& job, const LiveOptions& options) {
  if (options.seed && options.replay)
    return fail(ErrorKind::usage, "run.seed", "a replay has its own random choices; leave `run.seed` out");
  // Opened before anything is spent; nothing is read from it yet.
  CV_TRY(const std::unique_ptr<data::LiveInput> input, open_live_source(job, !options.once));
  return run_live_on(*input, clock, job, options);
}

Result<LiveStanding> run_live_on(data::LiveInput& input, const LiveClock& clock, const Job& job,
                                 const LiveOptions& options) {
  CV_TRY(LiveSession session,
         options.rehearses() ? LiveSession::rehearse(job, options, clock) : LiveSession::open(job, options, clock));
  if (options.publish) CV_CHECK(options.publish(session.header() + session.caught_up()));
  data::Arrival arrival;
  // With a clock that runs, a rehearsal ends after one span.
  const bool goes_on = job.live().continues && !(clock.runs() && options.rehearses());
  for (bool due = false; !session.finished() || goes_on;) {
    CV_CHECK(check_interrupted());
    // A step that is over is closed once every row that was there by then has been read, whatever comes meanwhile.
    if (!due) {
      CV_TRY(due, session.due());
      if (due) CV_CHECK(input.hold());
    }
    // A service is read while it runs: its documents follow each step, as soon as no further rows are there.
    const std::chrono::milliseconds patience = due || session.stale() ? 0ms
                                               : clock.runs()         ? session.patience(kLookAgain)
                                                                      : data::Patience::kEndless;
    // Whoever may be interrupted waits in slices.
    CV_TRY(const data::Awaited came,
           input.next_within(arrival, heeded_interrupt() != nullptr ? std::min(patience, kHeedAgain) : patience));
    if (came == data::Awaited::end) break;
    if (came == data::Awaited::something) {
      CV_CHECK(session.take(arrival));
    } else if (std::exchange(due, false)) {
      CV_CHECK(session.publish_due());
    } else if (session.stale()) {
      CV_CHECK(session.refresh());
    }
  }
  CV_CHECK(session.publish_last());
  return session.end();
}

Result<LiveStanding> live_status(const Job& job, const std::string& ledger) {
  CV_TRY(const Claim claim, claim_of(job));
  CV_TRY(OpenBudget budget, open_budget(job, claim, ledger));
  return standing_of(job, budget);
}

namespace {

// As private as the records: who was there, and what a mechanism keeps.
Result<void> forget_what_it_keeps(const LiveFolder& folder, std::int64_t debit) {
  folder.forget_people(debit);
  std::error_code ignored;
  if (!std::filesystem::exists(folder.path(), ignored)) return {};
  CV_TRY(const FolderLock lock, folder.lock());
  return forget_live_process(folder.path(), debit);
}

}  // namespace

Result<LiveStanding> close_live(const Job& job, const std::string& ledger) {
  CV_TRY(const std::string place, ledger_place(ledger));
  CV_TRY(const LiveFolder its, LiveFolder::of_release(place, job));
  CV_TRY(const Claim claim, claim_of(job));
  CV_TRY(OpenBudget budget, open_budget(job, claim, ledger, its.path()));
  CV_TRY(const std::optional<ledger::Debit> debit, live_debit(budget.ledger, job));
  if (!debit) return fail(ErrorKind::usage, "live", "no release '" + job.live().name + "' is in the ledger");
  if (debit->state != ledger::State::reserved) {
    CV_CHECK(forget_what_it_keeps(its, debit->id.sequence));  // a kill may have prevented this before
    return fail(ErrorKind::usage, "live", "the release '" + job.live().name + "' is over already");
  }
  if (!debit->from_backup) {
    LiveOptions options;
    options.ledger = ledger;
    Result<LiveSession> session = LiveSession::open_to_end(job, options, LiveClock());
    if (session) {
      CV_CHECK(session->finish());
      return standing_of(job, budget);
    }
    if (session.error().kind != ErrorKind::storage) return Failure(std::move(session).error());
  }
  // A release must be possible to end, whatever of it is lost or changed. Its documents are not written then.
  const Result<void> forgot = forget_what_it_keeps(its, debit->id.sequence);
  CV_CHECK(settle_released(budget.ledger, debit->id));
  CV_CHECK(forgot);
  LiveStanding stands;
  stands.name = job.live().name;
  stands.stage = LiveStage::closed;
  stands.debit = ledger::DebitReference{debit->id, debit->chain_head};
  stands.questions = *debit->uses;
  stands.asked = debit->used;
  return stands;
}

}  // namespace chronoveil::engine
