// Gaussian noise on every step, as `gaussian` draws it, and a causal filter that estimates the step at once. The
// recommended mechanism for a live release when δ > 0.
//   Privacy   that of `gaussian`, event and price included: filtering is post-processing of the answers
//   Method    post::JointFilter: for each series a bank of state-space models (level, trend, public season), weighted
//             by how well they predicted the answers so far; of several series, with joint = true, beside a second bank
//             on what the other series do not explain. Intervals are raised where the answers show that they are too
//             narrow. The sum of several series is estimated by itself
//   Why       under (ε, δ), m questions with Gaussian noise carry the same information for every m; asking every step
//             and filtering loses none of it, and needs no guess of a rate
//   Error     never much above σ² per step; far below it where the series moves slowly or repeats
//   Edges     a missing step is predicted; before the first answer 0 in [0, maximum]; needs δ > 0; season = 0 or in
//             2..T; of one series the values are those of its bank alone
#pragma once

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

const SeriesMechanism& kalman();

}  // namespace chronoveil::mechanisms
