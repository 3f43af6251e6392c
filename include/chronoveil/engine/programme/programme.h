// A programme: releases that are known in advance, such as a year of weekly counts and four quarterly maps. They are
// priced together, composed tightly, and debited once; each run then takes its slot of that debit by itself.
//
// Why this is sound. All releases are priced as a sequence over the same people, whatever spans or files they read, so
// it does not matter what varies from run to run. Every slot has its event, fixed before the first output; what runs in
// it must be dominated by that event under the same unit and relation (Ledger::open_slot_for). Which slot is taken, and
// what is asked in it, may depend on earlier outputs: mechanisms with fixed prices compose however they are interleaved
// [Lyu22].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/engine/job/job.h"
#include "chronoveil/ledger/ledger.h"

namespace chronoveil::engine {

// What a debit of this job would take of its dataset's budget, and how many of it would fit. No debit, no data.
struct JobRoom {
  ledger::View budget;
  ledger::Room room;
};
Result<JobRoom> room_of_job(const Job&, const std::string& ledger);

struct ProgrammeRelease {
  std::string name;  // the job file, as the programme has it
  Job job;
  std::int64_t times = 1;
  std::vector<std::string> varies;  // the keys of the job that may differ from run to run
  std::optional<double> value;      // a public guess of a typical value, for errors relative to it
};

struct Programme {
  std::string path;
  std::string dataset;
  std::string purpose;
  // The δ that all of it is priced at where a filter adds up ε and δ: unless given, that of the jobs, added up.
  std::optional<double> delta;
  std::vector<ProgrammeRelease> releases;
};

// The keys of a job that may vary: what is read and which span. Others decide what is drawn.
const std::vector<std::string>& keys_that_may_vary();

// The most slots that one programme may reserve.
inline constexpr std::int64_t kMostSlots = 10'000;

// TOML: dataset, purpose and delta, and for each [[release]] job (relative to the file), times, varies and value.
// Refused: jobs of another dataset; live ones, which make a debit for each span by themselves; a release of several
// times that does not say what varies; two releases that one job could be meant by.
Result<Programme> read_programme(const std::string& path);

struct PricedRelease {
  std::string name;
  std::int64_t times = 1;
  std::string mechanism, noise;
  std::optional<double> error;  // expected, absolute, of one value, by the noise alone; empty: not known from the plan
  double epsilon = 0, delta = 0;  // of one release, as its job asks
};

// What a programme costs.
struct PricedProgramme {
  std::vector<PricedRelease> releases;
  ledger::View budget;                    // as it stands
  double epsilon = 0;                     // of everything, composed tightly at the dataset's δ
  double epsilon_sum = 0, delta_sum = 0;  // what the jobs ask, added up
  ledger::Room together;                  // as one debit
  double share_apart = 0;                 // of the budget, debit by debit
  bool fits_apart = false;
};
// No debit, no data.
Result<PricedProgramme> price_programme(const Programme&, const std::string& ledger);

// The same where the dataset is not there yet, and the command that creates one which holds this programme alone.
struct ProgrammeTotal {
  std::vector<PricedRelease> releases;
  double epsilon = 0, delta = 0;          // of everything, composed tightly
  double epsilon_sum = 0, delta_sum = 0;  // what the jobs ask, added up
  std::string create;
};
Result<ProgrammeTotal> total_of(const Programme&, const std::string& ledger);
// Whether the ledger has the programme's dataset. Makes no ledger where none is.
Result<bool> has_dataset(const Programme&, const std::string& ledger);

// Makes the debit, with one slot for each run. A second debit of the same programme is refused unless `confirmed`.
Result<ledger::DebitReference> reserve_programme(const Programme&, const std::string& ledger, bool confirmed = false);

// What is made equal: the expected error of a value, or that error over the typical value.
enum class EqualError { absolute, relative };

struct SuggestedRelease {
  std::string name, mechanism;
  std::int64_t times = 1;
  double epsilon = 0;           // for its job, to three digits; its own where the error is not known
  std::optional<double> error;  // absolute; empty: not known from the plan
};
struct Suggestion {
  std::vector<SuggestedRelease> releases;
  double epsilon = 0;  // of everything, composed tightly at the δ; never above what was given
};
// Splits (ε, δ) among the releases of a programme so that the error is the same in each, as nearly as three digits of ε
// allow, and as small as (ε, δ) lets it be. A release whose error no plan knows, such as a model, keeps the ε of its
// job. What all protect together is what the release that protects least protects; every price is for that. No ledger,
// no data. Refused: a programme in which no error is known.
Result<Suggestion> suggest_split(const Programme&, Epsilon, Delta, EqualError = EqualError::absolute);

}  // namespace chronoveil::engine
