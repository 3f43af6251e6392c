// [live]: counts that are published step by step, as they come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "chronoveil/engine/series/spec.h"

namespace chronoveil::engine {

struct LiveSpec : SeriesSpec {
  // Who says which steps are over, where rows are people: --until at each start, or the system's clock.
  enum class Clock { until, system };
  std::string name;                     // of the release; by default the job file's name without its ending
  bool continues = false;               // after = "continue": goes on with the next span, and a new debit
  std::optional<std::int64_t> max_gap;  // in steps; a larger gap is refused, as of a clock that jumped
  Clock clock = Clock::until;
  std::int64_t wait = 60'000;  // of the system's clock: how long after its end, in ms, rows of a step count
  std::string rejects;  // a file of the rows that came too late or were corrected, for the owner alone; empty: none
};

}  // namespace chronoveil::engine
