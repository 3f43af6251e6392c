// A release that publishes each step as it comes, for months, through crashes.
//
// The order of every commit is the promise: first stored, then recorded, then seen (engine/release/numbered.h). Steps
// are worked out in memory; then
//   1. the state is durable: what the next step depends on, how many questions are asked, and the lines to publish
//   2. the ledger has recorded the uses of the debit
//   3. the lines go to the output and to listeners
// A crash before 1 leaves nothing: the steps are asked for the first time when they come again. A crash after it leaves
// lines that nobody saw: they are published first thing after the restart, as they are, and no question is asked again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "chronoveil/engine/series/series.h"

namespace chronoveil::engine {

struct LiveOptions {
  std::string ledger;      // a path or URL; the user's own when empty
  bool confirmed = false;  // --yes: a new release although one of this name was closed
  // A time by the clock of the slots. At the end of the input, the steps that end by this time are published, whatever
  // came of them, and no others; later rows are left for the next start. Where rows are people, this or the system's
  // clock ([live] clock) is needed, see clock.h. Counts need neither: a row of a later step closes the steps before it,
  // and the end of the input closes the open one.
  std::optional<std::string> until;
  bool once = false;                         // do not wait for more at the end of a file or directory
  std::optional<std::uint64_t> seed;         // not private; touches no ledger
  std::optional<mechanisms::Replay> replay;  // not private; touches no ledger
  // As RunOptions::before_debit, where a start opens a release or its next span. Not where a span follows while it
  // runs: the job said so, and nobody may be there.
  std::function<Result<void>(const DebitAhead&)> before_debit;
  // The debit that opened a release or its next span, what it promises, and what it left.
  std::function<void(const ledger::DebitReference&, const Guarantee&, const report::BudgetLeft&)> opened;
  // Lines of a release CSV, the header first, once they are durable.
  std::function<Result<void>(std::string_view lines)> publish;
  // What its user should know while it runs: refused rows, the end of the horizon. Never a data value.
  std::function<void(const std::string&)> message;
  // How things would stand if the program ended now.
  std::function<void(const std::string&)> standing;

  bool rehearses() const { return seed || replay; }
};

// from_backup: its debit came out of a backup before all steps were published. The ledger that the backup was made of
// may have gone on with it, so it cannot go on here.
enum class LiveStage { none, open, from_backup, finished, closed };
std::string_view name(LiveStage);

// What is known of the file that enforces the cap. A damaged file is an error instead.
enum class LiveCaps {
  verified,      // the file is as the state says
  in_use,        // by the process that publishes, which verified it
  not_verified,  // the last process was killed, or was of a version without seals: the next start verifies or refuses
};
std::string_view name(LiveCaps);

// How a live release stands.
struct LiveStanding {
  std::string name;
  LiveStage stage = LiveStage::none;
  std::optional<ledger::DebitReference> debit;
  std::string mechanism;
  std::string start, end, length;         // of the span
  std::int64_t steps = 0, published = 0;  // of the span: all, and those published so far
  std::int64_t questions = 0, asked = 0;  // reserved in the ledger, and used up
  std::string last;                       // the label of the last published step; empty before the first
  std::optional<Guarantee> guarantee;
  std::string mark;         // of a rehearsal
  std::int64_t broken = 0;  // rows that could not be read, in this process
  // Rows of counts that came too late, lie after the horizon or too far ahead: what they count is in no step. In this
  // process; none where rows are people, of whom nothing may be seen.
  std::int64_t lost = 0;
  // Only for an open release that stores how much of the cap each person has used.
  std::optional<LiveCaps> caps;
};

// Opens or resumes the release of the job, and publishes steps until its input or its horizon ends. Where rows are
// people, the clock alone decides which steps and spans there are: whoever is in the data, the same steps are published
// and debited, the same messages are given, and the release ends the same way. The exception is a row that cannot be
// read: its owner is told of it.
Result<LiveStanding> run_live(const Job&, const LiveOptions&);

// Reads only. A file of participation that is not what the state says is a storage error.
Result<LiveStanding> live_status(const Job&, const std::string& ledger);

// A step whose number was wrong.
struct LiveCorrection {
  std::string step;                      // when it begins, by the clock of the slots
  std::string rows;                      // a CSV like the source, with all rows of the step
  std::string csv;                       // where the erratum goes, never the release itself; empty: beside it
  std::optional<double> epsilon, delta;  // of the erratum; by default those of the job
};
// The job of counts that publishes the step once more, as an erratum: run_job runs it, with a debit of its own. What
// was published stays. Usage errors name `run.step` where it is not published yet, or lies in an earlier span.
Result<Job> erratum_of(const Job&, const LiveCorrection&, const std::string& ledger);

// Ends the release: no further step is published, nothing is given back. Writes the outputs that do not grow by rows.
Result<LiveStanding> close_live(const Job&, const std::string& ledger);

}  // namespace chronoveil::engine
