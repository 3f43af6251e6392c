// [perturb]: one series of its owner, whose values move in time, or for comparison are changed in place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chronoveil::engine {

struct PerturbSpec {
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

}  // namespace chronoveil::engine
