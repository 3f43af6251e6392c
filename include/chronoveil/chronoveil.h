// The front door of the library: release, perturb, publish live, train and forecast, price, and keep a budget. See
// docs/library.md.
//   Order     make_plan() sees public facts only; run() debits, reads, draws and publishes, in this order
//   Errors    every function that can fail returns a Result, and none throws. An error names the key of the job, the
//             value and what would be valid; it never quotes a value of the data
//   Threads   one object is for one thread at a time, except a Ledger, which any number may share
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/event_options.h"
#include "chronoveil/base/arrow_abi.h"
#include "chronoveil/base/interrupt.h"
#include "chronoveil/base/plain_text.h"
#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/base/version.h"
#include "chronoveil/data/memory/table.h"
#include "chronoveil/data/time/zone_folder.h"
#include "chronoveil/engine/job/first_job.h"
#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/job/job_to_look.h"
#include "chronoveil/engine/job/options.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/live/live.h"
#include "chronoveil/engine/look/look.h"
#include "chronoveil/engine/means/means.h"
#include "chronoveil/engine/perturb/perturb.h"
#include "chronoveil/engine/programme/programme.h"
#include "chronoveil/engine/release/audit.h"
#include "chronoveil/engine/series/series.h"
#include "chronoveil/engine/train/train.h"
#include "chronoveil/ledger/dataset_words.h"
#include "chronoveil/ledger/filters/rounded_text.h"
#include "chronoveil/ledger/ledger.h"
#include "chronoveil/noise/draws.h"
#include "chronoveil/simulate/worlds.h"
#include "chronoveil/training/backtest.h"
#include "chronoveil/training/forecast.h"
#include "chronoveil/training/release_forecast.h"
#include "chronoveil/training/train.h"

namespace chronoveil {

// ---- Jobs: what to read, what is public, what is protected, what to write. docs/jobs.md has every key. ----

using data::Batch;
using data::Column;
using data::Instants;
using data::Table;
using engine::Job;

// From a file, or from its text; relative paths in a text are relative to the working directory. A Job may also be
// filled in by hand: every function below checks it first.
using engine::read_job;
Result<Job> parse_job(std::string_view toml);

// The job reads these rows, whatever it read before. Cells are not copied: they must not change until its last run is
// over.
void read_from(Job&, Table);
// The same for a history of training::ForecastRequest, which is read more than once.
void read_from(data::SourceSpec&, Table);
// The same from an Arrow stream of record batches, which is taken over: its release is null afterwards, also after an
// error. Batches are pulled as they are read, never before the debit, and given back one by one; text is not copied. A
// stream can be read once: after a run, or a check that read it, the job needs another. docs/library.md has the kinds
// of columns. Errors: storage if its producer fails, usage if it has no columns.
Result<void> read_from(Job&, ArrowArrayStream&);
// The same for a history. Its batches are kept, for it is read more than once, as are the rows of a job that trains on
// several channels.
Result<void> read_from(data::SourceSpec&, ArrowArrayStream&);

// The same rows as the lines of a CSV, for a program that reads them from a pipe. Of these columns, or of all that
// there are; a null, and a real that is not a number, is an empty field. Opening looks at the schema, never at a batch.
// Errors: those of read_from(), and bad_data that names a column that is not there or cannot be read.
class CsvLines {
 public:
  static Result<CsvLines> open(ArrowArrayStream&, const std::optional<std::vector<std::string>>& columns);
  CsvLines(CsvLines&&) noexcept;
  ~CsvLines();

  const std::string& header() const;
  // The next lines, about as many as a pipe holds; none at the end. Valid until the next call.
  Result<std::string_view> next();

 private:
  struct Inside;
  explicit CsvLines(std::unique_ptr<Inside>);
  std::unique_ptr<Inside> inside_;
};

// The columns that the job reads, by name; empty if it reads all: a perturbation gives the others back as they are.
Result<std::optional<std::vector<std::string>>> columns_read(const Job&);

// ---- Plan, check, run: counts per series and slot, means per place and slot, or one series of its owner. ----

using engine::RunOptions;

using AnyPlan = std::variant<engine::Planned, engine::MeansPlanned, engine::PerturbPlanned>;
using AnyRelease = std::variant<report::Published, report::MeansPublished, engine::PerturbedRelease>;

// What would be released by which mechanism, with which noise, at which price. No data, no ledger, no file is written.
Result<AnyPlan> make_plan(const Job&);

struct Check {
  AnyPlan plan;
  ledger::View budget;                          // as it stands
  ledger::Cost cost;                            // of the debit
  std::optional<engine::EarlierDebit> earlier;  // of the same job
  ledger::Room room;                            // what one debit takes of the budget, and how many would fit
  std::optional<engine::DataSeen> seen;         // if the data was read: private, for the owner alone
};
// Whether run() would get as far as the data: checks job, columns, outputs and budget. No debit. With `read_data` the
// rows are read and forgotten, so that errors in them are found before they cost anything.
Result<Check> check(const Job&, const RunOptions& = {}, bool read_data = false);

// Plans, debits, reads, draws, and writes the outputs that the job names. An error after the debit says what became of
// it. With a seed no ledger is touched and everything is marked as not private.
Result<AnyRelease> run(const Job&, const RunOptions& = {});
// Emits the release of a debit anew: no debit, no data.
Result<AnyRelease> release_again(const Job&, const std::string& debit, const RunOptions& = {});

const Guarantee& guarantee_of(const AnyPlan&);
const Guarantee& guarantee_of(const AnyRelease&);
// Empty if the release is not private.
const std::optional<ledger::DebitReference>& debit_of(const AnyRelease&);
// The documents, as the program writes them.
std::string to_csv(const AnyRelease&);
std::string to_json(const AnyRelease&);
std::string to_html(const AnyRelease&);
// The rows of the CSV as an Arrow stream of one record batch: names as large_utf8, times as timestamp[ms, zone of the
// slots], or date32 where slots are whole days, values as double, null where nothing is published, sampled as bool; of
// a perturbed series every column is large_utf8. The stream owns its rows; whoever takes it releases it. On an error
// nothing is written to `out`: usage, if the rows of a perturbed series left at once.
Result<void> to_arrow(const AnyRelease&, ArrowArrayStream* out);

// ---- Live: counts that are published step by step, as rows are pushed. ----

using engine::close_live;
using engine::live_status;
using engine::LiveOptions;
using engine::LiveStanding;

struct PublishedStep {
  std::string series;  // empty for one without a name
  std::string time;    // when the slot begins, as in the CSV: "2026-03-01T05:00:00+01:00", "2026-03-01"
  double value = 0, lower = 0, upper = 0;
  bool sampled = false;  // whether the mechanism measured this step
  std::string mark;      // of a rehearsal: that it is not private
};
using PublishedSteps = std::vector<PublishedStep>;

// One release under one debit. A step is durable, with the questions of the debit that it used, before anybody sees it.
// After a kill, open the session again and push again the rows of the steps after the last published one: no question
// is asked twice, and the guarantee is that of one run. The same holds after an error of any kind but usage or
// bad_data: it ends the session, and output.csv has every step that was published.
class LiveSession {
 public:
  // Opens the release of the job, which takes a debit, or resumes it. The job's source is of kind memory, with the
  // columns of the rows that will be pushed; it needs [live] with a name, and output.csv, the file that grows.
  static Result<LiveSession> open(Job, LiveOptions = {});
  LiveSession(LiveSession&&) noexcept;
  LiveSession& operator=(LiveSession&&) noexcept;
  ~LiveSession();

  // Steps that were worked out before a crash and that nobody has seen yet.
  const PublishedSteps& caught_up() const;
  // Takes rows. A row that cannot be read is refused, with a message to LiveOptions::message, and the others count.
  // Where rows are counts, a row of a later step closes those before it. Where rows are people, nothing is published by
  // them: who is there must not decide what is published. Rows more than live.max_gap steps ahead are left out.
  Result<PublishedSteps> push(const Batch&);
  // The same from Arrow: one record batch, or the batches of a stream one after another. All are taken over and
  // released, also after an error; the schema is left to the caller.
  Result<PublishedSteps> push(const ArrowSchema&, ArrowArray&);
  Result<PublishedSteps> push(ArrowArrayStream&);
  // Publishes the steps that end by this time ("2026-03-01T05:00", by the clock of the slots), with or without rows.
  // Where rows are people the time must come from a clock, never from the rows. A time too far ahead (live.max_gap) is
  // refused.
  Result<PublishedSteps> publish_until(const std::string& time);
  // The same by the system's clock, if the job says clock = "system". Empty if no step is over.
  Result<PublishedSteps> publish_due();
  // Writes the outputs that are written whole. The release stays open for the next session, unless all steps of its
  // span are published. Nothing can be pushed after it. If it is not called, only those outputs are missing.
  Result<LiveStanding> end();
  // Steps of this session as an Arrow stream, with the columns that to_arrow() gives to a release of counts.
  Result<void> to_arrow(const PublishedSteps&, ArrowArrayStream* out) const;

 private:
  struct Inside;
  struct Form {  // of its lines
    bool named = false, days = false;
    std::string zone, mark;
  };
  Form form() const;
  explicit LiveSession(std::unique_ptr<Inside>);
  std::unique_ptr<Inside> inside_;
};

// ---- Train and forecast: jobs with a section [train]. docs/forecasting.md ----
// This library trains and runs sign_lags; a model that is a network is refused, since it needs libtorch.

using engine::plan_training;       // from public facts; engine::check_training() compares with budget and data
using training::forecast_release;  // from a published release, at no cost
using training::ForecastRequest;
using training::run_backtest;          // how good a model would be, for the owner of the data alone
using training::run_forecast;          // from a stored model and a history
using training::run_private_forecast;  // the same, where the history gets noise first, for a debit
using training::run_training;          // plans, debits, reads, draws, and writes the outputs that the job names
using training::train_again;           // emits the model of a debit anew
using training::TrainOptions;

// ---- Events: what happened, apart from what it cost. docs/accounting.md has every event. ----

using accounting::calibrate;
using accounting::delta_at;
using accounting::epsilon_at;
using accounting::Event;
using accounting::max_count;

// {"event": "gaussian", "noise_multiplier": 2, "count": 1000}
Result<Event> parse_event(std::string_view json);
// The same without its noise, for calibrate().
Result<Event> parse_open_event(std::string_view json);
std::string to_text(const Event&);

// ε at the same δ by other accountants, for comparison; empty where one has no answer. `black_box`: the least that
// structured_subsampling would cost if its windows were pooled.
struct OtherPrices {
  std::optional<double> renyi, zcdp, black_box;
};
Result<OtherPrices> other_prices(const Event&, Delta);

// ---- The ledger: budgets that last. docs/ledger.md ----

using ledger::DatasetRequest;
using ledger::DatasetWords;
using ledger::Ledger;

// At a path or a URL, or the user's own if empty: as in RunOptions::ledger.
Result<Ledger> open_ledger(const std::string& where = "", ledger::Options = {});

// A new dataset with its budget, in a ledger that is created if there is none. Words that are refused create nothing,
// and so does a name that a file beside the ledger knows: what once existed must not begin anew.
Result<ledger::Dataset> create_dataset(const DatasetWords&, const std::string& where = "", ledger::Options = {});

// What contradicts a release: first what is wrong with the chain of its dataset, or a row that is missing or another;
// if nothing is, what its debit contradicts (engine::held_against). `tied`: the ledger says what was released.
struct ReleaseHeld {
  std::vector<ledger::Finding> findings;
  bool tied = false;
};
Result<ReleaseHeld> held_against(const engine::ReleaseClaims&, Ledger&);

// The digest of a release JSON that this key has signed. Errors: storage if it has not, bad_data if it is no release.
Result<std::string> check_signature(std::string_view release_json, const ledger::PublicKey&);

// ---- For whole programs. ----

// Sets what is called with what is waited for ("the lock of the ledger 'x'"), on a thread of its own, once that takes
// longer than a few seconds. Nothing unless set.
void on_waiting(void (*notice)(std::string_view what));
// Says that the clock is right, however far it is ahead of the last row of a budget that renews: for this process, and
// for those that it starts.
void trust_clock();

}  // namespace chronoveil
