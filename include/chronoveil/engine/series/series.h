// The facade that apps call: plan, debit, run, report.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/release/data_seen.h"
#include "chronoveil/ledger/ledger.h"
#include "chronoveil/mechanisms/replay.h"
#include "chronoveil/plan/comparison.h"
#include "chronoveil/report/series/writers.h"

namespace chronoveil::engine {

// What a debit takes from a budget, told before it is made.
struct DebitAhead {
  ledger::Dataset dataset;
  ledger::Cost cost, left;  // left: afterwards
};

struct RunOptions {
  std::string ledger;                        // a path or URL; the user's own when empty
  bool confirmed = false;                    // --yes: a second debit, and what it replaces, is meant
  bool allow_empty = false;                  // a release although no row of the data counts
  bool allow_uninformative = false;          // a release although its plan says that it tells nothing
  std::optional<std::uint64_t> seed;         // not private; touches no ledger
  std::optional<mechanisms::Replay> replay;  // not private; touches no ledger
  std::function<Result<void>(const DebitAhead&)>
      before_debit;                                        // an error: none is made; not called where one is taken up
  std::function<void(const std::string&)> note_debit;      // called once the debit is durable, before data is read
  std::function<void(const std::string&)> note_taken_up;   // an unused debit of the same job was taken up
  std::function<void(const std::string&)> note_programme;  // a sentence: which slot pays, or that none does
  std::function<void(const std::string&)> note_drawing;    // before the first bit is drawn: from now on it stays spent
  std::function<void(const std::string&, bool stored)> note_released;  // settled; the outputs come next
  std::function<void(std::string_view stage)> progress;

  bool rehearses() const { return seed || replay; }
};

// From public facts only: the axis, the shape, the choice. `comparison` is set when every candidate was priced: on
// request, and whenever the job leaves the choice to us.
struct Planned {
  SlotAxis axis;
  mechanisms::Request request;
  std::optional<plan::Comparison> comparison;
  mechanisms::SeriesPlan chosen;
  Guarantee guarantee;  // that a release by the chosen mechanism carries
  std::string reason;
  std::string tells_nothing;  // why no interval would say anything, and what helps; empty: they do
  ledger::Eviction eviction = ledger::Eviction::possible;  // by privacy.max_steps
};
enum class Compare { when_needed, always };
// A job with a [live] section chooses among the mechanisms that can publish each step as it comes.
Result<Planned> plan_job(const Job&, Compare = Compare::always);

// What a plan needs to know of the slots.
struct Horizon {
  std::int64_t steps = 0;
  std::int64_t usual_length = 0;  // of a slot, in milliseconds
};
// The same without an axis.
Result<Planned> plan_over(const Job&, const Horizon&, Compare, plan::Audience);

// A debit for the same job over the same span that is in the ledger already.
struct EarlierDebit {
  ledger::DebitId id;
  ledger::State state = ledger::State::reserved;
  bool stored = false;    // its release can be emitted anew
  bool taken_up = false;  // nothing was drawn for it: the next run of this job uses it, at no further cost
};

// Validates job, columns, outputs and budget. Makes no debit and reads no value, except that with `read_data` the data
// is read and bounded as in a run, and forgotten: its errors are found before they cost a debit.
template <class Plan>
struct CheckedJob {
  Plan planned;
  ledger::View budget;  // as it stands
  ledger::Cost cost;    // of the debit
  std::optional<EarlierDebit> earlier;
  ledger::Room room;  // for debits like this one; not counted for a live release that goes on
  std::optional<char> shown_delimiter = std::nullopt;  // by the header of a CSV, where the job does not give one
  std::optional<DataSeen> seen = std::nullopt;         // with `read_data`
};
// Whether the rows can be read by a check: those of a live release are not there yet, and standard input and
// pipes can be read only once.
bool rows_can_be_checked(const Job&);
using Checked = CheckedJob<Planned>;
Result<Checked> check_job(const Job&, const RunOptions&, bool read_data = false);

// Plan, check outputs and columns, debit, read and bound, measure, reconstruct, store, write the outputs.
// An error after the debit says what became of it. What is not private (a seed, a replay) touches no ledger.
Result<report::Published> run_job(const Job&, const RunOptions&);

// Emits a stored release anew: no debit, no data. Refused unless the ledger has the debit and the debit is of this job.
Result<report::Published> run_again(const Job&, const std::string& debit, const RunOptions&);

// The internal evaluation of a release (the text of a release JSON) against the data. Reveals the data.
Result<report::Evaluation> evaluate_job(const Job&, std::string_view release_json);

}  // namespace chronoveil::engine
