// How far off a sum of independent draws of one noise is.
#pragma once

#include <cstdint>

#include "chronoveil/base/measurement.h"

namespace chronoveil::mechanisms {

// Half the width of a two-sided interval that holds the sum of n draws with probability `level`.
//   Gaussian   √n σ √2 erf⁻¹(level), exact
//   Laplace    exact up to n = 512: |sum|/b is a mixture of gamma laws of shape n − k with the weights
//              C(n−1+k, k) 2^(1−n−k), k = 0..n−1, of which the tail is inverted    [KotzKozubowskiPodgorski01, 2.3]
//              beyond: √(n/512) times that of 512, or the normal limit, whichever is wider; less than 0.1 % too wide
//   Edges      n = 1 is noise_half_width
double half_width_of_sum(NoiseKind, double scale, double level, std::int64_t n);

}  // namespace chronoveil::mechanisms
