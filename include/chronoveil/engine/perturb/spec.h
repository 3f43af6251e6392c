// [perturb]: one series of its owner, whose values move in time, or for comparison are changed in place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chronoveil::engine {

struct PerturbSpec {
  std::vector<std::string> columns;    // that are perturbed; empty: all but the times and what is kept
  std::vector<std::string> keep;       // public; they stay in place with the times
  bool independent = false;            // each column on its own, instead of all of a row together
  bool times_move = false;             // rows keep their values and get new times
  bool has_times = true;               // there is a column of times
  bool stream = false;                 // rows leave while others still come; standard input does so where it can
  std::optional<std::int64_t> window;  // privacy.window
  std::optional<std::int64_t> length;  // the public number of rows, for unit user
  std::optional<double> lower, upper;
  std::vector<std::string> categories;
  std::int64_t average = 0;  // steps per moving average in the internal report; by default the window
  std::string internal;      // output.internal: a report for the owner alone
};

}  // namespace chronoveil::engine
