// The circular Gaussian filter of time subsampling, in fixed point: the accountant prices exactly the integers that a
// mechanism multiplies with.
#pragma once

#include <cstdint>
#include <vector>

namespace chronoveil::accounting {

// A coefficient k stands for k / 2^50: fine enough for some twelve digits of the real filter.
inline constexpr int kFilterBits = 50;

// h_t ∝ exp(−½(d_t/width)²), d_t = T/2 − |t − T/2| the circular distance, t = 0..T−1; rounded toward zero after
// normalising, so that the sum of all coefficients, the ℓ1 norm of every row, is at most 1 (2^50).
std::vector<std::int64_t> filter_kernel(std::int64_t length, double width);

// What one person who changes I steps by at most 1 can change after the filter, in any position.
struct FilterReach {
  double energy = 0;  // S: the largest ‖Ad‖² over d with I ones, a contiguous block for a symmetric unimodal kernel
  double highest = 0;  // c: the largest (Ad)_t²; both rounded up
};
FilterReach filter_reach(const std::vector<std::int64_t>& kernel, std::int64_t participation);

}  // namespace chronoveil::accounting
