// How far off a release would be, tried on a public sample.
#pragma once

#include "chronoveil/plan/comparison.h"

namespace chronoveil::plan {

// A sample small enough to try on: whole series, evenly spaced, at most kMostRehearsed values (or one series).
PublicSample thinned(const PublicSample&);

// The mean absolute error of `trials` seeded releases of the sample with the plan's noise (fewer for a large sample):
// of the counts, or of their running totals if the mechanism estimates those. Empty if the mechanism cannot run in the
// sample's shape.
Result<std::optional<double>> expected_error(const mechanisms::Request&, const mechanisms::SeriesPlan&,
                                             const PublicSample&, int trials);

}  // namespace chronoveil::plan
