// Asks often while a series moves and seldom while it does not, at most m times [FanXiong12].
//   Method    The first T_i steps are asked. A scalar filter (post/causal/fast_control.h) predicts each step, x⁻, and
//             is corrected where a step is asked, x. The error E = |x − x⁻| / max(x, sanity bound) of every question
//             after the first goes through a PID controller that sets the number of steps to the next: small errors
//             lengthen, large ones shorten the interval. (The paper prints the opposite sign, with which it would sleep
//             through bursts.) Between questions, and after m of them, predictions are published.
//   Privacy   Which steps are asked depends on answers alone. Whichever they are, at most n = min(series × m,
//             changes()) of the asked values change with one neighbour, by at most c each. δ = 0: Laplace, b = c n/ε,
//             sequential composition [DMNS06]. δ > 0: Gaussian, Δ₂ = c √n: the squared shifts sum to at most Δ₂²
//             whatever is asked, so all answers together are no worse than one Gaussian release [SmithThakurta22]
//   Error     depends on the series; a fixed rate that happens to suit it often does better
//   Edges     a missing step that was due postpones the question to the next present step; one use per answer
#pragma once

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

const SeriesMechanism& fast();

}  // namespace chronoveil::mechanisms
