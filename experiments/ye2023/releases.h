// One series released by one law of moving, with a seed, and what moving cost. The laws are run by the kernels that the
// program and devices run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/temporal/noisy_sorting.h"
#include "chronoveil/temporal/switching.h"
#include "chronoveil/temporal/threshold_dispatch.h"

namespace chronoveil::ye2023 {

using MovingLaw = std::variant<temporal::SwitchLaw, temporal::NoisySortLaw, temporal::ThresholdLaw>;
std::int64_t window_of(const MovingLaw&);

// What is released at each step: the step from which its value comes, or kEmpty.
inline constexpr std::int64_t kEmpty = -1;
struct Moved {
  std::vector<std::int64_t> from;
  std::int64_t missing = 0;  // values that were never released
};
Result<Moved> moved(const MovingLaw&, std::size_t steps, BitSource&);

// The values as they are released. An empty step repeats the value before it; empty ones at the very beginning take the
// first value that is released.
template <class Value>
std::vector<Value> rearranged(const std::vector<Value>& values, const Moved& moved) {
  std::size_t first = 0;
  while (first < moved.from.size() && moved.from[first] == kEmpty) ++first;
  std::vector<Value> released;
  released.reserve(moved.from.size());
  for (const std::int64_t from : moved.from) {
    if (from != kEmpty)
      released.push_back(values[static_cast<std::size_t>(from)]);
    else
      released.push_back(released.empty() ? values[static_cast<std::size_t>(moved.from[first])] : released.back());
  }
  return released;
}

// Cost per value: Σ|displacement| + k (missing + repeated + empty), over the number of values [Ye23]. No law here
// repeats a value. The standard error is that of the means of 100 blocks of steps (at least 100 values), since
// neighbouring steps depend on each other.
struct Cost {
  double mean = 0;
  double standard_error = 0;
};
Cost cost_of(const Moved&, std::int64_t window);

}  // namespace chronoveil::ye2023
