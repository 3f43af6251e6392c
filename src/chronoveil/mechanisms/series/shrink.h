// Adds independent rounded Gaussian noise to every step of every series, as `gaussian` does, then denoises each series
// knowing σ. The recommended mechanism for a whole series when δ > 0.
//   Privacy   that of `gaussian`, event and price included: denoising is post-processing of the released values
//   Error     about that of the best of a dictionary of smoothers for the series at hand (post/shrink/shrink.h), and
//             never much above σ² per step: the measured values are in the dictionary. Between steps, errors are
//             correlated.
//   Joint     several series are denoised together, which learns what they have in common and makes sums of them hold
//             (post/joint/joint.h); not with joint = false, trend = true, fewer than 8 steps or more than 100,000
//   Why       noise on every step carries T/σ² of Fisher information about a slow series, no less than noise on sampled
//             steps at the same (ε, δ); a smoother that knows σ can use all of it
//   Edges     the mean of a series is the mean of its measured values; a constant stays; needs δ > 0;
//             season = 0 or in 2..T
#pragma once

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

const SeriesMechanism& shrink();

}  // namespace chronoveil::mechanisms
