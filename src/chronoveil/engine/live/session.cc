#include "chronoveil/engine/live/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/interrupted.h"
#include "chronoveil/base/system/signals_held.h"
#include "chronoveil/post/adjust.h"

namespace chronoveil::engine {
namespace {

constexpr std::size_t kCommitBytes = std::size_t{1} << 20;  // lines worked out before they are committed, at most
constexpr std::size_t kSyncBytes = std::size_t{1} << 12;    // lines that only the state has for certain, about
constexpr std::int64_t kMostMessages = 20;                  // about rows, from one process

double adjusted(const Job& job, double value, double (*to_integer)(double)) {
  if (job.series().non_negative) value = std::max(0.0, value);
  return job.series().integers ? to_integer(value) : value;
}

}  // namespace

mechanisms::LiveValue shown_as(const Job& job, const mechanisms::LiveValue& value) {
  return {adjusted(job, value.value, post::nearest_integer), adjusted(job, value.lower, post::integer_below),
          adjusted(job, value.upper, post::integer_above), value.sampled};
}

std::int64_t max_gap_of(const Job& job, std::int64_t steps) {
  return job.live().max_gap.value_or(std::max<std::int64_t>(10, (steps + 3) / 4));
}

std::string token_text(std::int64_t token) {
  return token == 0 ? "" : fmt::format("{:016x}", static_cast<std::uint64_t>(token));
}

std::int64_t new_token() {
  for (;;)
    if (const auto token = static_cast<std::int64_t>(BitSource::for_this_thread().next_u64()); token != 0) return token;
}

Result<std::optional<ledger::Debit>> live_debit(ledger::Ledger& ledger, const Job& job) {
  CV_TRY(std::vector<ledger::Debit> debits, ledger.history(job.dataset));
  const auto last = std::find_if(debits.rbegin(), debits.rend(), [&](const ledger::Debit& debit) {
    return debit.terms.live && debit.terms.live->release == job.live().name;
  });
  if (last == debits.rend()) return std::optional<ledger::Debit>();
  return std::optional<ledger::Debit>(std::move(*last));
}

bool is_all_published(const ledger::Debit& debit, const std::optional<LiveState>& state, const LiveOpening& opening) {
  return debit.from_backup && debit.used == debit.uses && state && state->debit == debit.id.sequence &&
         state->step == opening.published.plan.shape.steps;
}

// A file that grows for years may see any clock change, so parts of days are in UTC unless the zone has one offset and
// the file ends with the span. A file that was begun by an earlier version goes on as it began, with labels.
Result<void> LiveSession::choose_times() {
  CV_TRY(const data::SlotCursor first, live_cursor(job_->slots));
  first_begin_ = first.begin();
  times_ = first.whole_days()                              ? TimeForm::date
           : first.one_offset() && !job_->live().continues ? TimeForm::local
                                                           : TimeForm::utc;
  const std::string before = rows_->header() + rows_->start(0);
  const std::string time = csv_time(times_, first.label(), first.begin()) + ",";
  CV_TRY(const std::string begun, output_->beginning(before.size() + time.size()));
  if (begun.size() > before.size() && begun != before + time) times_ = TimeForm::local;
  return {};
}

// For counts only: goes to the span that holds the instant. Spans between, without rows, are skipped and cost nothing.
Result<void> LiveSession::skip_to_span(std::int64_t instant) {
  std::int64_t span = keeping_->state.span;
  Job following = *job_;
  following.slots = slots_;
  for (std::int64_t end = instant; end <= instant;) {
    CV_TRY(following.slots, data::span_after(following.slots));
    CV_TRY(const data::SlotCursor cursor, live_cursor(following.slots));
    end = cursor.span_end();
    ++span;
    // Planned before this span is over for good.
    if (end > instant) CV_CHECK(plan_live(following, cursor));
  }
  return change_span(following.slots, span);
}

Result<void> LiveSession::change_span(const data::SlotSpec& following, std::int64_t span) {
  CV_CHECK(commit());
  CV_CHECK(finish());
  say("the span " + slots_.start + " to " + slots_.end + " is over; the next one begins at " + following.start);
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
    if (!rejects_) continue;
    if (const Result<void> written = rejects_->add(row.where, row.reason); !written && !rows_are_people(*job_))
      return written;
  }
  // Rows of people go on waiting when the input begins anew: a file may be replaced because of one person's row, and
  // that must not drop the rows of others. Rows that come again are limited by the caps.
  if (rows_are_people(*job_)) {
    const std::int64_t now = clock_.now();
    for (std::size_t row = 0; row < arrival.rows.rows(); ++row) {
      CV_CHECK(check_interrupted());
      CV_CHECK(keep_row(arrival, row, now));
    }
    return {};
  }
  if (arrival.anew) {
    step_->forget();
    started_ = cursor_->begin();
  }
  for (std::size_t row = 0; row < arrival.rows.rows(); ++row) {
    CV_CHECK(check_interrupted());
    CV_CHECK(take_row(arrival, row));
  }
  if (arrival.complete && !step_->empty() && !clock_.until()) CV_CHECK(close_step());
  return commit();
}

std::int64_t LiveSession::max_gap() const { return max_gap_of(*job_, cursor_->steps()); }

bool LiveSession::too_far(std::int64_t instant, std::int64_t from) const {
  return (instant - from) / cursor_->usual_length() > max_gap();
}

Result<void> LiveSession::refuse(const data::Arrival& arrival, std::size_t row, const std::string& why) {
  if (++refused_ <= kMostMessages)
    say("row " + std::to_string(arrival.number[row]) + (arrival.part.empty() ? "" : " of " + arrival.part) + ": " +
        why + "; refused");
  return put_aside(arrival, row, why);
}

// A row that is refused although it should count.
Result<void> LiveSession::lose(const data::Arrival& arrival, std::size_t row, const std::string& why) {
  ++lost_;
  return refuse(arrival, row, why);
}

// Without a word: for the owner's file alone. Whether a person's row was refused must not be seen, not even by a disk
// that has no room for it.
Result<void> LiveSession::put_aside(const data::Arrival& arrival, std::size_t row, std::string_view why) {
  if (!rejects_) return {};
  Result<void> written = rejects_->add(arrival, row, why);
  return rows_are_people(*job_) ? Result<void>() : std::move(written);
}

Result<void> LiveSession::take_row(const data::Arrival& arrival, std::size_t row) {
  const std::int64_t time = arrival.rows.time[row];
  if (time < cursor_->begin()) {
    if (time >= started_) return lose(arrival, row, "it is late: its step was published before");
    ++(time < first_begin_ ? early_ : skipped_);
    return {};
  }
  // Left for the next start, without a message: it must not matter who came.
  if (clock_.until() && time >= *clock_.until()) return {};
  if (finished() && (!job_->live().continues || !keeping_)) {
    return lose(arrival, row, "it lies after the horizon, which ends at " + slots_.end);
  }
  if (too_far(time, cursor_->begin())) {
    return lose(arrival, row,
                "it is further ahead than the " + std::to_string(max_gap()) + " steps that live.max_gap allows");
  }
  if (finished()) {
    CV_CHECK(skip_to_span(time));
    return take_row(arrival, row);
  }
  while (!finished() && time >= cursor_->end()) CV_CHECK(close_step());
  if (finished()) return take_row(arrival, row);
  const std::optional<std::int64_t> series = step_->series_of(arrival.rows, row);
  if (!series) return {};
  if (!step_->add(*series, arrival.rows.value[row]))
    CV_CHECK(refuse(arrival, row, "its series and step came before; the first counts"));
  if (step_->complete()) CV_CHECK(close_step());
  return {};
}

Result<void> LiveSession::close_step() {
  if (waiting_) waiting_->hand_over(cursor_->begin(), *step_);
  CV_CHECK(step_->close(cursor_->step(), counts_));
  CV_CHECK(mechanisms::live_step(opened_.plan, *process_, counts_, *draws_, values_));
  last_ = cursor_->label();
  const std::string time = csv_time(times_, last_, cursor_->begin());
  for (std::size_t series = 0; series < values_.size(); ++series) {
    const mechanisms::LiveValue value = shown_as(*job_, values_[series]);
    rows_->append(lines_, series, time, value.value, value.lower, value.upper, value.sampled);
  }
  add_total(time);
  cursor_->advance();
  // What people have used up is stored slot by slot, and only the last slot can be bounded again.
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
    if (draws_->used() > keeping.run->recorded()) {
      state.before = state.token;
      state.token = new_token();
    }
    state.step = cursor_->step();
    state.next = cursor_->begin();
    state.asked = draws_->used();
    state.people = step_->remembered().value_or(-1);
    state.seal = step_->seal();
    state.unsynced += lines_;
    if (totals_) {
      LiveTail& tail = *state.totals;
      if (tail.unsynced.size() >= kSyncBytes) {
        CV_CHECK(totals_->sync());
        tail.synced += static_cast<std::int64_t>(tail.unsynced.size());
        tail.unsynced.clear();
      }
      tail.unsynced += total_lines_;
    }
    StateWriter writer;
    process_->save(writer);
    state.process = std::move(writer).take();
    CV_CHECK(keeping.files.save(state));
    CV_CHECK(keeping.run->record_until(keeping.budget.ledger, state.asked, token_text(state.token)));
  }
  CV_CHECK(output_->append(lines_));
  if (totals_) CV_CHECK(totals_->append(total_lines_));
  total_lines_.clear();
  stale_ = true;
  tell_standing();
  const std::string told = std::exchange(lines_, std::string());  // whatever becomes of the telling: they are written
  if (options_->publish) CV_CHECK(options_->publish(told));
  return {};
}

// The documents first: once the debit is settled, nobody comes back to write them.
Result<void> LiveSession::finish() {
  CV_TRY(const std::optional<std::string> digest, write_documents());
  if (!keeping_) return {};
  CV_CHECK(output_->sync());
  if (totals_) CV_CHECK(totals_->sync());
  // Before the debit is settled: nobody comes back to a release that is over. After a kill between the two, the state
  // without sums says that the release was being ended, and nothing goes on from it.
  if (process_->memory() != nullptr) CV_CHECK(keeping_->files.save_last(keeping_->state));
  CV_CHECK(settle_released(keeping_->budget.ledger, keeping_->debit(), digest));
  // Who was there is no longer needed, and is as private as the records.
  step_.reset();
  keeping_->folder.forget_people(keeping_->state.debit);
  return {};
}

Result<void> LiveSession::refresh() {
  CV_CHECK(write_documents());
  stale_ = false;
  return {};
}

Result<LiveStanding> LiveSession::end() {
  if (refused_ > kMostMessages) say(std::to_string(refused_ - kMostMessages) + " more were refused");
  if (skipped_ > 0)
    say(std::to_string(skipped_) + (skipped_ == 1 ? " row" : " rows") +
        " of steps that were published before this start " + (skipped_ == 1 ? "was" : "were") + " skipped");
  if (early_ > 0)
    say(std::to_string(early_) + (early_ == 1 ? " row lies" : " rows lie") + " before the release begins, at " +
        job_->slots.start + (early_ == 1 ? ", and counts" : ", and count") + " nowhere");
  // Somebody should look: nothing came out, though rows came in.
  if (cursor_->step() == 0) {
    lost_ += early_;
    if (early_ > 0 || (broken_ > 0 && keeping_))
      say("the debit is not lost: until the first step is published, source.time_format may be changed");
  }
  LiveStanding stands = standing();
  if (finished() && !job_->live().continues) {
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
  stands.name = job_->live().name;
  stands.stage = finished() && !job_->live().continues ? LiveStage::finished : LiveStage::open;
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
  stands.lost = lost_;
  return stands;
}

void LiveSession::tell(const std::string& standing) {
  if (options_->standing) options_->standing(standing);
  told_ = standing;
}

void LiveSession::tell_standing() {
  if (!keeping_) return;
  const LiveStanding stands = standing();
  tell("the debit " + stands.debit->id.text() + " stays spent; " + std::to_string(stands.published) + " of " +
       std::to_string(stands.steps) + " steps are published and " + std::to_string(stands.asked) + " of " +
       std::to_string(stands.questions) + " questions asked; run it again to go on");
}

void LiveSession::say(const std::string& text) const {
  if (options_->message) options_->message(text);
}

}  // namespace chronoveil::engine
