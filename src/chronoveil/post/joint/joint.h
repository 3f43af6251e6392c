// Denoises many series at once that were measured with independent Gaussian noise of one known deviation σ on every
// step. All of it is post-processing, as in shrink.h: it sees released values and public facts only.
//
// Series are dealt into folds (folds.h). From the other folds is learned what series of this kind look like: curves in
// time (factors.h), how large their coefficients are (loadings.h), when series are rough (envelope.h). Given these, new
// estimators of a series are affine in its own values (candidates.h), so Stein's risk holds for them as for the
// dictionary of shrink.h; all are mixed by exponential weights under a prior learned from the other folds (weights.h).
// If series have nothing in common, their weight vanishes, and what is left is shrink.
//   x̂_s = z_s − Σ p e, then the mean of x̂_s is made that of z_s
// Cells have intervals x̂ ± h √V, h the half-width of a measured value's interval, V the mixture's posterior variance,
// raised as in intervals.h. Sums over all series, and over public groups of them, are made to hold, with intervals of
// their own (totals.h).
// Nothing is random, nothing is tuned, and nothing depends on how many threads there are (crew.h).
//   Edges   one series, or T < 8: what shrink says, bit by bit, and no sums; series that are all constant stay constant
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chronoveil/base/measurement.h"

namespace chronoveil::post {

inline constexpr std::int64_t kFewestJointSteps = 8;

struct JointSpec {
  std::int64_t steps = 0;        // T; `values` holds a whole number of series
  double noise_deviation = 0;    // σ > 0
  double half_width = 0;         // of the interval of one measured value
  std::int64_t season = 0;       // public: steps after which series roughly repeat; 0: none
  std::int64_t learners = 4000;  // series that the others learn from, at most about so many
  // Public: the first steps of seasons but the first one, ascending, as a calendar has them; empty: every `season`
  // steps.
  std::vector<std::int64_t> season_starts = {};
  std::vector<std::vector<std::int64_t>> groups = {};  // public: the series of each, whose sums are made to hold, too
  unsigned threads = 0;                                // that share the work; 0: one for each core, at most 8
};

struct JointEstimate {
  Estimate cells;
  // Sums step by step, made of the cells' values: of all series, and of each group.
  Estimate total;
  std::vector<Estimate> groups;
};

JointEstimate shrink_jointly(std::span<const double> values, const JointSpec&);

}  // namespace chronoveil::post
