// Sums that end at a maximum: min(maximum, sum), whatever the order and however large the sum. Until the end,
// maximum + 1 stands for everything above the maximum, so that clamped sums can be counted.
//   Edges   two sums that differ by d before clamping differ by at most d after it
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace chronoveil::bound {

// a + b for a, b >= 0, at most `most`.
constexpr std::int64_t add_up_to(std::int64_t most, std::int64_t a, std::int64_t b) {
  return b >= most - a ? most : a + b;
}

class Counts {
 public:
  // `maximum` below 2^63 - 1.
  Counts(std::int64_t cells, std::int64_t maximum) : sums_(static_cast<std::size_t>(cells)), maximum_(maximum) {}

  void add(std::uint32_t cell, std::int64_t amount) { sums_[cell] = add_up_to(maximum_ + 1, sums_[cell], amount); }
  void prefetch(std::uint32_t cell) const { __builtin_prefetch(&sums_[cell], 1); }

  // Gives the clamped sums away and adds to `clamped` how many were above the maximum.
  std::vector<std::int64_t> take(std::int64_t& clamped) && {
    for (std::int64_t& sum : sums_) {
      if (sum > maximum_) {
        sum = maximum_;
        ++clamped;
      }
    }
    return std::move(sums_);
  }

 private:
  std::vector<std::int64_t> sums_;
  std::int64_t maximum_;
};

}  // namespace chronoveil::bound
