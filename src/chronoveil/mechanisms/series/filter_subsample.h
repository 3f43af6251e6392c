// Smooths every series with a circular Gaussian filter y = Ax, then applies `subsample` to y.
//   Filter    h_t ∝ exp(−½(d_t/σ_g)²), d_t the circular distance, as the integers k_t = ⌊2⁵⁰ h_t⌋ of
//             accounting::filter_kernel: exactly those that the accountant prices. Y = 2⁵⁰ y is formed in integers.
//   Privacy   the event's bound: with v_t = (Ad)_t² <= c·u² and Σ v_t <= S·u², u = max_per_slot, J random   [Koga22]
//   Rounding  Y is rounded to the plan's grid by ⌊x/g + ½⌋, unless g <= 2⁻⁵⁰, where it is on the grid already. Rounding
//             moves each of two neighbours' values by at most g/2, and only where they differ: at most T' positions,
//             the least of all positions and I × (nonzero coefficients). So differences grow from |Ad|_t to at most
//             |Ad|_t + g, the highest from u√c to u√c + g, and the energy, by Minkowski, from u√S to u√S + g√T'.
//             Both are within the priced ones for the cap u r,
//               r = max(1 + g/(u√c), 1 + g√T'/(u√S)), rounded up, and σ = noise_multiplier × u r.
//   Several   the filter acts within each series. A person with I_s steps in series s moves Σ_s ‖A d_s‖², and ‖Ad‖² =
//   series    Σ_ij d_i d_j R(i − j) with the kernel's autocorrelation R >= 0: a block of a steps beside one of b has
//             the energy of both and cross terms that are not negative, S(a + b) >= S(a) + S(b) for a + b <= T. So one
//             block of I steps in one series is the worst case, and (Ad)_t² is highest there too. That needs I <= T;
//             more steps than that in several series are refused, since the event prices one series.
//   Signs     replacing a person mixes signs; |Ad| <= A|d|, so 2I steps of one sign are the worst case.
//   Error     estimates the *filtered* series: noise is less (the filter spreads one person thin), peaks narrower than
//             σ_g are flattened, and the two ends of the span leak into each other (the filter is circular)
//   Edges     no kept step, `published` (Theorem 4), units and δ: as for `subsample`
// In the plan, `sensitivity` is u r.
#pragma once

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

const SeriesMechanism& filter_subsample();

// Y rounded to the grid, series by series, as grid indices: what is measured, before noise.
std::vector<std::int64_t> filtered_indices(const SeriesPlan&, std::span<const std::int64_t> counts);

// r above.
double rounding_inflation(const PublicShape&, double filter_width, double grid);

}  // namespace chronoveil::mechanisms
