// A first job for a CSV, of counts, means, a perturbed series or a training, out of its header and a few answers, with
// a comment on every key.
//   Looks at  the header of the file alone, which is public; a row would be somebody's
//   Guesses   the delimiter from the header, the column of times by its name, their format and the slots by that name
//             too, and the zone of this machine. A guess is written into the job, where its owner sees it
//   Asks      for what only data could tell, or what somebody must answer for: whose a row is, the span, the public
//             keys, how often one person counts, what is public anyway
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/engine/job/options.h"

namespace chronoveil::engine {

struct CsvHeader {
  std::string path;
  char delimiter = ',';
  std::vector<std::string> columns;
};
// Errors are those of a source, and name its key.
Result<CsvHeader> read_csv_header(const std::string& path, const GivenKeys& given);

// Their names with commas between them, the first ones of many.
std::string names_of_columns(const CsvHeader&);

// As an answer: the job does without the key.
inline constexpr std::string_view kWithout = "-";

struct Question {
  std::string key;      // "source.time"
  std::string meaning;  // in words, from the table of keys
  std::string guess;    // the answer unless there is another; empty: there must be one
  bool may_be_without = false;
};
// The first key that is not given yet and that a job of this file says; later ones depend on its answer.
std::optional<Question> next_question(const CsvHeader&, const GivenKeys& given, const JobKind& = SeriesSpec());

// Whether the key can have that answer, as far as one answer tells: a column that is there, a zone, a format of times.
Result<void> check_answer(const CsvHeader&, const std::string& key, const std::string& answer);

// The given keys and guesses for the rest. A usage error names every key that is missing and not guessed.
Result<GivenKeys> with_guesses(const CsvHeader&, GivenKeys given, const JobKind& = SeriesSpec());

struct FirstJob {
  std::string text;           // of the job file
  std::string create_budget;  // the command that makes its dataset
  std::string not_hidden;     // what such a budget makes public, where that is not plain; or empty
};
// The job that all answers make, to be written to `path`, checked as a job and against the header. Files that it reads
// are given as seen from here, its outputs as seen from the folder of the job.
Result<FirstJob> first_job(const CsvHeader&, const GivenKeys& answers, const std::string& path,
                           const JobKind& = SeriesSpec());

}  // namespace chronoveil::engine
