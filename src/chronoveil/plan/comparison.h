// Compares every mechanism that fits, from public facts only, and recommends one. No private data is in reach of this
// module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::plan {

// Counts that the caller declares public (last year's published series, a simulation): series-major, T a series.
struct PublicSample {
  std::int64_t series = 1;
  std::int64_t steps = 0;
  std::vector<std::int64_t> counts;
};

struct Candidate {
  std::string mechanism;
  std::optional<mechanisms::SeriesPlan> plan;  // none when it does not fit
  std::string refusal;                         // why not
  double noise_error = 0;                      // expected absolute error of one measured step, from the noise law alone
  double information = 0;  // Fisher information about a level that all measurements share: measured / variance
  std::optional<double> expected_error;  // mean absolute error on the public sample, by simulation
};

struct Comparison {
  std::vector<Candidate> candidates;  // in the order of the catalogue
  std::string recommended;            // a mechanism; empty when none fits
  std::string reason;                 // one or two sentences
};

// `trials` simulated releases of the public sample a candidate.
Result<Comparison> compare(const mechanisms::Request&, const std::optional<PublicSample>& = std::nullopt,
                           int trials = 20);

}  // namespace chronoveil::plan
