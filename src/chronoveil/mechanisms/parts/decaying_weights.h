// The weights of running totals. C is lower triangular and Toeplitz, C_ij = c_{i−j}, with a few decaying exponentials:
//     c_0 = 1,   c_k = Σ_j ω_j θ_j^(k−1),   j = 1..d, ω_j >= 0, 0 < θ_j < 1, Σ ω_j <= 1, so 1 = c_0 >= c_1 >= ... >= 0
// C x then needs d decaying sums a series, however long it is: a buffered linear Toeplitz matrix [Dvijotham24].
//   Choice    The generating function of (1 − x)^(−1/2), whose weights are those of the square root of the matrix of
//             prefix sums [Fichtenberger23, Henzinger23], is replaced by Zolotarev's rational approximation of
//             y^(−1/2) on [1/memory, 1], y = 1 − x, of type [d/d] [vandenEshof02]:
//               c(x) ∝ Π_l (y + z_l)/(y + p_l),  p_l = q_{2l−1}, z_l = q_{2l},  q_l = μ sc²(l K/(2d + 1); κ),
//               μ = κ'² = 1/memory, κ² = 1 − μ, K the complete elliptic integral of κ
//             Poles and zeros alternate, so all ω_j > 0. d is one for each power of ten in T. At memory ≈ T the error
//             of the last total is at most 0.5 % above that of the square root; at memory = 1 there are no sums, and
//             C = 1.
//   Numbers   1 − θ_j has 24 bits and ω_j 32 places, rounded down, so that θ_j and ω_j are exact as doubles and as
//             fractions of 2^64. Whatever they are, the norms below are those of these very numbers, so their choice
//             moves the error, never the guarantee.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace chronoveil::mechanisms {

inline constexpr std::int64_t kMostTotalSteps = 1'000'000;
inline constexpr std::size_t kMostDecays = 6;  // of that many steps

struct DecayingWeights {
  std::vector<double> keep;    // θ
  std::vector<double> weight;  // ω
};

// The same on every machine, and in every later version: a live release goes on with them. memory in [1, 10^6].
DecayingWeights decaying_weights(std::int64_t steps, double memory);

// As one list, all θ and then all ω; exact in text and back. are_weights(): whether a list can be one.
std::vector<double> flat(const DecayingWeights&);
DecayingWeights weights_in(const std::vector<double>& flat);
bool are_weights(const std::vector<double>& flat);

// What k columns b apart amount to, for k = 1..K, K <= ⌈T/b⌉: of all sets of k columns that are at least b apart the
// most, which is those from the first on. For the entry <C e_i, C e_j> = Σ_m c_m c_{m+|i−j|}, m < T − max(i, j), of the
// Gram matrix falls with |i − j| and with max(i, j), as c does not grow; and the n-th of the columns is at least as far
// from the first row, and as far from each before it, as when they start at 0 and are b apart [KalininLampert24].
//   Rounding  outward: all terms are positive, so at most 8 T + 64 roundings a value are relative ones
struct ColumnNorms {
  std::vector<double> energy;  // [k−1]: ‖C (e_0 + e_b + ... + e_{(k−1)b})‖²
  std::vector<double> mass;    // [k−1]: the L1 norm of the same
};
ColumnNorms column_norms(const DecayingWeights&, std::int64_t steps, std::int64_t apart, std::int64_t most);

// √(Σ b_k²), k < T, with b the first column of A C⁻¹, A the matrix of prefix sums: how many times the deviation of one
// draw the last of T totals has.
double total_spread(const DecayingWeights&, std::int64_t steps);

}  // namespace chronoveil::mechanisms
