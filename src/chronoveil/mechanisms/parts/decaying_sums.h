// C x of decaying_weights.h as the counts come, in integers: the memory of a running total.
//   Method    a buffer per series and exponential, s_j ← ⌊θ_j s_j⌋ + x_t after Σ_j ⌊ω_j s_j⌋ + x_t was given, all in
//             units of 2^-46; a missing count is 0
//   Rounding  What runs is no linear map, but every floor takes something away: a buffer is below what it stands for by
//             less than 1/(1 − θ_j) units (and by less than T), so a sum is below (C x)_t by at least 0 and less than
//               ρ = 2^-46 (d + Σ_j ω_j min(T, 1/(1 − θ_j)))
//             and two sums of neighbours are less than |(C x)_t − (C x')_t| + ρ apart. ρ is about 2^-46 times the
//             sum of the weights, and counts as part of the sensitivity.
//   Size      a buffer is below 2^53 · 10^6 · 2^46, so that nothing overflows 128 bits
#pragma once

#include <memory>

#include "chronoveil/mechanisms/live.h"
#include "chronoveil/mechanisms/parts/decaying_weights.h"

namespace chronoveil::mechanisms {

std::unique_ptr<CountMemory> decaying_sums(const DecayingWeights&, std::int64_t series);

// ρ, rounded up.
double rounding_of_sums(const DecayingWeights&, std::int64_t steps);

}  // namespace chronoveil::mechanisms
