// Running totals: the value of step t estimates x_0 + ... + x_t, with an error that grows with log t, not with t.
//   Method    The matrix A of prefix sums is C C with C lower triangular and Toeplitz, C_ij = c_{i−j}, c_0 = 1,
//             c_k = c_{k−1} (2k − 1)/(2k). C x is measured with noise, then multiplied by C. [Fichtenberger23,
//             Henzinger23]. Never A x plus C times noise: its residue modulo the grid would reveal A x.
//   Privacy   One neighbour adds or removes d >= 0 in one slot (or removes one and adds another), ‖d‖₁ <= c over all
//             series. C has no negative entry, so what is removed and what is added do not reinforce each other, and
//             with n = changes() (1, or 2 when replaced)
//               Δ₂ = c √n √(Σ c_k²), k = 0..T−1,  Gaussian when δ > 0   [BalleWang18]
//               Δ₁ = c n Σ c_k,                   Laplace when δ = 0    [DMNS06]
//   Rounding  An entry of C is an integer in units of 2^-46; both norms are those of these integers, and sums are
//             exact. Rounding to the grid moves each of the M = T touched() values that can change by less than g
//             more: √M g is added to Δ₂, M g to Δ₁.
//   Error     unbiased (up to 2^-46 per coefficient), correlated, variance of step t: (σ² or 2b²) Σ c_k², k = 0..t
//   Edges     T = 1 is noise on the one count; O(T²) operations
#pragma once

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

const SeriesMechanism& running_total();

}  // namespace chronoveil::mechanisms
