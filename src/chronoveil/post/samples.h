// The measured steps of one series: all that post-processing ever sees of it.
#pragma once

#include <cstdint>
#include <span>

namespace chronoveil::post {

struct Samples {
  std::int64_t length = 0;              // T, of the series
  std::span<const std::int64_t> steps;  // ascending, each in [0, T)
  std::span<const double> values;       // as released, one per entry of `steps`
};

}  // namespace chronoveil::post
