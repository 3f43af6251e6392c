// Random subsets of {0, ..., n - 1}, in ascending order.
#pragma once

#include <cstdint>
#include <vector>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/result.h"

namespace chronoveil::noise {

// Each index on its own with probability `rate`, exactly the double's. Refused: n < 0, rate outside [0, 1].
Result<std::vector<std::int64_t>> poisson_subset(std::int64_t n, double rate, BitSource&);

// The same with probability numerator / denominator, exactly that ratio. Refused: n < 0, denominator < 1, a numerator
// outside [0, denominator].
Result<std::vector<std::int64_t>> poisson_subset(std::int64_t n, std::int64_t numerator, std::int64_t denominator,
                                                 BitSource&);

// Every subset of `size` indices is equally likely. Refused: n < 0, size outside [0, n].
Result<std::vector<std::int64_t>> fixed_size_subset(std::int64_t n, std::int64_t size, BitSource&);

}  // namespace chronoveil::noise
