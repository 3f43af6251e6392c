// A coin of probability 2^t exp(-x / scale), exactly, x an integer and the scale the rational number that the double
// is. A uniform height is compared with precomputed bounds on 2^62 times the probability; between them, at most once in
// 2^30 draws, with as many bits as it takes (noise/acceptance.h).
#pragma once

#include <cstdint>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/noise/acceptance.h"

namespace chronoveil::temporal {

class DensityCoin {
 public:
  // Precondition: 2^t exp(-x / scale) <= 1, 0 <= t <= 62, 0 <= x < 2^62, scale >= 2^-40.
  DensityCoin(double scale, std::int64_t x, int t = 0);

  bool operator()(BitSource& bits) const {
    const std::uint64_t height = bits.next_u64() >> 2;
    if (height < least_) return true;
    if (height >= greatest_) return false;
    return settle(height, bits);
  }

 private:
  bool settle(std::uint64_t height, BitSource&) const;

  noise::Curve curve_;
  std::int64_t x_;
  int exponent_;  // 62 + t
  std::uint64_t least_, greatest_;
};

}  // namespace chronoveil::temporal
