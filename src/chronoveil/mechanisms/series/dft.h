// Measures the low frequencies of every series and forgets the rest.
//   Basis     orthonormal and real, for each series of T steps: 1/√T; √(2/T) cos(2πjt/T) and √(2/T) sin(2πjt/T) for
//             0 < j < T/2; (−1)^t/√T for j = T/2 when T is even. Kept are the frequencies j < k, at most all ⌊T/2⌋ + 1:
//             m = 2k − 1 coefficients, or m = T when the single one of j = T/2 is among them. Order: series by series;
//             within one the constant, then cosine and sine of each frequency, ascending.
//   Privacy   One neighbour changes the counts by d with ‖d‖₁ <= n c and ‖d‖₂ <= c√n over all series, n = changes().
//             A column of the kept basis B (one step) has the norm √(m/T), and B is a projection, so
//               Δ₂ = c min(√n, n √(m/T)),      Gaussian when δ > 0   [RastogiNath10, BalleWang18]
//               Δ₁ = min(n c max_t Σ_i |B_it|, √M Δ₂),  Laplace when δ = 0,   [RastogiNath10, DMNS06]
//             with M = m touched() the coefficients that one neighbour can move.
//   Rounding  An entry of B is an integer in units of u = 2^-46, off by at most u: this moves a coefficient of series s
//             by at most u ‖d_s‖₁, hence Δ₂ by at most √m u n c and Δ₁ by at most m u n c. Rounding to the grid moves
//             each of the M coefficients by less than g more: √M g and M g. Both are added. Nothing else is rounded.
//   Error     variance σ² m/T (or 2b² m/T) per step, correlated between steps, plus the frequencies that were not kept
//   Edges     `published` is the classical constant with the same Δ₂, as the baseline of [Koga22]; the interval covers
//             the noise, not the frequencies that were not kept
#pragma once

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

const SeriesMechanism& dft();

}  // namespace chronoveil::mechanisms
