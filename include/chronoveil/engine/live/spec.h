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
  std::string name;                     // of the release; the job file's own name without its ending unless given
  bool continues = false;               // after = "continue": goes on with the next span, and a new debit
  std::optional<std::int64_t> max_gap;  // what is further ahead is refused: a clock that jumped
  Clock clock = Clock::until;
  std::int64_t wait = 60'000;  // of the system's clock: milliseconds after its end in which rows of a step still count
};

}  // namespace chronoveil::engine
