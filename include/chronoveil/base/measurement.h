// What a mechanism measured, noise included, and what was made of it. Both are already private: everything that takes
// a Measurement or an Estimate is post-processing and cannot change the guarantee.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chronoveil {

enum class NoiseKind { laplace, gaussian };

// Series-major: all steps of the first series, then all of the second. What `values` holds (steps, Fourier
// coefficients, ...) is up to the mechanism that measures and reconstructs.
struct Measurement {
  std::vector<double> values;                     // grid points
  std::optional<std::vector<std::int64_t>> kept;  // the measured positions series * T + step, ascending; absent: all
};

// One value per step with its interval, series-major.
struct Estimate {
  std::vector<double> value;
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<std::uint8_t> sampled;  // 1 where the step itself was measured
};

}  // namespace chronoveil
