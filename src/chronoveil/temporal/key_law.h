// The law of the noise X in the keys t + X of noisy_sort.
#pragma once

#include <cstdint>
#include <optional>

#include "chronoveil/base/result.h"

namespace chronoveil::temporal {

enum class KeyLaw { laplace, staircase };

inline constexpr std::int64_t kLargestShift = std::int64_t{1} << 40;

struct NoisySortLaw {
  std::int64_t window = 0;  // k, 2 to kLargestWindow
  double epsilon = 0;       // such that the scales 2(k-1)/ε and 2/ε are between 2^-40 and 2^40
  KeyLaw law = KeyLaw::laplace;
  std::optional<std::int64_t> max_shift;               // m, 1 to kLargestShift
  std::optional<std::int64_t> plateau = std::nullopt;  // r, 1 to k - 1, of a staircase; else staircase_plateau(k, ε)
};
// Errors name the parameter.
Result<void> check(const NoisySortLaw&);

}  // namespace chronoveil::temporal
