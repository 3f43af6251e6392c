// What a check saw in the data. Private: for the terminal of the owner alone, never for a file, an error or a log that
// others read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chronoveil::engine {

struct DataSeen {
  std::int64_t rows = 0;
  std::int64_t inside_span = 0;  // rows
  std::int64_t counted = 0;      // rows inside the span and of a listed key
  std::string first, last;       // times of rows, by the clock of the slots; of a perturbed series those of its first
                                 // and last row, as written there; empty: none are read, or there is no row
  // Of a job with a public list:
  std::int64_t listed = 0;            // keys; 0: there is no list
  std::int64_t matched = 0;           // those that have rows inside the span
  std::vector<std::string> unlisted;  // the first few keys of rows inside the span that are not in the list
  // Of a job that says whose a row is:
  std::optional<std::int64_t> people, people_over_caps;
  std::int64_t over_caps = 0;  // records, or amounts, that the caps leave out
  // Of a live release:
  std::optional<std::int64_t> files;  // in its folder
  std::int64_t refused = 0;           // rows of counts that it would refuse: too late, too early or twice
  std::string first_refused;          // which row is the first of them, and why
};

}  // namespace chronoveil::engine
