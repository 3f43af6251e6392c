// Draws from a distribution with integer weights by one table look-up, exactly [Walker77, Vose91].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace chronoveil::noise {

// With `weights` of 2^columns_log2 outcomes that add up to 2^(columns_log2 + 16), the outcome for a uniform column c
// and a uniform 16-bit coin is c when coin < threshold, else other; its probability is exactly its weight over the
// total.
struct AliasColumn {
  std::uint16_t threshold;
  std::uint16_t other;
};
inline constexpr unsigned kAliasCoinBits = 16;

// Precondition: the weights add up to weights.size() << kAliasCoinBits, and there are at most 2^16 of them.
std::vector<AliasColumn> make_alias_table(std::span<const std::uint64_t> weights);

}  // namespace chronoveil::noise
