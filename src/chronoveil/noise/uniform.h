// Uniform integers without modulo bias.
#pragma once

#include <cstdint>

#include "chronoveil/base/bit_source.h"

namespace chronoveil::noise {

__extension__ typedef unsigned __int128 Uint128;

// Uniform on {0, ..., bound - 1}; bound = 0 stands for 2^64. [Lemire19]: the high word of word * bound is uniform once
// the 2^64 mod bound low words that would favour some results are rejected.
inline std::uint64_t uniform_below(std::uint64_t bound, BitSource& bits) {
  if (bound == 0) return bits.next_u64();
  Uint128 product = static_cast<Uint128>(bits.next_u64()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) [[unlikely]] {
    const std::uint64_t rejected = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < rejected) product = static_cast<Uint128>(bits.next_u64()) * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

// Uniform on {first, ..., last}, any first <= last, the whole range of the type included.
inline std::int64_t uniform_between(std::int64_t first, std::int64_t last, BitSource& bits) {
  const auto low = static_cast<std::uint64_t>(first);
  return static_cast<std::int64_t>(low + uniform_below(static_cast<std::uint64_t>(last) - low + 1, bits));
}

}  // namespace chronoveil::noise
