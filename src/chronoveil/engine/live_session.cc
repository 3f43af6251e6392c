#include "chronoveil/engine/live_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/signals_held.h"
#include "chronoveil/data/time_reader.h"
#include "chronoveil/data/zone.h"
#include "chronoveil/engine/named_errors.h"
#include "chronoveil/engine/publishing.h"
#include "chronoveil/engine/text_file.h"

namespace chronoveil::engine {
namespace {

constexpr std::size_t kCommitBytes = std::size_t{1} << 20;  // lines worked out before they are committed, at most
constexpr std::size_t kSyncBytes = std::size_t{1} << 14;    // lines that only the state has for certain, about
constexpr std::int64_t kMostMessages = 20;                  // about rows, from one process

constexpr int kSpansAhead = 12;  // that are planned before a release that continues is opened

// Sixteen hexadecimal digits; nothing for 0.
std::string token_text(std::int64_t token) {
  return token == 0 ? "" : fmt::format("{:016x}", static_cast<std::uint64_t>(token));
}

std::int64_t new_token() {
  for (;;)
    if (const auto token = static_cast<std::int64_t>(BitSource::for_this_thread().next_u64()); token != 0) return token;
}

// How a debit says what it is of: the release, the job, the span, who opened it, and what was opened. Whatever lies in
// the folder must be what the ledger says, or it is not gone on with.
std::string tag_start(const Job& job) { return "[live " + job.live.name + " "; }
std::string tag_of(const Job& job, const LiveState& state, const std::string& opening) {
  return tag_start(job) + digest_of(live_facts_of(job)) + "/" + std::to_string(state.span) + " " +
         token_text(state.holder) + " " + opening + "]";
}

Result<data::SlotCursor> cursor_of(const data::SlotSpec& slots) {
  return in_section("slots", {"start", "end", "length", "zone"}, data::SlotCursor::make(slots));
}

Result<Planned> plan_live(const Job& job, const data::SlotCursor& cursor) {
  return plan_over(job, {cursor.steps(), cursor.usual_length()}, Compare::when_needed, plan::Audience::live);
}

// Everything but values and axis.
report::Published without_values(const Job& job, Planned planned, const std::string& mark) {
  planned.comparison.reset();
  report::Published published = published_of(job, std::move(planned), {}, mark);
  if (job.live.continues)
    published.not_protected.emplace_back(
        "The guarantee is for this span of time. Each span has its own debit and its own caps, and for somebody who is "
        "in several they add up.");
  return published;
}

// A span that cannot be planned would stop the release when it comes, after its budget was spent on the ones before.
Result<void> check_spans_ahead(const Job& job) {
  Job span = job;
  std::set<std::int64_t> lengths;
  for (int i = 0; i < kSpansAhead; ++i) {
    const Result<data::SlotSpec> following = data::span_after(span.slots);
    if (!following) return {};  // the calendar ends there
    span.slots = *following;
    CV_TRY(const data::SlotCursor cursor, cursor_of(span.slots));
    if (!lengths.insert(cursor.steps()).second) continue;
    if (const Result<Planned> planned = plan_live(span, cursor); !planned)
      return fail(planned.error().kind, "live.after: the span that begins at " + span.slots.start + " has " +
                                            std::to_string(cursor.steps()) + " steps: " + planned.error().message);
  }
  return {};
}

Result<void> check_live(const Job& job) {
  if (Result<void> named = ledger::check_dataset_name(job.live.name); !named)
    return fail(ErrorKind::usage, "live.name: " + named.error().message);
  // Both name folders.
  for (const auto& [key, name] : {std::pair("live.name", job.live.name), std::pair("dataset.name", job.dataset)})
    if (name == "." || name == "..") return invalid(key, name, "the name of a folder of its own");
  if (job.csv.empty() || job.csv == "-")
    return fail(ErrorKind::usage,
                "output.csv: a live release needs a file that it appends to; rows also go to "
                "standard output");
  if (job.json == "-" || job.report == "-")
    return fail(ErrorKind::usage, "output: standard output is for the rows of a live release");
  if (job.source.kind != data::SourceKind::csv)
    return fail(ErrorKind::usage, "source.kind: a live release reads csv: standard input, a file or a directory");
  return check_outputs(job);
}

double adjusted(const Job& job, double value, double (*round)(double)) {
  if (job.non_negative) value = std::max(0.0, value);
  // + 0.0: no negative zero.
  return job.integers && std::isfinite(value) ? round(value) + 0.0 : value;
}
double nearest(double value) { return std::floor(value) + (value - std::floor(value) >= 0.5 ? 1.0 : 0.0); }
double down(double value) { return std::floor(value); }
double up(double value) { return std::ceil(value); }

}  // namespace

std::string_view name(LiveStage stage) {
  constexpr std::string_view names[] = {"none", "open", "finished", "closed"};
  return names[static_cast<int>(stage)];
}

Result<std::optional<ledger::Debit>> live_debit(ledger::Ledger& ledger, const Job& job) {
  CV_TRY(std::vector<ledger::Debit> debits, ledger.history(job.dataset));
  const auto last = std::find_if(debits.rbegin(), debits.rend(), [&](const ledger::Debit& debit) {
    return debit.uses && debit.terms.mechanism.find(tag_start(job)) != std::string::npos;
  });
  if (last == debits.rend()) return std::optional<ledger::Debit>();
  return std::optional<ledger::Debit>(std::move(*last));
}

Result<data::SlotSpec> live_slots(const Job& job, std::int64_t before) {
  data::SlotSpec slots = job.slots;
  for (std::int64_t i = 0; i < before; ++i) {
    CV_TRY(slots, data::span_after(slots));
  }
  return slots;
}

Result<LiveSession> LiveSession::rehearse(const Job& job, const LiveOptions& options) {
  CV_CHECK(check_live(job));
  LiveSession session(job, options);
  CV_CHECK(session.read_until());
  session.slots_ = job.slots;
  CV_TRY(session.cursor_, cursor_of(job.slots));
  CV_TRY(Planned planned, plan_live(job, *session.cursor_));
  mechanisms::Draws draws =
      options.replay ? mechanisms::Draws::replayed(*options.replay) : mechanisms::Draws::seeded(*options.seed);
  session.opened_ = without_values(job, std::move(planned), draws.mark());
  const std::string header = report::CsvRows(job.keys, draws.mark()).header();
  CV_TRY(LiveOutput output, LiveOutput::rehearse(job.csv, header));
  session.output_.emplace(std::move(output));
  CV_CHECK(session.output_->append(header));
  CV_CHECK(session.start(std::move(draws)));
  session.begun_ = static_cast<std::int64_t>(header.size());
  return session;
}

Result<LiveSession> LiveSession::open(const Job& job, const LiveOptions& options) {
  CV_CHECK(check_live(job));
  LiveSession session(job, options);
  CV_CHECK(session.read_until());
  CV_TRY(OpenBudget budget, open_budget(job, options.ledger));
  CV_TRY(LiveFolder folder, LiveFolder::of_release(budget.place, job));
  CV_CHECK(folder.make());
  CV_TRY(LiveLock lock, LiveLock::take(folder));
  CV_TRY(LiveStateFiles files, LiveStateFiles::open(folder.path()));
  LiveState state = files.latest().value_or(LiveState());
  session.keeping_.emplace(
      LiveKeeping{std::move(budget), std::move(folder), std::move(lock), std::move(files), std::move(state), 0});
  CV_CHECK(session.open_or_resume());
  return session;
}

// The ledger knows what was debited and used, the folder what was worked out of it; this is where they meet.
Result<void> LiveSession::open_or_resume() {
  LiveKeeping& keeping = *keeping_;
  CV_TRY(const std::optional<ledger::Debit> debit, live_debit(keeping.budget.ledger, *job_));
  const bool has_state = keeping.files.latest().has_value();
  const bool opening = has_state && keeping.state.debit < 0;
  const std::string where = "the state in '" + keeping.folder.path() + "'";
  const auto storage = [](const std::string& message) { return fail(ErrorKind::storage, "live: " + message); };
  if (has_state && !opening && (!debit || debit->id.sequence < keeping.state.debit))
    return storage(where + " is of a debit that this ledger does not have");
  if (debit && debit->state == ledger::State::reserved && debit->used > 0) {
    if (!has_state)
      return storage("the debit " + debit->id.text() + " is in use, but " + where + " is gone; put it back");
    if (debit->id.sequence != keeping.state.debit)
      return storage(where + " is older than the ledger; put back the latest");
  }
  const bool over = debit && debit->state != ledger::State::reserved;
  const bool whole = has_state && keeping.state.step > 0 && keeping.folder.has_opening();
  if (opening) {
    // Without a debit of its own nothing was begun, and the job may be another.
    if (debit && debit->terms.mechanism.find(token_text(keeping.state.holder)) != std::string::npos)
      CV_CHECK(check_unchanged());
    return open_span(keeping.state.span);
  }
  if (!debit || (!over && !has_state)) return open_span(0);
  if (!over) {
    CV_CHECK(check_unchanged());
    CV_TRY(const std::string opened, keeping.folder.opening_digest());
    if (!debit->terms.mechanism.ends_with(tag_of(*job_, keeping.state, opened)))
      return storage("what lies in '" + keeping.folder.path() + "' is not what the debit " + debit->id.text() +
                     " was made for; put back the folder as the program left it");
    return resume_span();
  }
  if (job_->live.continues && whole) {
    CV_CHECK(check_unchanged());
    CV_TRY(const LiveOpening before, keeping.folder.get());
    if (keeping.state.step == before.published.plan.shape.steps) return open_span(keeping.state.span + 1);
  }
  if (options_->confirmed) return open_span(0);
  return fail(ErrorKind::usage, "live: the release '" + job_->live.name + "' is over (debit " + debit->id.text() +
                                    "); --yes opens a new one with a new debit");
}

Result<void> LiveSession::check_unchanged() const {
  if (!keeping_->folder.has_opening()) return {};
  CV_TRY(const LiveOpening opening, keeping_->folder.get());
  const std::string changed = difference(opening.facts, live_facts_of(*job_));
  if (changed.empty()) return {};
  return fail(ErrorKind::usage, "live: the job is not the one that the release '" + job_->live.name +
                                    "' was opened with: " + changed +
                                    "; put it back, or give the changed one another live.name and output.csv");
}

// Plan, state, debit, state; and only then the first row. A crash in between is gone on with: a debit of this very span
// that was never used is taken instead of a second one.
Result<void> LiveSession::open_span(std::int64_t span) {
  LiveKeeping& keeping = *keeping_;
  CV_TRY(slots_, live_slots(*job_, span));
  CV_TRY(cursor_, cursor_of(slots_));
  Job this_span = *job_;
  this_span.slots = slots_;
  CV_TRY(const Planned planned, plan_live(this_span, *cursor_));
  if (span == 0 && job_->live.continues) CV_CHECK(check_spans_ahead(*job_));
  opened_ = without_values(this_span, planned, "");
  const bool begun_before = keeping.files.latest() && keeping.state.debit < 0;
  LiveState opening;
  if (begun_before) {
    opening = keeping.state;
  } else {
    opening.span = span;
    opening.holder = new_token();
    opening.next = cursor_->begin();
    if (span == 0) {
      opening.unsynced = report::CsvRows(job_->keys, "").header();
    } else {
      opening.synced = keeping.state.synced;
      opening.unsynced = keeping.state.unsynced;
    }
    opening.begun = opening.synced + static_cast<std::int64_t>(opening.unsynced.size());
  }
  const std::string tag = tag_of(*job_, opening, LiveFolder::opening_digest(opened_));
  CV_TRY(const std::optional<ledger::DebitReference> unused, unused_debit(tag));
  // Before anything is written: a job that is over the budget may be changed and tried again.
  if (!unused) CV_CHECK(check_debit(keeping.budget, this_span, planned));
  const SignalsHeld held;
  if (!begun_before && span == 0) CV_CHECK(LiveOutput::begin(job_->csv));
  CV_CHECK(keeping.files.save(opening));
  keeping.state = std::move(opening);
  CV_CHECK(keeping.folder.put({live_facts_of(*job_), opened_}));
  opened_.debit = unused;
  if (!unused) {
    CV_TRY(opened_.debit, reserve_run(keeping.budget, this_span, planned, tag));
  }
  keeping.state.debit = opened_.debit->id.sequence;
  keeping.asked = 0;  // of this debit
  CV_CHECK(keeping.files.save(keeping.state));
  return enter_span();
}

// One that was made for exactly this span, by whoever left the state that is gone on with, before a crash.
Result<std::optional<ledger::DebitReference>> LiveSession::unused_debit(const std::string& tag) {
  CV_TRY(const std::optional<ledger::Debit> last, live_debit(keeping_->budget.ledger, *job_));
  std::optional<ledger::DebitReference> found;
  if (last && last->state == ledger::State::reserved && last->used == 0 && last->terms.mechanism.ends_with(tag))
    found = ledger::DebitReference{last->id, last->chain_head};
  return found;
}

Result<void> LiveSession::resume_span() {
  LiveKeeping& keeping = *keeping_;
  const LiveState& state = keeping.state;
  CV_TRY(LiveOpening opening, keeping.folder.get());
  opened_ = std::move(opening.published);
  // What is durable here and not yet there was cut off between the two.
  CV_TRY(const ledger::Run known, keeping.budget.ledger.resume_run(keeping.debit()));
  opened_.debit = known.reference();
  if (state.asked < known.used())
    return fail(ErrorKind::storage, "live: the state in '" + keeping.folder.path() + "' is older than the ledger: " +
                                        std::to_string(known.used()) + " questions were asked, it knows of " +
                                        std::to_string(state.asked) + "; put back the latest");
  // Whose uses those in the ledger are: two who went on from copies of one state would each take the other's for its
  // own, and publish two answers about one step.
  if (known.token() != token_text(state.asked == known.used() ? state.token : state.before))
    return fail(ErrorKind::storage, "live: somebody else has gone on with the debit " + keeping.debit().text() +
                                        ", from another copy of '" + keeping.folder.path() + "'; only one may");
  if (state.asked > known.used())
    CV_CHECK(keeping.budget.ledger.use_run(keeping.debit(), known.used(), state.asked - known.used(),
                                           token_text(state.token)));
  keeping.asked = state.asked;
  CV_TRY(slots_, live_slots(*job_, state.span));
  CV_TRY(cursor_, cursor_of(slots_));
  while (cursor_->step() < std::min(state.step, cursor_->steps())) {
    if (cursor_->step() + 1 == state.step) last_ = cursor_->label();
    cursor_->advance();
  }
  if (cursor_->steps() != opened_.plan.shape.steps || cursor_->begin() != state.next)
    return fail(ErrorKind::storage, "live: the clocks of " + slots_.zone +
                                        " are no longer those that the release was opened with; close it and open "
                                        "another");
  return enter_span();
}

// From the latest state: the output as it should be, the run of the debit, the process where it was.
Result<void> LiveSession::enter_span() {
  LiveKeeping& keeping = *keeping_;
  CV_TRY(LiveOutput output, LiveOutput::resume(job_->csv, keeping.state.synced, keeping.state.unsynced));
  output_.reset();
  output_.emplace(std::move(output));
  CV_TRY(ledger::Run run, keeping.budget.ledger.resume_run(keeping.debit()));
  CV_TRY(mechanisms::Draws draws, mechanisms::Draws::continued(std::move(run), opened_.plan.event));
  CV_CHECK(start(std::move(draws)));
  if (keeping.state.process.empty()) return {};
  StateReader reader(keeping.state.process);
  if (keeping.state.format == mechanisms::kLiveStateFormat) process_->load(reader);
  if (!reader.complete())
    return fail(ErrorKind::storage,
                "live: the state in '" + keeping.folder.path() + "' was written by another version of the program");
  return {};
}

Result<void> LiveSession::start(mechanisms::Draws draws) {
  step_.reset();  // who it remembers, and their file
  draws_.emplace(std::move(draws));
  CV_CHECK(draws_->start(opened_.plan.event));
  CV_TRY(process_, mechanisms::go_live(opened_.plan));
  const std::string people = keeping_ ? keeping_->folder.people(keeping_->state.debit) : "";
  const bool begun = keeping_ && keeping_->state.step > 0;
  CV_TRY(OpenStep step,
         OpenStep::make(*job_, opened_.plan.shape, people, begun ? bound::Missing::refuse : bound::Missing::make));
  step_.emplace(std::move(step));
  if (keeping_ && step_->remembered().value_or(-1) < keeping_->state.people)
    return fail(ErrorKind::storage, "live: '" + people + "' is older than the state; put back the latest");
  rows_.emplace(job_->keys, draws_->mark());
  values_.resize(static_cast<std::size_t>(opened_.plan.shape.series));
  started_ = cursor_->begin();
  tell_standing();
  return {};
}

// The span that holds the instant. Those between, of which nothing came, are left out and cost nothing.
Result<void> LiveSession::next_span(std::int64_t instant) {
  std::int64_t span = keeping_->state.span;
  Job following = *job_;
  following.slots = slots_;
  for (std::int64_t end = instant; end <= instant;) {
    CV_TRY(following.slots, data::span_after(following.slots));
    CV_TRY(const data::SlotCursor cursor, cursor_of(following.slots));
    end = cursor.span_end();
    ++span;
    // Before this one is over for good.
    if (end > instant) CV_CHECK(plan_live(following, cursor));
  }
  CV_CHECK(commit());
  CV_CHECK(finish());
  say("the span " + slots_.start + " to " + slots_.end + " is over; the next one begins at " + following.slots.start);
  return open_span(span);
}

std::string LiveSession::caught_up() const {
  const LiveOutput::CaughtUp& found = output_->caught_up();
  const std::int64_t header = keeping_ ? std::max<std::int64_t>(0, keeping_->state.begun - found.at) : 0;
  return found.lines.substr(std::min(static_cast<std::size_t>(header), found.lines.size()));
}

Result<void> LiveSession::take(const data::Arrival& arrival) {
  for (const data::RefusedRow& row : arrival.refused) {
    ++broken_;
    if (++refused_ <= kMostMessages) say(row.where + ": " + row.reason + "; refused");
  }
  if (arrival.anew) {
    step_->forget();
    started_ = cursor_->begin();
  }
  for (std::size_t row = 0; row < arrival.rows.rows(); ++row) CV_CHECK(take_row(arrival, row));
  if (arrival.complete && !step_->empty() && !until_) CV_CHECK(close_step());
  return commit();
}

Result<void> LiveSession::read_until() {
  if (!options_->until) return {};
  if (!options_->once && job_->source.path != "-")
    return fail(ErrorKind::usage, "until: it is for the end of the input, which a followed one has not; give --once");
  CV_TRY(const std::shared_ptr<const data::Zone> zone, data::Zone::find(job_->slots.zone));
  CV_TRY(data::TimeReader reader, data::TimeReader::make("iso8601", zone));
  until_.emplace();
  if (reader.read(*options_->until, *until_) != data::TimeProblem::none)
    return invalid("until", *options_->until,
                   "it must be a time such as 2026-03-01T00:00, local in " + job_->slots.zone);
  return {};
}

Result<void> LiveSession::publish_until() {
  if (!until_ || finished()) return {};
  if (too_far(*until_))
    return fail(ErrorKind::usage,
                "until: it is further ahead than the " + std::to_string(max_gap()) + " steps that live.max_gap allows");
  while (!finished() && cursor_->end() <= *until_) CV_CHECK(close_step());
  return commit();
}

std::int64_t LiveSession::max_gap() const {
  return job_->live.max_gap.value_or(std::max<std::int64_t>(10, (cursor_->steps() + 3) / 4));
}

bool LiveSession::too_far(std::int64_t instant) const {
  return (instant - cursor_->begin()) / cursor_->usual_length() > max_gap();
}

void LiveSession::refuse(const data::Arrival& arrival, std::size_t row, const std::string& why) {
  if (++refused_ > kMostMessages) return;
  say("row " + std::to_string(arrival.number[row]) + (arrival.part.empty() ? "" : " of " + arrival.part) + ": " + why +
      "; refused");
}

Result<void> LiveSession::take_row(const data::Arrival& arrival, std::size_t row) {
  const std::int64_t time = arrival.rows.time[row];
  if (time < cursor_->begin()) {
    if (time < started_)
      ++skipped_;
    else
      refuse(arrival, row, "it is late: its step was published before");
    return {};
  }
  // Left for the next time, without a word: it must not matter who came.
  if (until_ && time >= *until_) return {};
  if (finished() && (!job_->live.continues || !keeping_)) {
    refuse(arrival, row, "it lies after the horizon, which ends at " + slots_.end);
    return {};
  }
  if (too_far(time)) {
    refuse(arrival, row,
           "it is further ahead than the " + std::to_string(max_gap()) + " steps that live.max_gap allows");
    return {};
  }
  if (finished()) {
    CV_CHECK(next_span(time));
    return take_row(arrival, row);
  }
  while (!finished() && time >= cursor_->end()) CV_CHECK(close_step());
  if (finished()) return take_row(arrival, row);
  if (step_->add(arrival.rows, row) == OpenStep::Taken::twice)
    refuse(arrival, row, "its series and step came before; the first counts");
  if (step_->complete()) CV_CHECK(close_step());
  return {};
}

Result<void> LiveSession::close_step() {
  CV_CHECK(step_->close(cursor_->step(), counts_));
  CV_CHECK(mechanisms::live_step(opened_.plan, *process_, counts_, *draws_, values_));
  last_ = cursor_->label();
  for (std::size_t series = 0; series < values_.size(); ++series) {
    const mechanisms::LiveValue& value = values_[series];
    rows_->append(lines_, series, last_, adjusted(*job_, value.value, nearest), adjusted(*job_, value.lower, down),
                  adjusted(*job_, value.upper, up), value.sampled);
  }
  cursor_->advance();
  // What people have used up is written down slot by slot, and only the last slot can be bounded again.
  if (lines_.size() >= kCommitBytes || (keeping_ && step_->remembered())) CV_CHECK(commit());
  return {};
}

Result<void> LiveSession::commit() {
  if (lines_.empty()) return {};
  const SignalsHeld held;
  if (keeping_) {
    LiveKeeping& keeping = *keeping_;
    LiveState& state = keeping.state;
    if (state.unsynced.size() >= kSyncBytes) {
      CV_CHECK(output_->sync());
      state.synced += static_cast<std::int64_t>(state.unsynced.size());
      state.unsynced.clear();
    }
    if (draws_->used() > keeping.asked) {
      state.before = state.token;
      state.token = new_token();
    }
    state.step = cursor_->step();
    state.next = cursor_->begin();
    state.asked = draws_->used();
    state.people = step_->remembered().value_or(-1);
    state.unsynced += lines_;
    StateWriter writer;
    process_->save(writer);
    state.process = std::move(writer).take();
    CV_CHECK(keeping.files.save(state));
    if (state.asked > keeping.asked)
      CV_CHECK(keeping.budget.ledger.use_run(keeping.debit(), keeping.asked, state.asked - keeping.asked,
                                             token_text(state.token)));
    keeping.asked = state.asked;
  }
  CV_CHECK(output_->append(lines_));
  tell_standing();
  if (options_->publish) CV_CHECK(options_->publish(lines_));
  lines_.clear();
  return {};
}

// The documents first: once the debit is settled, nobody comes back to write them.
Result<void> LiveSession::finish() {
  CV_CHECK(write_documents());
  if (!keeping_) return {};
  CV_CHECK(output_->sync());
  CV_CHECK(keeping_->budget.ledger.settle(keeping_->debit(), ledger::State::released));
  // Who was there is of no use any more, and as private as the records.
  step_.reset();
  keeping_->folder.forget_people(keeping_->state.debit);
  return {};
}

Result<LiveStanding> LiveSession::end() {
  if (refused_ > kMostMessages) say(std::to_string(refused_ - kMostMessages) + " more were refused");
  if (skipped_ > 0)
    say(std::to_string(skipped_) + (skipped_ == 1 ? " row" : " rows") +
        " of steps that were published before this start " + (skipped_ == 1 ? "was" : "were") + " skipped");
  LiveStanding stands = standing();
  if (finished() && !job_->live.continues) {
    CV_CHECK(finish());
    say("the horizon is over: all " + std::to_string(cursor_->steps()) + " steps up to " + slots_.end +
        " are published");
    return stands;
  }
  CV_CHECK(write_documents());
  return stands;
}

LiveStanding LiveSession::standing() const {
  LiveStanding stands;
  stands.name = job_->live.name;
  stands.stage = finished() && !job_->live.continues ? LiveStage::finished : LiveStage::open;
  stands.debit = opened_.debit;
  stands.mechanism = opened_.plan.mechanism;
  stands.start = slots_.start;
  stands.end = slots_.end;
  stands.length = slots_.length;
  stands.steps = cursor_->steps();
  stands.published = cursor_->step();
  stands.questions = opened_.plan.measured;
  stands.asked = draws_->used();
  stands.last = last_;
  stands.guarantee = opened_.release.guarantee;
  stands.mark = opened_.release.mark;
  stands.broken = broken_;
  return stands;
}

void LiveSession::tell_standing() const {
  if (!options_->standing || !keeping_) return;
  const LiveStanding stands = standing();
  options_->standing("the debit " + stands.debit->id.text() + " stays spent; " + std::to_string(stands.published) +
                     " of " + std::to_string(stands.steps) + " steps are published and " +
                     std::to_string(stands.asked) + " of " + std::to_string(stands.questions) +
                     " questions asked; run it again to go on");
}

void LiveSession::say(const std::string& text) const {
  if (options_->message) options_->message(text);
}

// What was published of this span, read back from where it was published.
Result<report::Published> LiveSession::published_so_far() {
  report::Published published = opened_;
  CV_TRY(data::SlotCursor cursor, cursor_of(slots_));
  SlotAxis& axis = published.release.axis;
  axis.zone = slots_.zone;
  const std::int64_t steps = cursor_->step();
  for (; cursor.step() < steps; cursor.advance()) {
    axis.boundaries.push_back(cursor.begin());
    axis.labels.push_back(cursor.label());
  }
  axis.boundaries.push_back(cursor.begin());
  CV_TRY(const std::string text, read_text_file("output.csv", job_->csv));
  Estimate& estimate = published.release.estimate;
  const std::size_t series = values_.size(), cells = series * static_cast<std::size_t>(steps);
  estimate.value.resize(cells);
  estimate.lower.resize(cells);
  estimate.upper.resize(cells);
  estimate.sampled.resize(cells);
  std::size_t at = static_cast<std::size_t>(keeping_ ? keeping_->state.begun : begun_);
  for (std::size_t step = 0; step < static_cast<std::size_t>(steps); ++step) {
    for (std::size_t one = 0; one < series; ++one) {
      const std::string start = rows_->start(one) + axis.labels[step] + ",";
      if (text.compare(std::min(at, text.size()), start.size(), start) != 0)
        return fail(ErrorKind::storage, "output.csv: '" + job_->csv + "' does not hold what was published");
      const char* from = text.data() + at + start.size();
      const char* const end = text.data() + text.size();
      const std::size_t cell = one * static_cast<std::size_t>(steps) + step;
      for (double* number : {&estimate.value[cell], &estimate.lower[cell], &estimate.upper[cell]})
        from = std::min(end, std::from_chars(from, end, *number).ptr + 1);
      estimate.sampled[cell] = from < end && *from == '1' ? 1 : 0;
      at = std::min(text.find('\n', static_cast<std::size_t>(from - text.data())), text.size() - 1) + 1;
    }
  }
  return published;
}

Result<void> LiveSession::write_documents() {
  if ((job_->json.empty() && job_->report.empty()) || cursor_->step() == 0) return {};
  CV_TRY(report::Published published, published_so_far());
  if (keeping_) {
    CV_TRY(const ledger::View view, keeping_->budget.ledger.view(job_->dataset));
    published.budget = budget_left(view);
  }
  Job whole = *job_;
  whole.csv.clear();  // it grows by rows instead
  return write_outputs(whole, published);
}

}  // namespace chronoveil::engine
