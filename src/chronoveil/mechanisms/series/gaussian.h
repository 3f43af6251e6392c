// Adds independent rounded Gaussian noise to every step of every series.
//   Privacy   the exact Gaussian profile with μ = Δ₂ / σ, Δ₂ = c √changes over all series together   [BalleWang18]
//   Error     unbiased, variance σ² per step, independent between steps
//   Edges     needs δ > 0; `published` uses σ = Δ₂ √(2 ln(1.25/δ)) / ε, which holds for ε < 1   [DworkRoth14, A.1]
#pragma once

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

const SeriesMechanism& gaussian();

}  // namespace chronoveil::mechanisms
