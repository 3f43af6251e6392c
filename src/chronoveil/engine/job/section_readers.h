// Reads single values out of a section of a job file, with the checks that all sections share.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chronoveil/engine/job/table.h"

namespace chronoveil::engine {

// The path as seen from the job's folder; absolute paths and "-" stay what they are.
std::string beside(const std::string& job, const std::string& path);

// A path, made relative to the job's folder; "-" stays what it is.
Result<void> read_path(const Section&, std::string_view key, const std::string& job, std::string& into);

// A column: its name, or without a header its number, as text or as an integer.
Result<void> read_column(const Section&, std::string_view key, std::optional<std::string>& into);

// A word out of a closed list.
template <class T>
Result<void> read_word(const Section& section, std::string_view key,
                       const std::vector<std::pair<std::string_view, T>>& words, T& into) {
  if (!section.has(key)) return {};
  std::string word, all;
  CV_CHECK(section.read(key, word));
  for (const auto& [name, value] : words) {
    if (name == word) {
      into = value;
      return {};
    }
    all.append(all.empty() ? "" : ", ").append(name);
  }
  return invalid(section.name_of(key), word, "it must be one of " + all);
}

// Steps in which one person counts: a whole number, or the word that says that nothing bounds them.
inline constexpr std::string_view kAll = "all";
Result<void> read_steps(const Section&, std::string_view key, std::optional<std::int64_t>& into);

// Values that are no counts are read from long files alone.
inline std::string how_to_make_long(const std::string& file = "in.csv", const std::string& time = "time") {
  return "this line makes rows of a series, a time and a value (DuckDB: pip install duckdb-cli): duckdb -c \"COPY "
         "(UNPIVOT (FROM '" +
         file + "') ON COLUMNS(* EXCLUDE " + time + ") INTO NAME series VALUE value) TO 'long.csv'\"";
}

// What max_steps caps, and where a number for it comes from.
inline constexpr std::string_view kHowToCapSteps =
    "it caps in how many slots, over all series, one person counts; find a number from public knowledge, never from "
    "the data: how many slots a person can plausibly be in, for example the days of the span times trips per day; or "
    "let "
    "chronoveil look find one in the data, under a small debit; the word \"all\" says that nothing bounds it, and "
    "costs "
    "the most noise";

// That it is a whole number between 1 and `most`.
Result<void> at_least_one(std::string_view key, std::int64_t value, std::int64_t most);

// Refuses keys of a section that the kind of job has no use for: ignored in silence, they would look obeyed.
Result<void> refuse(const JobTable&, std::string_view section, std::initializer_list<std::string_view> keys,
                    std::string_view instead);

}  // namespace chronoveil::engine
