// How a live release is opened and resumed: where the ledger and the folder meet.
#include <algorithm>
#include <set>

#include "chronoveil/base/system/signals_held.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/live/rejects.h"
#include "chronoveil/engine/live/session.h"
#include "chronoveil/engine/look/caps_from.h"
#include "chronoveil/engine/release/outputs.h"
#include "chronoveil/engine/series/ask.h"
#include "chronoveil/engine/series/published.h"

namespace chronoveil::engine {
namespace {

// What a debit is for, who opened it, and what was opened: a release resumes only if its folder agrees with the ledger.
ledger::LiveTag tag_of(const Job& job, const Facts& opened, const LiveState& state, const std::string& opening) {
  return {job.live().name, digest_of(opened), state.span, token_text(state.holder), opening};
}

// Everything but values and axis.
report::Published without_values(const Job& job, Planned planned, const std::string& mark) {
  planned.comparison.reset();
  report::Published published = published_of(job, std::move(planned), {}, mark);
  if (job.live().continues)
    published.not_protected.emplace_back(
        "The guarantee is for this span of time. Each span has its own debit and its own caps; for a person in several "
        "spans they add up.");
  return published;
}

// A span that cannot be planned would stop the release halfway, after budget was spent on the spans before it.
Result<void> check_spans_ahead(const Job& job) {
  constexpr int kSpansAhead = 12;
  Job span = job;
  std::set<std::int64_t> lengths;
  for (int i = 0; i < kSpansAhead; ++i) {
    const Result<data::SlotSpec> following = data::span_after(span.slots);
    if (!following) return {};  // the calendar ends there
    span.slots = *following;
    CV_TRY(const data::SlotCursor cursor, live_cursor(span.slots));
    if (!lengths.insert(cursor.steps()).second) continue;
    if (const Result<Planned> planned = plan_live(span, cursor); !planned)
      return fail(planned.error().kind, "live.after",
                  "the span that begins at " + span.slots.start + " has " + std::to_string(cursor.steps()) +
                      " steps: " + planned.error().text());
  }
  return {};
}

Result<void> check_live(const Job& job) {
  if (Result<void> named = ledger::check_dataset_name(job.live().name); !named)
    return tl::unexpected(under_key("live.name", std::move(named.error())));
  // Both name folders.
  for (const auto& [key, name] : {std::pair("live.name", job.live().name), std::pair("dataset.name", job.dataset)})
    if (name == "." || name == "..") return invalid(key, name, "the name of a folder of its own");
  if (job.csv.empty() || job.csv == "-")
    return fail(ErrorKind::usage, "output.csv",
                "a live release needs a file that it appends to; rows also go to standard output");
  if (job.json == "-" || job.report == "-" || job.geojson == "-" || job.live().rejects == "-")
    return fail(ErrorKind::usage, "output", "standard output is for the rows of a live release");
  if (job.source.kind != data::SourceKind::csv && job.source.kind != data::SourceKind::memory)
    return fail(ErrorKind::usage, "source.kind", "a live release reads csv: standard input, a file or a directory");
  if (!job.live().rejects.empty()) {
    CV_CHECK(LiveRejects::check(job.live().rejects));
    CV_CHECK(check_writable("live.rejects", job.live().rejects));
  }
  return check_outputs(job);
}

}  // namespace

Result<data::SlotCursor> live_cursor(const data::SlotSpec& slots) {
  return by_key({"slots"}, data::SlotCursor::make(slots));
}

Result<Planned> plan_live(const Job& job, const data::SlotCursor& cursor) {
  return plan_over(job, {cursor.steps(), cursor.usual_length()}, Compare::when_needed, plan::Audience::live);
}

Result<data::SlotSpec> live_slots(const Job& job, std::int64_t before) {
  data::SlotSpec slots = job.slots;
  for (std::int64_t i = 0; i < before; ++i) {
    CV_TRY(slots, data::span_after(slots));
  }
  return slots;
}

Result<LiveSession> LiveSession::rehearse(const Job& job, const LiveOptions& options, const LiveClock& clock) {
  CV_CHECK(check_live(job));
  Job written_whole = job;
  written_whole.csv = written_whole.series().totals = "";  // LiveOutput looks at them
  CV_CHECK(check_replaces_no_release(written_whole));
  LiveSession session(job, options, clock);
  session.slots_ = job.slots;
  CV_TRY(session.cursor_, live_cursor(job.slots));
  CV_CHECK(session.check_first_line());
  CV_TRY(Planned planned, plan_live(job, *session.cursor_));
  mechanisms::Draws draws =
      options.replay ? mechanisms::Draws::replayed(*options.replay) : mechanisms::Draws::seeded(*options.seed);
  session.opened_ = without_values(job, std::move(planned), draws.mark());
  const std::string header = report::CsvRows(job.keys, draws.mark(), session.opened_.release.grid).header();
  CV_TRY(LiveOutput output, LiveOutput::rehearse(job.csv, header));
  session.output_.emplace(std::move(output));
  CV_CHECK(session.output_->append(header));
  CV_CHECK(session.start(std::move(draws)));
  session.begun_ = static_cast<std::int64_t>(header.size());
  return session;
}

Result<LiveSession> LiveSession::open(const Job& job, const LiveOptions& options, const LiveClock& clock) {
  CV_TRY(LiveSession session, open_to_end(job, options, clock));
  const LiveState& state = session.keeping_->state;
  if (state.step > 0 && state.process.empty() && !session.finished())
    return fail(ErrorKind::usage, "live",
                "the release '" + job.live().name +
                    "' was being closed, and what it needs to go on is deleted; close "
                    "it once more, which writes its documents and settles its debit");
  return session;
}

Result<LiveSession> LiveSession::open_to_end(const Job& job, const LiveOptions& options, const LiveClock& clock) {
  CV_CHECK(check_live(job));
  LiveSession session(job, options, clock);
  CV_TRY(const Claim claim, claim_of(job));
  CV_TRY(OpenBudget budget, open_budget(job, claim, options.ledger));
  CV_TRY(LiveFolder folder, LiveFolder::of_release(budget.place, job));
  CV_CHECK(folder.make());
  CV_TRY(FolderLock lock, folder.lock());
  CV_TRY(LiveStateFiles files, LiveStateFiles::open(folder.path()));
  LiveState state = files.latest().value_or(LiveState());
  session.keeping_.emplace(
      LiveKeeping{std::move(budget), std::move(folder), std::move(lock), std::move(files), std::move(state), {}});
  CV_CHECK(session.open_or_resume());
  return session;
}

// The ledger knows what was debited and used, the folder what was worked out with it; here they are compared.
Result<void> LiveSession::open_or_resume() {
  LiveKeeping& keeping = *keeping_;
  CV_TRY(const std::optional<ledger::Debit> debit, live_debit(keeping.budget.ledger, *job_));
  const bool has_state = keeping.files.latest().has_value();
  const bool opening = has_state && keeping.state.debit < 0;
  const std::string where = "the state in '" + keeping.folder.path() + "'";
  const auto storage = [](const std::string& message) { return fail(ErrorKind::storage, "live", message); };
  // Whoever has the ledger behind a backup may have gone on: this debit may have answered more than is known here.
  bool all_published = false;  // and nothing of it is left that anybody could go on with
  if (debit && debit->from_backup && keeping.folder.has_opening()) {
    const Result<LiveOpening> opened = keeping.folder.get();
    all_published = opened && is_all_published(*debit, keeping.files.latest(), *opened);
  }
  const bool lost = debit && debit->state == ledger::State::reserved && debit->from_backup && !all_published;
  if (lost && !options_->confirmed)
    return fail(ErrorKind::usage, "live",
                "the debit " + debit->id.text() + " of the release '" + job_->live().name +
                    "' came out of a backup, and the ledger that the backup was made of may have gone on with it, so "
                    "nothing more is published for it here; `run.yes` opens a new release with a new debit");
  if (has_state && !opening && (!debit || debit->id.sequence < keeping.state.debit))
    return storage(where + " is of a debit that this ledger does not have");
  if (debit && debit->state == ledger::State::reserved && debit->used > 0 && !lost) {
    if (!has_state)
      return storage("the debit " + debit->id.text() + " is in use, but " + where + " is gone; put it back");
    if (debit->id.sequence != keeping.state.debit)
      return storage(where + " is older than the ledger; put back the latest");
  }
  const bool over = debit && (debit->state != ledger::State::reserved || all_published);
  if (over) keeping.folder.forget_people(debit->id.sequence);  // a kill may have prevented this before
  const bool whole = has_state && keeping.state.step > 0 && keeping.folder.has_opening();
  if (opening) {
    // Without a debit of its own nothing was begun, and the job may still change.
    if (debit && debit->terms.live->holder == token_text(keeping.state.holder))
      CV_CHECK(check_goes_on(keeping.folder, *job_, false));
    return open_span(keeping.state.span);
  }
  if (!debit || lost || (!over && !has_state)) return open_span(0);
  if (!over) {
    CV_CHECK(check_unchanged(*debit));
    CV_TRY(const std::string opened, keeping.folder.opening_digest());
    Facts facts = live_facts_of(*job_);
    if (keeping.folder.has_opening()) {
      CV_TRY(facts, keeping.folder.facts_opened());
    }
    if (debit->terms.live != tag_of(*job_, facts, keeping.state, opened))
      return storage("what lies in '" + keeping.folder.path() + "' is not what the debit " + debit->id.text() +
                     " was made for; put back the folder as the program left it");
    return resume_span();
  }
  if (job_->live().continues && whole) {
    CV_CHECK(check_unchanged(*debit));
    CV_TRY(const LiveOpening before, keeping.folder.get());
    if (keeping.state.step == before.published.plan.shape.steps) return open_span(keeping.state.span + 1);
  }
  if (options_->confirmed) return open_span(0);
  return fail(ErrorKind::usage, "live",
              "the release '" + job_->live().name + "' is over (debit " + debit->id.text() +
                  "); `run.yes` opens a new one with a new debit");
}

Result<void> LiveSession::check_unchanged(const ledger::Debit& debit) const {
  return go_on_with(keeping_->folder, *job_, is_untouched(debit, keeping_->state));
}

// Plan, state, debit, state; and only then the first row. After a crash in between, an unused debit of this very span
// is taken instead of a second one.
Result<void> LiveSession::open_span(std::int64_t span) {
  LiveKeeping& keeping = *keeping_;
  CV_TRY(slots_, live_slots(*job_, span));
  CV_TRY(cursor_, live_cursor(slots_));
  if (!output_) CV_CHECK(check_first_line());
  Job this_span = *job_;
  this_span.slots = slots_;
  CV_TRY(const Planned planned, plan_live(this_span, *cursor_));
  if (span == 0 && job_->live().continues) CV_CHECK(check_spans_ahead(*job_));
  opened_ = without_values(this_span, planned, "");
  // A file that was begun by an earlier version goes on as it began, without the middles of places.
  if (span > 0 && keeping.folder.has_opening()) {
    CV_TRY(const LiveOpening before, keeping.folder.get());
    if (!before.published.release.grid) opened_.release.grid.reset();
  }
  say_caps_of_look(keeping.budget.caps, job_->caps_from, opened_.release.guarantee.assumptions);
  const bool begun_before = keeping.files.latest() && keeping.state.debit < 0;
  LiveState opening;
  if (begun_before) {
    opening = keeping.state;
  } else {
    opening.span = span;
    opening.holder = new_token();
    opening.next = cursor_->begin();
    if (span == 0) {
      opening.unsynced = report::CsvRows(job_->keys, "", opened_.release.grid).header();
    } else {
      opening.synced = keeping.state.synced;
      opening.unsynced = keeping.state.unsynced;
      if (keeping.state.totals) opening.totals = keeping.state.totals->of_next_span();
    }
    opening.begun = opening.synced + static_cast<std::int64_t>(opening.unsynced.size());
    opening.earlier = keeping.state.witness();
  }
  const ledger::LiveTag tag = tag_of(*job_, live_facts_of(*job_), opening, LiveFolder::opening_digest(opened_));
  CV_TRY(const std::optional<ledger::DebitReference> unused, unused_debit(tag));
  CV_TRY(Claim claim, claim_of(this_span));
  // Before anything is written, so that a job over the budget can be changed and tried again.
  if (!unused) {
    const auto nobody = decltype(options_->before_debit)();
    CV_CHECK(tell_cost(keeping.budget, claim, ask_of(planned), output_ ? nobody : options_->before_debit));
  }
  const SignalsHeld held;
  if (!begun_before && span == 0) CV_CHECK(begin_files(planned.chosen));
  CV_CHECK(keeping.files.save(opening));
  keeping.state = std::move(opening);
  CV_CHECK(keeping.folder.put({live_facts_of(*job_), opened_}));
  if (unused) {
    keeping.run.emplace(*unused);
  } else {
    // The folder's lock keeps two processes apart; one that uses another folder with the same ledger is refused here.
    const ledger::BeforeSecond refuse = [&](const ledger::DebitId& earlier, ledger::State state) -> Result<void> {
      if (state != ledger::State::reserved || options_->confirmed) return {};
      return fail(ErrorKind::usage, "live",
                  "the release '" + job_->live().name + "' was opened before, as " + earlier.text() +
                      ", from another folder; `run.yes` opens a second one");
    };
    Facts facts = live_facts_of(*job_);
    facts.emplace_back("live.name", job_->live().name);
    facts.emplace_back("live.span", std::to_string(keeping.state.span));
    claim.digest = digest_of(facts);
    Ask ask = ask_of(planned);
    ask.uses = planned.chosen.measured;
    const std::string before = told_;
    tell("a debit may have been made; budget history tells");
    Result<NumberedRun> made = NumberedRun::debited(keeping.budget, claim, ask, refuse, {}, tag);
    if (!made) {
      tell(before);  // the error itself says what is in doubt
      return tl::unexpected(std::move(made.error()));
    }
    keeping.run.emplace(*std::move(made));
    if (options_->opened)
      if (const Result<ledger::View> after = keeping.budget.ledger.view(job_->dataset))
        options_->opened(keeping.run->debit(), opened_.release.guarantee, budget_left(*after));
  }
  opened_.debit = keeping.run->debit();
  // An error before the first step must name this debit, not an earlier one.
  tell("the debit " + opened_.debit->id.text() + " is made, and none of its steps is published; run it again to go on");
  keeping.state.debit = opened_.debit->id.sequence;
  keeping.state.earlier.reset();
  CV_CHECK(keeping.files.save(keeping.state));
  return enter_span();
}

// A debit made for exactly this span, before a crash, by the process that left this state.
Result<std::optional<ledger::DebitReference>> LiveSession::unused_debit(const ledger::LiveTag& tag) {
  CV_TRY(const std::optional<ledger::Debit> last, live_debit(keeping_->budget.ledger, *job_));
  std::optional<ledger::DebitReference> found;
  if (last && last->state == ledger::State::reserved && last->used == 0 && last->terms.live == tag &&
      !last->from_backup)
    found = ledger::DebitReference{last->id, last->chain_head};
  return found;
}

Result<void> LiveSession::resume_span() {
  LiveKeeping& keeping = *keeping_;
  const LiveState& state = keeping.state;
  CV_TRY(LiveOpening opening, keeping.folder.get());
  opened_ = std::move(opening.published);
  // A crash between the two left uses in the state that the ledger does not have yet.
  NumberedRun& run = keeping.run.emplace(ledger::DebitReference{keeping.debit(), ""});
  CV_CHECK(run.resume(keeping.budget.ledger));
  opened_.debit = run.debit();
  if (state.asked < run.recorded())
    return fail(ErrorKind::storage, "live",
                "the state in '" + keeping.folder.path() +
                    "' is older than the ledger: " + std::to_string(run.recorded()) +
                    " questions were asked, it knows of " + std::to_string(state.asked) + "; put back the latest");
  // Whose uses those in the ledger are: two who went on from copies of one state would each take the other's for its
  // own, and publish two answers about one step.
  if (run.token() != token_text(state.asked == run.recorded() ? state.token : state.before))
    return fail(ErrorKind::storage, "live",
                "another process has resumed the debit " + keeping.debit().text() + " from another copy of '" +
                    keeping.folder.path() + "'; only one may");
  CV_CHECK(run.record_until(keeping.budget.ledger, state.asked, token_text(state.token)));
  CV_TRY(slots_, live_slots(*job_, state.span));
  CV_TRY(cursor_, live_cursor(slots_));
  while (cursor_->step() < std::min(state.step, cursor_->steps())) {
    if (cursor_->step() + 1 == state.step) last_ = cursor_->label();
    cursor_->advance();
  }
  if (cursor_->steps() != opened_.plan.shape.steps || cursor_->begin() != state.next)
    return fail(ErrorKind::storage, "live",
                "the clocks of " + slots_.zone +
                    " are no longer those that the release was opened with; close it and open "
                    "another");
  CV_CHECK(check_first_line());
  return enter_span();
}

// Restores output, the run of the debit and the mechanism's process from the latest state.
Result<void> LiveSession::enter_span() {
  LiveKeeping& keeping = *keeping_;
  CV_TRY(LiveOutput output, LiveOutput::resume(job_->csv, keeping.state.synced, keeping.state.unsynced));
  output_.reset();
  output_.emplace(std::move(output));
  CV_TRY(mechanisms::Draws draws, keeping.run->draws(keeping.budget.ledger, opened_.plan.event));
  CV_CHECK(start(std::move(draws)));
  if (keeping.state.process.empty()) return {};
  StateReader reader(keeping.state.process);
  if (keeping.state.format == mechanisms::kLiveStateFormat) process_->load(reader);
  if (!reader.complete())
    return fail(ErrorKind::storage, "live",
                "the state in '" + keeping.folder.path() + "' was written by another version of the program");
  return {};
}

Result<void> LiveSession::start(mechanisms::Draws draws) {
  step_.reset();  // the people it remembers, and their file
  draws_.emplace(std::move(draws));
  CV_CHECK(draws_->start(opened_.plan.event));
  CV_TRY(process_, mechanisms::go_live(opened_.plan));
  const std::string people = keeping_ ? keeping_->folder.people(keeping_->state.debit) : "";
  const bool begun = keeping_ && keeping_->state.step > 0;
  // Before the first seal nothing was published, so whatever a crash left in the file counts for nobody.
  if (keeping_ && !begun) keeping_->folder.forget_people(keeping_->state.debit);
  if (keeping_) keeping_->folder.forget_other_people(keeping_->state.debit);
  std::optional<bound::ParticipationAsOf> as_of;
  if (begun && keeping_->state.seal) as_of = bound::ParticipationAsOf{keeping_->state.step, *keeping_->state.seal};
  CV_TRY(OpenStep step, OpenStep::make(*job_, opened_.plan.shape, people,
                                       begun ? bound::Missing::refuse : bound::Missing::make, as_of));
  step_.emplace(std::move(step));
  if (keeping_ && step_->remembered().value_or(-1) < keeping_->state.people)
    return fail(ErrorKind::storage, "live", "'" + people + "' is older than the state; put back the latest");
  // Rows that wait for the next span go on waiting when it opens.
  if (rows_are_people(*job_) && !waiting_) {
    CV_TRY(data::SlotsAhead slots, data::SlotsAhead::make(slots_, job_->live().continues && keeping_));
    waiting_.emplace(std::move(slots));
  }
  rows_.emplace(job_->keys, draws_->mark(), opened_.release.grid);
  CV_CHECK(choose_times());
  CV_CHECK(open_totals());
  values_.resize(static_cast<std::size_t>(opened_.plan.shape.series));
  started_ = cursor_->begin();
  following_end_.reset();
  tell_standing();
  return {};
}

}  // namespace chronoveil::engine
