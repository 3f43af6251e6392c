// A job file: what to read, what is public, what is protected, what to write. See docs/jobs.md for every key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/base/place_grid.h"
#include "chronoveil/bound/duplicates.h"
#include "chronoveil/data/source_spec.h"
#include "chronoveil/data/time/slots.h"
#include "chronoveil/forecasting/choices.h"
#include "chronoveil/forecasting/model_config.h"
#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::engine {

// [live]: a release that publishes each step as it comes.
struct LiveSpec {
  // Who says which steps are over, where rows are people: --until at each start, or the system's clock.
  enum class Clock { until, system };
  bool given = false;                   // the job has the section: it is meant for `live`
  std::string name;                     // of the release; the job file's own name without its ending unless given
  bool continues = false;               // after = "continue": goes on with the next span, and a new debit
  std::optional<std::int64_t> max_gap;  // what is further ahead is refused: a clock that jumped
  Clock clock = Clock::until;
  std::int64_t wait = 60'000;  // of the system's clock: milliseconds after its end in which rows of a step still count
};

// [means] and [places]: means of a value per place and slot, instead of counts per series and slot.
struct MeansSpec {
  bool given = false;           // the job has the section [means]
  double lower = 0, upper = 0;  // public bounds of a value; what is outside is clamped
  bool counts_public = true;    // who was where and when, with how many records, is public: it is not protected
  std::optional<std::int64_t> max_cells;    // cells (place and slot) of a person; absent: every one
  std::optional<std::int64_t> max_records;  // of a person in one cell
  std::int64_t sparse_below = 1;            // cells with fewer are not published
  std::optional<std::int64_t> registered;   // everybody who may be there, for registered_mean
  std::optional<PlaceGridSpec> grid;        // [places]: where longitude and latitude are; else the keys are places
  std::vector<std::uint32_t> counts;        // [plan] counts: records of each person in a typical cell, public
  std::string counts_path;                  // their file, when they come from one
  std::optional<std::int64_t> users;        // [plan] users: people in a typical cell, public
};

// [perturb]: one series of its owner, whose values move in time, or for comparison are changed in place.
struct PerturbSpec {
  bool given = false;                  // the job has the section [perturb], or privacy.window
  std::vector<std::string> columns;    // that are perturbed; empty: every one but the times and what is kept
  std::vector<std::string> keep;       // public; they stay in place with the times
  bool independent = false;            // each column on its own, instead of all of a row together
  bool times_move = false;             // the view: rows keep their values and get new times
  bool has_times = true;               // there is a column of times
  bool stream = false;                 // rows leave while others still come; standard input does where it can
  std::optional<std::int64_t> window;  // privacy.window
  std::optional<std::int64_t> length;  // of unit user: the public number of rows
  std::optional<double> lower, upper;
  std::vector<std::string> categories;
  std::int64_t average = 0;  // steps of the moving averages in the internal report; the window unless given
  std::string internal;      // output.internal: a report for the owner alone
};

// [train]: a forecasting model that learns from the series, instead of a release of them.
struct TrainSpec {
  enum class Optimiser { adam, sgd };
  struct Span {  // from the public file: as it is written there
    std::string series, start, end;
  };
  bool given = false;                 // the job has the section [train]
  forecasting::ModelConfig model;     // channels and covariates follow from the rest
  bool lags_given = false;            // else those that are usual for the slots
  std::vector<std::string> channels;  // columns that one model reads together: train.channels, or source.value
  forecasting::TopLevel top = forecasting::TopLevel::without_replacement;
  forecasting::BottomLevel bottom = forecasting::BottomLevel::with_replacement;
  std::optional<std::int64_t> batch_size;  // Λ; absent: 128, or less where there are fewer series
  std::int64_t windows_per_series = 1;     // λ
  std::optional<double> noise_multiplier;  // σ; one of σ and steps, the other follows from (ε, δ)
  std::optional<std::int64_t> steps;
  double clip = 1e-4;  // C
  Optimiser optimiser = Optimiser::adam;
  double learning_rate = 1e-3;
  double weight_decay = 1e-8;
  double average = 0;  // decay of the moving average of iterates that is released; 0: the last iterate
  double context_noise = 0, label_noise = 0, noise_unit = 1;  // σ_C, σ_F, v
  std::optional<double> lower, upper;  // public bounds, both or neither: values are clamped before windows are cut
  forecasting::Fill fill = forecasting::Fill::window_mean;
  bool calendar = true;
  std::int64_t spare_steps = 0;
  std::int64_t checkpoint_every = 200;
  std::int64_t initial_seed = 1;
  std::vector<Span> spans;
  std::string spans_path;
  std::string output;  // output.model
};

struct Job {
  std::string path;         // of the job file; relative paths in it are relative to its folder
  std::string dataset;      // [dataset] name
  std::string purpose;      // [dataset] purpose
  data::SourceSpec source;  // [source]
  bound::Duplicates duplicates = bound::Duplicates::refuse;
  data::SlotSpec slots;           // [slots]
  std::vector<std::string> keys;  // [series] or [places]: list (a file, a key a line) or keys (an array); empty: one
  std::string key_list;           // the file of the list; empty without one
  bool disjoint = false;          // [series] disjoint: everybody is in one series only (declared)
  Unit unit = Unit::user;         // [privacy]
  Relation relation = Relation::add_remove;
  std::int64_t width = 1;
  std::optional<std::int64_t> max_steps;  // absent: every step
  std::int64_t max_per_slot = 1;
  std::optional<std::int64_t> maximum;
  double epsilon = 0;
  double delta = 0;
  accounting::Analysis analysis = accounting::Analysis::certified;
  std::string mechanism = "auto";  // [mechanism] name, the rest are its parameters
  mechanisms::Parameters parameters;
  std::string public_sample;  // [plan] sample: a release CSV or counts that the caller declares public
  bool non_negative = true;   // [output] post-processing
  bool integers = false;
  double level = 0.95;
  std::string title;            // [output]
  bool keeps_formulas = false;  // [output] formulas = "keep": keys may begin like one in a spreadsheet
  std::string csv, json, report;
  LiveSpec live;
  MeansSpec means;
  PerturbSpec perturb;
  TrainSpec train;
};

// Whether a row is somebody, or something that somebody did, rather than a count that the owner declares.
inline bool rows_are_people(const Job& job) { return job.source.user || !job.source.value; }

// Reads and checks everything that needs no data. Errors are usage (a key, its value, what would be valid) or storage.
Result<Job> read_job(const std::string& path);
Result<Job> parse_job(std::string_view toml, const std::string& path);

// What holds for every job, also for one that was not read from a file: caps of at least 1, ε > 0, a known mechanism, a
// list of keys wherever there is a column of series. Errors name the key as a job file spells it: "privacy.max_steps".
Result<void> check_values(const Job&);

// That no output of the job is this file, under whatever name. Where one is, the error says `what` the file is:
// "output.csv: 'trips.csv' is the source; it would be overwritten".
Result<void> check_spared(const Job&, std::string_view what, const std::string& path);
// None of its outputs lies in that folder or below it.
Result<void> check_outside(const Job&, std::string_view what, const std::string& folder);

// A list of public keys, one a line: a byte order mark and CRLF are tolerated, empty lines skipped, duplicates and
// what is not UTF-8 refused.
Result<std::vector<std::string>> read_key_list(const std::string& path, const std::string& key_of_list = "series.list");

// What the job asks of which data, key by key as a job file spells them: everything but the outputs, their
// post-processing and the title. No passwords. Columns that are not named are left out; other keys that are not in a
// job have the value of their default.
using Facts = std::vector<std::pair<std::string, std::string>>;
Facts facts_of(const Job&);

// Sixteen hexadecimal digits that are the same for jobs with the same facts. A second debit of the same job is
// recognised by it.
std::string digest_of(const Facts&);
std::string digest_of(const Job&);

}  // namespace chronoveil::engine
