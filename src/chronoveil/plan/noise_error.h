// What the noise of a plan does to one step, before any smoothing. comparison.h has the formulas.
#pragma once

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::plan {

// The variance of one draw: 2b² or σ².
double variance(const mechanisms::SeriesPlan&);
// Candidate::noise_error.
double noise_error(const mechanisms::SeriesPlan&);
// Candidate::information.
double information(const mechanisms::SeriesPlan&);

}  // namespace chronoveil::plan
