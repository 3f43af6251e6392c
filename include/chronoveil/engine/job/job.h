// A job: what to read, what is public, what is protected, what to write. Its common parts, and one of the kinds of
// release. See docs/jobs.md for every key.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/data/source_spec.h"
#include "chronoveil/data/time/slots.h"
#include "chronoveil/engine/live/spec.h"
#include "chronoveil/engine/means/spec.h"
#include "chronoveil/engine/perturb/spec.h"
#include "chronoveil/engine/places/spec.h"
#include "chronoveil/engine/series/spec.h"
#include "chronoveil/engine/train/spec.h"
#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::engine {

// max_steps = "all": its owner says that nothing bounds in how many steps a person is.
inline constexpr std::int64_t kAllSteps = std::numeric_limits<std::int64_t>::max();

using JobKind = std::variant<SeriesSpec, LiveSpec, MeansSpec, PerturbSpec, TrainSpec>;

struct Job {
  std::string path;               // of the job file; relative paths in it are relative to its folder
  std::string dataset;            // [dataset] name
  std::string purpose;            // [dataset] purpose
  data::SourceSpec source;        // [source]
  data::SlotSpec slots;           // [slots]
  std::vector<std::string> keys;  // [series] or [places]: list (a file, a key per line) or keys (an array); empty: one
  std::string key_list;           // the file of the list; empty without one
  PlacesSpec places;              // [places]: what makes keys of points
  Unit unit = Unit::user;         // [privacy]
  Relation relation = Relation::add_remove;
  std::int64_t width = 1;
  std::optional<std::int64_t> max_steps;  // kAllSteps: every step, as where it is absent
  std::string caps_from;                  // the debit of the look that chose the caps; empty: none did
  double epsilon = 0;
  double delta = 0;
  accounting::Analysis analysis = accounting::Analysis::certified;
  std::string mechanism = "auto";  // [mechanism] name, the rest are its parameters
  mechanisms::Parameters parameters;
  double level = 0.95;  // [output]: of the intervals
  std::string title;
  bool keeps_formulas = false;  // formulas = "keep": keys may begin like one in a spreadsheet
  std::string csv, json, report;
  std::string chart;           // an SVG or a PNG; not of a training
  std::string geojson;         // of counts and means on a grid or by areas: their cells, for maps
  bool handed_back = false;    // to a program that takes the release itself: it needs no output then
  bool may_lack_caps = false;  // for a look, which finds them
  JobKind kind;

  template <class Spec>
  bool is() const {
    return std::holds_alternative<Spec>(kind);
  }
  // The spec of a job of that kind. A live job is one of counts, too.
  const SeriesSpec& series() const { return is<LiveSpec>() ? live() : std::get<SeriesSpec>(kind); }
  const LiveSpec& live() const { return std::get<LiveSpec>(kind); }
  const MeansSpec& means() const { return std::get<MeansSpec>(kind); }
  const PerturbSpec& perturb() const { return std::get<PerturbSpec>(kind); }
  const TrainSpec& train() const { return std::get<TrainSpec>(kind); }
  SeriesSpec& series() { return is<LiveSpec>() ? live() : std::get<SeriesSpec>(kind); }
  LiveSpec& live() { return std::get<LiveSpec>(kind); }
  MeansSpec& means() { return std::get<MeansSpec>(kind); }
  PerturbSpec& perturb() { return std::get<PerturbSpec>(kind); }
  TrainSpec& train() { return std::get<TrainSpec>(kind); }
};

inline bool is_of_counts(const Job& job) { return job.is<SeriesSpec>() || job.is<LiveSpec>(); }

// Whether a row is a person or a person's record, rather than a count that the owner declares.
inline bool rows_are_people(const Job& job) {
  return job.source.user || (!job.source.value && job.source.wide.empty());
}

// Reads and checks everything that needs no data. Errors are usage (a key, its value, what would be valid) or storage.
Result<Job> read_job(const std::string& path);
Result<Job> parse_job(std::string_view toml, const std::string& path);
// For a look, which finds caps that a release needs: they may be missing.
Result<Job> read_job_to_look(const std::string& path);

// Makes a job of counts live, as its [live] section says; a missing section counts as an empty one. Refused (usage) for
// other kinds.
Result<Job> to_live(Job);

// What holds for every job, also for one that was not read from a file: caps of at least 1, ε > 0, a known mechanism, a
// list of keys wherever there is a column of series. Errors name the key as a job file spells it: "privacy.max_steps".
Result<void> check_values(const Job&);

// Refuses outputs that are this file, under whatever name. The error says `what` the file is: "output.csv: 'trips.csv'
// is the source; it would be overwritten".
Result<void> check_spared(const Job&, std::string_view what, const std::string& path);
// Refuses outputs in that folder or below it.
Result<void> check_outside(const Job&, std::string_view what, const std::string& folder);

// A list of public keys, one per line: a byte order mark and CRLF are tolerated, empty lines skipped, duplicates and
// what is not UTF-8 refused.
Result<std::vector<std::string>> read_key_list(const std::string& path, const std::string& key_of_list = "series.list");

// What the job asks of which data, by key as a job file spells it: everything but the outputs, their post-processing
// and the title. No passwords. Absent columns are left out; other absent keys have their default value.
using Facts = std::vector<std::pair<std::string, std::string>>;
Facts facts_of(const Job&);

// Sixteen hexadecimal digits that are the same for jobs with the same facts. They reveal a second debit of the same
// job.
std::string digest_of(const Facts&);
std::string digest_of(const Job&);
// The same for jobs that differ in nothing but these keys.
std::string digest_without(Facts, const std::vector<std::string>& keys);

}  // namespace chronoveil::engine
