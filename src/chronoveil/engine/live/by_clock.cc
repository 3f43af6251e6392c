// What the clock does in a live release: where rows are people it closes every step and opens every span, and rows only
// wait for it. See clock.h for why.
#include <algorithm>

#include "chronoveil/engine/live/session.h"

namespace chronoveil::engine {

// Its own time and the clock alone decide whether a row waits for its step or is left out, whoever else is there.
// Nothing is said: how many rows are left out is as private as the rows. The owner may ask for a file of them.
Result<void> LiveSession::keep_row(const data::Arrival& arrival, std::size_t row, std::int64_t now) {
  const std::int64_t time = arrival.rows.time[row];
  // Before this process, its step was published with or without it: nobody can tell.
  if (time < started_) return {};
  if (time < cursor_->begin()) return put_aside(arrival, row, "it is late: its step was published before");
  constexpr std::string_view kAfterHorizon = "it lies after the horizon";
  if (time >= cursor_->span_end() && (!job_->live().continues || !keeping_))
    return put_aside(arrival, row, kAfterHorizon);
  if (clock_.until()) {
    if (time >= *clock_.until()) return {};  // it is left for the next start
  } else if (too_far(time, now)) {
    return put_aside(arrival, row, "it is further ahead than live.max_gap allows");
  }
  const std::optional<std::int64_t> series = step_->series_of(arrival.rows, row);
  if (!series) return {};
  const data::RecordBatch& rows = arrival.rows;
  const bool waits = waiting_->add(time, rows.user.empty() ? std::string_view() : rows.user[row], *series,
                                   rows.value.empty() ? 1 : rows.value[row], *step_);
  return waits ? Result<void>() : put_aside(arrival, row, kAfterHorizon);
}

// When the next step ends, in this span or the next; empty if there is no further step.
std::optional<std::int64_t> LiveSession::next_end() {
  if (!finished()) return cursor_->end();
  if (!job_->live().continues || !keeping_) return std::nullopt;
  if (!following_end_) {
    const Result<data::SlotSpec> following = data::span_after(slots_);
    if (!following) return std::nullopt;  // the calendar ends there
    const Result<data::SlotCursor> cursor = live_cursor(*following);
    if (!cursor) return std::nullopt;
    following_end_ = cursor->end();
  }
  return following_end_;
}

Result<bool> LiveSession::due() {
  if (!clock_.runs()) return false;
  CV_CHECK(check_for_a_jump());
  const std::optional<std::int64_t> line = clock_.line(), end = next_end();
  if (!line || !end || *end > *line) return false;
  line_ = *line;
  return true;
}

std::chrono::milliseconds LiveSession::patience(std::chrono::milliseconds longest) {
  const std::optional<std::int64_t> end = next_end();
  return end ? std::min(longest, std::chrono::milliseconds(clock_.left_until(*end))) : longest;
}

Result<void> LiveSession::publish_last() {
  const std::optional<std::int64_t> line = clock_.last_line();
  if (!line || (finished() && !rows_are_people(*job_))) return {};
  CV_CHECK(clock_.runs() ? check_for_a_jump() : check_clock(*line, cursor_->begin()));
  return close_until(*line);
}

Result<void> LiveSession::publish_until(std::int64_t instant) {
  CV_CHECK(check_clock(instant, cursor_->begin()));
  return close_until(instant);
}

// Published values cannot be taken back, so a clock that jumped must not use up a release.
Result<void> LiveSession::check_clock(std::int64_t instant, std::int64_t from) const {
  if (!too_far(instant, from)) return {};
  return fail(ErrorKind::usage, clock_.is_system() ? "live.clock" : "run.until",
              std::string(clock_.is_system() ? "the system's clock" : "it") + " is further ahead than the " +
                  std::to_string(max_gap()) + " steps that `live.max_gap` allows; raise it if the clock is right");
}

// Before anything is debited or read, a jump is measured from what is published. Counts move on by rows to come.
Result<void> LiveSession::check_first_line() const {
  const std::optional<std::int64_t> line = clock_.last_line();
  return line && rows_are_people(*job_) ? check_clock(*line, cursor_->begin()) : Result<void>();
}

// While it runs, a jump is measured against the clock that nobody can set. The distance to the last published step
// would not do: it grows while rows are read, and no number of rows may end the release. A wall clock that goes back
// and catches up again has not jumped.
Result<void> LiveSession::check_for_a_jump() {
  const std::int64_t ahead = ahead_of_steady(clock_.look());
  CV_CHECK(check_clock(ahead, ahead_));
  ahead_ = std::max(ahead_, ahead);
  return {};
}

// Where rows are people, spans follow each other by the clock, and none is left out.
Result<void> LiveSession::close_until(std::int64_t instant) {
  for (;;) {
    const std::optional<std::int64_t> end = next_end();
    if (!end || *end > instant) break;
    if (!finished()) {
      CV_CHECK(close_step());
    } else if (rows_are_people(*job_)) {
      CV_CHECK(next_span());
    } else {
      break;
    }
  }
  return commit();
}

// Opens the span after this one, whether or not it has rows.
Result<void> LiveSession::next_span() {
  Job following = *job_;
  CV_TRY(following.slots, data::span_after(slots_));
  CV_TRY(const data::SlotCursor cursor, live_cursor(following.slots));
  CV_CHECK(plan_live(following, cursor));  // before this one is over for good
  return change_span(following.slots, keeping_->state.span + 1);
}

}  // namespace chronoveil::engine
