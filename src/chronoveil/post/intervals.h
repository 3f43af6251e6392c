// How far an interpolated value may be off, from released values only. The picture is a random walk with steps of
// variance q, seen at the samples through noise of variance R.
#pragma once

#include <vector>

#include "chronoveil/post/samples.h"

namespace chronoveil::post {

// How fast the series moves. Differences of neighbouring samples have mean square 2R + g q, g the gap, so
//   q̂ = max(0, Σ (Δ² − 2R) / Σ g)
//   s² = (Σ 2(2R + q̂ g)² + 4R²(n − 2)) / (Σ g)²     its variance (each noise is in two differences)
//   rate = q̂ + s                                    one standard error up: too wide rather than too narrow
// Edges: fewer than two samples tell nothing: infinity.
double step_rate(const Samples&, double noise_variance);

// The variance of linear interpolation: noise of both neighbours and a Brownian bridge between them,
//   ((1 − w)² + w²) R + rate · g w(1 − w),   w = (t − a)/g
// R at a sample; R + d · rate at d steps outside the first or the last. No sample: infinity everywhere.
std::vector<double> linear_variance(const Samples&, double noise_variance, double rate);

// The variance of the nearest sample, at distance d: R + d · rate.
std::vector<double> nearest_variance(const Samples&, double noise_variance, double rate);

// z with P(|N(0,1)| <= z) = level.
double normal_half_width(double level);

}  // namespace chronoveil::post
