// Compares every mechanism that fits, from public facts only, and recommends one. No private data is in reach of this
// module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::plan {

// Counts that the caller declares public (last year's published series, a simulation): series-major, T per series. The
// shape may differ from that of the release; the noise is that of the release.
struct PublicSample {
  std::int64_t series = 1;
  std::int64_t steps = 0;
  std::vector<std::int64_t> counts;
};

struct Candidate {
  std::string mechanism;
  std::optional<mechanisms::SeriesPlan> plan;  // none when it does not fit
  Error refusal;                               // why not
  // Expected absolute error of one step, from the noise law alone and before any smoothing: b for Laplace, σ√(2/π) for
  // Gaussian noise on a measured step. For dft it is the noise of all coefficients in one step, for running_total that
  // of the last step, for w_event that of a step that spends one step's share.
  double noise_error = 0;
  double information = 0;  // Fisher information about a level that all measurements share: measured / variance
  // Mean absolute errors on the public sample, by simulation, as a reader gets the values: after all smoothing.
  std::optional<double> expected_error;  // of a cell
  // Of the sum of all series at a step, where the release and the sample have several and such sums are published. For
  // another number of series, times the root of their ratio: most of it is noise.
  std::optional<double> expected_total_error;
};

struct Comparison {
  std::vector<Candidate> candidates;  // in the order of the catalogue
  std::string recommended;            // a mechanism; empty when none fits
  std::string reason;                 // one or two sentences
};

// For whom: anybody with the whole series, or somebody who publishes each step as it comes (then only mechanisms with a
// live form are candidates).
enum class Audience { any, live };

// `trials` simulated releases of the public sample per candidate; fewer, or of evenly spaced series only, if the sample
// is large (kMostRehearsed). Negative values count as 0, as a release publishes them by default. Parameters of the
// request go to the mechanisms that know all of them; the others use their defaults. Errors: a request that no
// mechanism fits, a sample that does not have its stated shape.
Result<Comparison> compare(const mechanisms::Request&, const std::optional<PublicSample>& = std::nullopt,
                           Audience = Audience::any, int trials = 20);

// The most values that one candidate releases in all of its trials (but at least one trial of one series).
inline constexpr std::int64_t kMostRehearsed = 1'000'000;

}  // namespace chronoveil::plan
