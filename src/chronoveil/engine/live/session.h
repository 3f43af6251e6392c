// A live release at work: rows in, published lines out. See live.h for the order in which things happen.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/base/csv_time.h"
#include "chronoveil/data/live/input.h"
#include "chronoveil/data/time/slot_cursor.h"
#include "chronoveil/engine/live/clock.h"
#include "chronoveil/engine/live/folder.h"
#include "chronoveil/engine/live/live.h"
#include "chronoveil/engine/live/output.h"
#include "chronoveil/engine/live/rejects.h"
#include "chronoveil/engine/live/state.h"
#include "chronoveil/engine/live/steps.h"
#include "chronoveil/engine/live/waiting.h"
#include "chronoveil/engine/release/numbered.h"
#include "chronoveil/mechanisms/live.h"
#include "chronoveil/report/document/csv_rows.h"
#include "chronoveil/report/series/total_rows.h"

namespace chronoveil::engine {

// The debit of the last release of that name, if there is one.
Result<std::optional<ledger::Debit>> live_debit(ledger::Ledger&, const Job&);

// Whether a debit out of a backup was used up, and every step published, before the backup was made.
bool is_all_published(const ledger::Debit&, const std::optional<LiveState>&, const LiveOpening&);

// The slots of the span that comes after `before` others, and their plan.
Result<data::SlotSpec> live_slots(const Job&, std::int64_t before);
Result<data::SlotCursor> live_cursor(const data::SlotSpec&);
Result<Planned> plan_live(const Job&, const data::SlotCursor&);

// A random number that identifies something, and its text: sixteen hexadecimal digits; empty for 0.
std::int64_t new_token();
std::string token_text(std::int64_t);

// How far ahead a row, or a clock, may be, in steps.
std::int64_t max_gap_of(const Job&, std::int64_t steps);

// A value as the job wants it shown.
mechanisms::LiveValue shown_as(const Job&, const mechanisms::LiveValue&);

// What makes published lines durable; a rehearsal has none.
struct LiveKeeping {
  OpenBudget budget;
  LiveFolder folder;
  FolderLock lock;
  LiveStateFiles files;
  LiveState state;                 // the latest
  std::optional<NumberedRun> run;  // of its debit, once there is one

  ledger::DebitId debit() const { return {budget.view.dataset.name, state.debit, std::nullopt}; }
};

class LiveSession {
 public:
  // The job and the options must outlive it.
  static Result<LiveSession> open(const Job&, const LiveOptions&, const LiveClock&);
  // The same for nothing but finish(): also where a kill interrupted that.
  static Result<LiveSession> open_to_end(const Job&, const LiveOptions&, const LiveClock&);
  static Result<LiveSession> rehearse(const Job&, const LiveOptions&, const LiveClock&);

  const std::string& header() const { return rows_->header(); }
  // Lines that were worked out before a crash and that nobody has seen yet.
  std::string caught_up() const;
  Result<void> take(const data::Arrival&);
  // Whether all steps of this span are published.
  bool finished() const { return cursor_->step() == cursor_->steps(); }
  // Whether a step, of this span or the next, is over by a clock that runs. A clock that jumped is refused.
  Result<bool> due();
  // How long to wait for rows until a step may be due: exactly to that moment, since the rows that are there then are
  // those that count. At most `longest`.
  std::chrono::milliseconds patience(std::chrono::milliseconds longest);
  // Publishes what was due at the last call of due(), with or without rows.
  Result<void> publish_due() { return close_until(line_); }
  // Publishes the steps that end by the instant, with or without rows. An instant too far ahead is refused.
  Result<void> publish_until(std::int64_t instant);
  // When the step that is published next begins.
  std::int64_t next_begin() const { return cursor_->begin(); }
  // As in the lines: how times are written, and what marks them if they are not private.
  TimeForm time_form() const { return times_; }
  const std::string& mark() const { return draws_->mark(); }
  // At the end of the input: publishes the steps that are over by the clock, if any, with or without rows.
  Result<void> publish_last();
  // Whether the outputs that are written whole lack steps that are published.
  bool stale() const { return stale_; }
  // Writes them anew, each replaced as a whole.
  Result<void> refresh();
  // After the last input: the last messages, and the outputs that are written whole.
  Result<LiveStanding> end();
  // Writes the documents and settles the debit: no step is published after this.
  Result<void> finish();

 private:
  LiveSession(const Job& job, const LiveOptions& options, const LiveClock& clock)
      : job_(&job), options_(&options), clock_(clock), ahead_(ahead_of_steady(clock.look())) {
    if (!job.live().rejects.empty()) rejects_.emplace(job.live().rejects);
  }

  Result<void> open_or_resume();
  Result<void> check_unchanged(const ledger::Debit&) const;
  Result<void> open_span(std::int64_t span);
  Result<void> resume_span();
  Result<std::optional<ledger::DebitReference>> unused_debit(const ledger::LiveTag& tag);
  Result<void> enter_span();
  Result<void> start(mechanisms::Draws);
  Result<void> choose_times();
  Result<void> begin_files(const mechanisms::SeriesPlan&) const;
  Result<void> open_totals();
  void add_total(const std::string& time);
  Result<Totals> totals_so_far(const SlotAxis&);
  Result<void> skip_to_span(std::int64_t instant);
  Result<void> next_span();
  Result<void> change_span(const data::SlotSpec&, std::int64_t span);

  std::int64_t max_gap() const;
  bool too_far(std::int64_t instant, std::int64_t from) const;
  static std::int64_t ahead_of_steady(const LiveClock::Look& look) { return look.wall - look.steady; }
  Result<void> check_clock(std::int64_t instant, std::int64_t from) const;
  Result<void> check_first_line() const;
  Result<void> check_for_a_jump();
  std::optional<std::int64_t> next_end();
  Result<void> close_until(std::int64_t instant);
  Result<void> keep_row(const data::Arrival&, std::size_t row, std::int64_t now);
  Result<void> take_row(const data::Arrival&, std::size_t row);
  Result<void> close_step();
  Result<void> commit();
  Result<std::optional<std::string>> write_documents();  // the digest of the release JSON, where there is one
  Result<report::Published> published_so_far();
  LiveStanding standing() const;
  void tell(const std::string& standing);
  void tell_standing();
  Result<void> refuse(const data::Arrival&, std::size_t row, const std::string& why);
  Result<void> lose(const data::Arrival&, std::size_t row, const std::string& why);
  Result<void> put_aside(const data::Arrival&, std::size_t row, std::string_view why);
  void say(const std::string& text) const;

  const Job* job_;
  const LiveOptions* options_;
  LiveClock clock_;
  std::int64_t ahead_;  // the most that the wall clock was seen ahead of the one that nobody can set
  data::SlotSpec slots_;
  std::optional<data::SlotCursor> cursor_;
  report::Published opened_;  // guarantee and plan; no values
  std::unique_ptr<mechanisms::LiveProcess> process_;
  std::optional<mechanisms::Draws> draws_;
  std::optional<OpenStep> step_;
  std::optional<WaitingRows> waiting_;  // where rows are people: what counts of them, until the clock closes their step
  std::optional<report::CsvRows> rows_;
  TimeForm times_ = TimeForm::local;  // of the output
  std::optional<LiveOutput> output_;
  std::optional<report::TotalRows> total_rows_;  // where the mechanism estimates the sum of all series
  std::optional<LiveOutput> totals_;
  std::optional<LiveRejects> rejects_;  // where the owner asked for them
  std::optional<LiveKeeping> keeping_;
  std::int64_t begun_ = 0;        // where the rows of this span begin in the output, without keeping
  std::int64_t first_begin_ = 0;  // of the first step of the release
  std::int64_t started_ = 0;      // rows before this instant are of steps that were published before this process
  std::int64_t line_ = 0;         // by which steps were over when due() was asked last
  std::optional<std::int64_t> following_end_;  // of the first step of the span after this one, once it was needed
  std::string lines_, total_lines_;            // worked out and not yet committed
  std::string told_ = "nothing was spent";     // the standing that was last told
  std::string last_;                           // the label of the last step worked out
  std::vector<std::int64_t> counts_;
  std::vector<mechanisms::LiveValue> values_;
  bool stale_ = false;
  std::int64_t broken_ = 0, refused_ = 0, lost_ = 0, skipped_ = 0, early_ = 0;
};

// run_live by the given clock.
Result<LiveStanding> run_live_by(const LiveClock&, const Job&, const LiveOptions&);
// The same with an open input.
Result<LiveStanding> run_live_on(data::LiveInput&, const LiveClock&, const Job&, const LiveOptions&);

}  // namespace chronoveil::engine
