// Puts any way of drawing windows to the test against the law of a scheme. The sampler must pass, its broken twins must
// not.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "chronoveil/forecasting/sampling.h"

namespace chronoveil::forecasting {

struct SamplingLaw {
  SamplingScheme scheme;
  WindowShape shape;
  std::vector<std::int64_t> lengths;  // at most 10 series of at most 10 windows each: all subsets are counted
};

using DrawStep = std::function<std::vector<Window>(std::int64_t step)>;

// Empty when steps 0, 1, ... follow the law and are independent, else the names of the checks that failed:
//   range      a series or a window that does not exist
//   group      series that cannot be in this step, or too many or too few of them
//   repeated   more windows of a series than it may have, or one twice under Poisson
//   series     how often each set of series has windows, no series at all included
//   empty      how often a step has no windows
//   windows    how often each window, and each pair or set of windows, of a series is drawn
//   between    windows of two series in one step
//   lag        a step and the next in which the same series may be drawn
// Every check alone rejects the true law with probability noise::kLevel at most.
std::string complaints(const SamplingLaw&, const DrawStep&, std::int64_t steps);

}  // namespace chronoveil::forecasting
