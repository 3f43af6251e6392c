// How far an interpolated value may be off, from released values only. The picture is a random walk with steps of
// variance q, seen at the samples through noise of variance R.
#pragma once

#include <cstdint>
#include <vector>

#include "chronoveil/post/samples.h"

namespace chronoveil::post {

// How fast the series moves: an upper estimate of q. Differences Δ of neighbouring samples have mean square 2R + g q, g
// the gap, and M = Σ Δ² is about a multiple of chi-squared:
//   q̂ = max(0, (M − 2R(n − 1)) / Σ g)
//   ν = 2 (Σ(2R + q̂ g))² / (Σ 2(2R + q̂ g)² + 4R²(n − 2))      degrees of freedom [Satterthwaite46]; each noise is in
//                                                            two differences
//   rate = max(0, (M ν/χ²_ν(0.16) − 2R(n − 1)) / Σ g)        one standard error up for large ν, more for few samples:
//                                                            too wide rather than too narrow
// Edges: fewer than two samples tell nothing: infinity.
double step_rate(const Samples&, double noise_variance);

// The same from what it needs of the samples, which a live release can keep.
struct Moves {
  std::int64_t samples = 0;                        // n
  double gaps = 0, squared_gaps = 0, squares = 0;  // Σ g, Σ g², M
  void add(double gap, double difference) {        // one more sample after the first
    ++samples;
    gaps += gap;
    squared_gaps += gap * gap;
    squares += difference * difference;
  }
};
double step_rate_of(const Moves&, double noise_variance);

// The variance of linear interpolation: noise of both neighbours and a Brownian bridge between them,
//   ((1 − w)² + w²) R + rate · g w(1 − w),   w = (t − a)/g
// R at a sample; R + d · rate at d steps outside the first or the last. No sample: infinity everywhere.
std::vector<double> linear_variance(const Samples&, double noise_variance, double rate);

// The variance of the nearest sample, at distance d: R + d · rate.
std::vector<double> nearest_variance(const Samples&, double noise_variance, double rate);

// z with P(|N(0,1)| <= z) = level.
double normal_half_width(double level);

}  // namespace chronoveil::post
