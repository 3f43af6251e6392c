// Adds independent rounded Laplace noise to every step of every series.
//   Privacy   ε-DP with ε = Δ₁ / b, Δ₁ = c changes over all series together; the budget's δ is not used   [DMNS06]
//   Error     unbiased, variance 2b² per step, independent between steps
//   Edges     δ may be 0; no paper has another analysis, so `published` is the same
#pragma once

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

const SeriesMechanism& laplace();

}  // namespace chronoveil::mechanisms
