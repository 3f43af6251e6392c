// Finds two quantiles of the array means privately, and releases the mean of the array means clamped between them
// [Gupta24, III-E].
//   Ranks     αK̄ and (1 − α)K̄. fixed_quantile: α = 1/10. epsilon_quantile: α = min(1/2, ceil(2/ε) / K̄), where ε is
//             the cell's share
//   Choice    of each among the whole steps x in {0, ..., U − 1}, with weight exp(−(share/4) |i(x) − rank| / 2), where
//             i(x) is the number of array means at or below x. With z_0 = 0, z_{K̄+1} = U and the sorted array means
//             between, the z_{i+1} − z_i steps from z_i on have i(x) = i: so interval i is chosen in proportion to its
//             length times exp(−(share/4) |i − rank| / 2), and one of its steps uniformly. New values of one user move
//             i(x) by at most 1, so it costs share/4; without the 1/2 it would cost twice that
//   Interval  [a, b], the two chosen steps in ascending order
//   Noise     Laplace with the other share/2 and the width b − a, over K̄
//   Published the choices without the 1/2, said to cost share/4 each: their price is as published, their event says 2 ×
//             share/2, and that is what a ledger charges
//   Edges     equal array means have no steps between them; a = b is released without noise
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chronoveil/mechanisms/cells/parts/chosen_interval.h"

namespace chronoveil::mechanisms {

const CellMechanism& fixed_quantile();
const CellMechanism& epsilon_quantile();

// A number of array means that need not be whole: numerator / denominator, exactly.
struct Rank {
  std::int64_t numerator = 0, denominator = 1;
};
struct Ranks {
  Rank low, high;
};
Ranks fixed_ranks(std::int64_t arrays);                  // K̄/10 and 9K̄/10
Ranks epsilon_ranks(std::int64_t arrays, double share);  // min(K̄/2, ceil(2/share)) and K̄ less that
Ranks ranks_of(const CellsPlan&, std::int64_t arrays);

// What a log weight loses per array mean between x and the rank: share/8, or share/4 as published.
double quantile_rate(const CellsPlan&);

// The intervals of equal i(x) that hold a step, ascending, exactly as measure() uses them.
std::vector<noise::WeightedInterval> quantile_intervals(std::span<const std::uint32_t> sorted_means, std::int64_t upper,
                                                        const Rank&, double rate);

}  // namespace chronoveil::mechanisms
