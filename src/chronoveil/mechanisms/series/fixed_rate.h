// Asks every s-th step, and lets a Kalman filter predict the rest.
//   Method    step k is asked when k mod s = 0, m = ceil(T/s) times per series; a scalar filter
//             (post/causal/fast_control.h) is corrected there, and predicts between
//   Privacy   one person changes at most n of the asked values, by at most c each, with n = min(series × m, changes()),
//             and for w-event no more than the asked slots of a window: Laplace b = c n/ε when δ = 0 [DMNS06], Gaussian
//             with Δ₂ = c √n when δ > 0 [BalleWang18]
//   Error     under δ = 0 asking less often lowers the noise of each answer; under δ > 0 it gains nothing over a filter
//             on every step (`kalman`)
//   Edges     s = 1 asks every step; s >= T asks the first only; a missing step that was due is skipped
#pragma once

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

const SeriesMechanism& fixed_rate();

}  // namespace chronoveil::mechanisms
