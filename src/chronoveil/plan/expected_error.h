// How far off a release would be, tried on a public sample.
#pragma once

#include "chronoveil/plan/comparison.h"

namespace chronoveil::plan {

// A sample small enough to try on: whole series, evenly spaced, at most so many values (or one series).
PublicSample thinned(const PublicSample&, std::int64_t most = kMostRehearsed);
// The same counts in slots that are so many times longer; what is left at the end is dropped.
PublicSample in_longer_slots(const PublicSample&, std::int64_t times);

// As in Candidate.
struct ExpectedError {
  double of_cell = 0;
  std::optional<double> of_total;
};

// The mean absolute errors of `trials` seeded releases of the sample with the plan's noise (fewer for a large sample):
// of the counts, or of their running totals if the mechanism estimates those. Empty if the mechanism cannot run in the
// sample's shape. Live: as steps are published one by one.
Result<std::optional<ExpectedError>> expected_error(const mechanisms::Request&, const mechanisms::SeriesPlan&,
                                                    const PublicSample&, int trials, Audience = Audience::any);

}  // namespace chronoveil::plan
