// Grid points as decimals, exactly and fast: k g with g = 2^e is a decimal of at most -e places.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chronoveil/noise/grid/grid.h"

namespace chronoveil::noise {

class GridDecimal {
 public:
  // Room for the longest: 2^63 2^1000 has 320 digits, 2^-1000 has 1000 places.
  static constexpr std::size_t kMaxSize = 1100;

  explicit GridDecimal(const Grid& grid) : log2_(grid.step_log2()) {}

  // Writes k g with as many places as it takes and no more (0, -3, 0.5, -0.00000095367431640625), at most kMaxSize
  // characters, and returns the end of what was written.
  char* write(std::int64_t k, char* out) const;

 private:
  int log2_;
};

}  // namespace chronoveil::noise
