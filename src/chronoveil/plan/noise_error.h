// What the noise of a plan does to one step, before any smoothing. Formulas are those of comparison.h; what is peculiar
// to a mechanism, its row says.
#pragma once

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::plan {

// Candidate::noise_error, of a plan of this mechanism.
double noise_error(const mechanisms::SeriesMechanism&, const mechanisms::SeriesPlan&);
// Candidate::information.
double information(const mechanisms::SeriesMechanism&, const mechanisms::SeriesPlan&);

}  // namespace chronoveil::plan
