// A choice with two weights: each of `heavy` things is e^ε times as likely as each of `light` ones, exactly, ε being
// the rational number that the double is.
//   Method  heavy things are proposed with the integer weight 2^t <= e^ε and kept, light ones with weight 1 and kept
//           with probability 2^t e^-ε, by an exact coin. At least one proposal in four is kept, whatever ε is; where t
//           is at its limit, 2^t <= 2^62 / heavy, light proposals are few instead
#pragma once

#include <cstdint>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/temporal/density_coin.h"

namespace chronoveil::temporal {

class TwoWeights {
 public:
  static constexpr double kSmallestEpsilon = 0x1p-30, kLargestEpsilon = 0x1p10;
  static constexpr std::int64_t kMostThings = std::int64_t{1} << 40;
  // Precondition: epsilon in [kSmallestEpsilon, kLargestEpsilon]; heavy in [1, kMostThings], light in [0, kMostThings].
  TwoWeights(double epsilon, std::int64_t heavy, std::int64_t light);

  // One of the heavy things, 0 to heavy - 1, or of the light ones, heavy to heavy + light - 1.
  std::int64_t operator()(BitSource&) const;

 private:
  std::int64_t heavy_;
  int doublings_;                     // t
  std::uint64_t heavy_weight_, all_;  // 2^t heavy, and light added
  DensityCoin keeps_light_;
};

}  // namespace chronoveil::temporal
