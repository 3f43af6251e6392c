// Denoises series that were measured with independent Gaussian noise of a known deviation σ on every step. All of it is
// post-processing: it sees released values and public facts only, and cannot change the guarantee.
//
// A dictionary of estimators, each a linear or nearly linear shrinkage of coefficients under some prior:
//   in the cosine basis, over spectra of level, trend, flat and seasonal series     (spectra.h, cosine.h)
//   the same with a slab, for pure tones of unknown periods                         (slab.h)
//   in Haar wavelets of all shifts, for steps and spikes                            (haar.h)
// Each has an unbiased estimate R_i of its own summed squared error, in units of σ² [Stein81]. Published is the mixture
//   x̂ = Σ p_i x̂_i,   p_i ∝ exp(−R_i/4)                                              [LeungBarron06, DalalyanSalmon12]
// which is nearly as good as the best of them, whatever the series is; the measured values themselves are one of them.
//
// Intervals: x̂_t ± h √V_t, h the half-width of the interval of a measured value. V_t, in units of σ², is
//   the mixture's posterior variance Σ p_i (variance_i + (x̂_i − x̂)²/σ²)_t           [Wahba83, Nychka88]; how far the
//   estimates of the cosine basis differ among themselves is spread over the steps coefficient by coefficient, as φ_k²;
//   raised equally on all steps until its mean is at least Σ p_i R_i/T + √(2/T): Stein's estimate of the true
//   error, bias included, plus one standard error of that estimate;
//   limited to 1: never wider than the measured value's own interval.
// Coverage is an average over the steps of a series, not for each step: a lone spike below the noise is smoothed away.
//
// Trend: on request, the roughness of the series itself counts as noise, too. σ is then replaced, series by series, by
//   max(σ, s),  s² the mean square of the cosine coefficients k > T/2
// and the intervals are for the trend, not for the series. With no coefficient beyond T/2 (T < 3), σ is unchanged.
//   Edges     the mean of a series is the mean of its measured values; a constant stays; T = 1 is the measured value
#pragma once

#include <cstdint>
#include <span>

#include "chronoveil/base/measurement.h"

namespace chronoveil::post {

struct ShrinkSpec {
  std::int64_t steps = 0;      // T; `values` holds a whole number of series
  double noise_deviation = 0;  // σ > 0
  double half_width = 0;       // of the interval of one measured value
  std::int64_t season = 0;     // public: steps after which a series roughly repeats; 0: none
  bool trend = false;
};

Estimate shrink(std::span<const double> values, const ShrinkSpec&);

}  // namespace chronoveil::post
