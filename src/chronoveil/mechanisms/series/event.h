// Noise on every step that hides only what one person did in one slot: far less noise than for whole people.
//   Privacy   law laplace: ε = Δ₁ / b, Δ₁ = c (2c when replaced)   [DMNS06]
//             law gaussian: the exact Gaussian profile with μ = Δ₂ / σ, Δ₂ = c (c√2 when replaced)   [BalleWang18]
//   Error     unbiased, variance 2b² or σ² per step, independent between steps
//   Edges     law auto is laplace when δ = 0, else the one with the smaller variance (laplace when they tie);
//             law gaussian with δ = 0 is refused
#pragma once

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

const SeriesMechanism& event();

}  // namespace chronoveil::mechanisms
