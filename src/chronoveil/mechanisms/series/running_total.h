// Running totals, live or afterwards: the value of step t estimates x_0 + ... + x_t; its error grows with log t.
//   Method    The matrix A of prefix sums is (A C⁻¹) C with the weights C of decaying_weights.h, nearly its square
//             root. C x is measured with noise, in constant work and memory a step (decaying_sums.h), and A C⁻¹ is
//             applied to the answers (total_estimate.h). [Fichtenberger23, Henzinger23, Dvijotham24]. Never A x plus
//             correlated noise: its residue modulo the grid would reveal A x.
//   Privacy   The answers are a function f(x), deterministic and in integers, plus independent noise; all else is
//             post-processing. With e(k), l(k) the squared L2 and the L1 norm of the sum of the first k columns of C
//             that are b apart (column_norms, where it is proven that no others amount to more), one neighbour moves
//             C x, in which no entry is negative, by at most
//               event    c e(1)^½,  c l(1): all of a slot in one series is the worst
//               w-event  c e(w)^½,  c l(w): as above, in every slot of the window, the first w, b = 1
//               user     k_s slots of series s, b apart, k_s <= K = min(I, ⌈T/b⌉), Σ k_s <= I:
//                          c (Σ_s e(k_s))^½ <= c min(S e(K), I max_{k<=K} e(k)/k)^½,  which is c e(K)^½ for S = 1
//                          c Σ_s l(k_s) <= c min(S l(K), I l(1)), since each further column has a smaller norm
//             Replaced (n = 2): what is removed and what is added do not reinforce each other, Δ₂ √2 and Δ₁ 2 times.
//             Gaussian when δ > 0 [BalleWang18], Laplace when δ = 0 [DMNS06]. Steps that are missing leave rows out.
//   Rounding  f is below C x by at least 0 and less than ρ (decaying_sums.h), then rounded to the grid: each of the
//             M = T touched() values that can change moves by less than g + ρ more, so √M (g + ρ) is added to Δ₂,
//             M (g + ρ) to Δ₁.
//   Memory    `memory` of the weights is the one of T, T/2, T/4, ..., 1 with the least error of the last total, from
//             public facts alone: about T/2 for one slot of a person, less the more slots there are, 1 (the noisy
//             counts added up) where that is best. The plan has it as a number.
//   Error     unbiased, correlated; variance of step t without gaps: (σ² or 2b²) Σ b_k², k = 0..t
//   Edges     T = 1 is noise on the one count; a step that a series does not report adds nothing to its total; before
//             the first answer 0 in [0, maximum]
#pragma once

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

const SeriesMechanism& running_total();

}  // namespace chronoveil::mechanisms
