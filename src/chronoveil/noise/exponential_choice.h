// The exponential mechanism: a choice with probabilities proportional to exp(log weight), by integer arithmetic.
//   Method    uniform proposals, kept with probability exp(-(greatest - own)) by exact coins [CKS20]: no weight,
//             however small, is ever turned into a double, so none underflows to zero; at most n proposals are expected
//   Rounding  log weights are rounded to multiples of 2^-32 and the law of the choice is exact for those. A log
//             weight that is off by at most eta changes each probability by a factor of at most exp(2 eta), for both
//             neighbours: the privacy loss grows by at most 4 eta, which the result reports as `epsilon_charge`
//   Edges     a log weight of minus infinity is a weight of zero; one candidate is always chosen
#pragma once

#include <cstdint>
#include <span>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/result.h"

namespace chronoveil::noise {

// The greatest magnitude of a finite log weight.
inline constexpr double kLogWeightLimit = 0x1p29;

struct Choice {
  std::int64_t chosen;
  double epsilon_charge;  // 4 eta, to be added to the epsilon of the mechanism; the same for every input
};

// Chooses an index. `input_error` bounds how far the caller's own computation may have missed each log weight.
// Refused: no candidate, all weights zero, NaN, plus infinity, or beyond kLogWeightLimit; input_error not in [0, 1].
Result<Choice> choose_by_log_weight(std::span<const double> log_weights, double input_error, BitSource&);

// The grid points first, ..., last, each with weight exp(log_weight); none when last < first.
struct WeightedInterval {
  std::int64_t first;
  std::int64_t last;
  double log_weight;
};

// Chooses a grid point: an interval by its weight times its number of points, then a point by a uniform integer. It is
// never a + u (b - a) in floating point, whose gaps would reveal a and b.
// Refused as above, and intervals of more than 2^62 points.
Result<Choice> choose_grid_point(std::span<const WeightedInterval>, double input_error, BitSource&);

// The epsilon_charge of either choice, known in advance; for an input_error in [0, 1].
double charge_of_log_weights(double input_error);
double charge_of_grid_points(double input_error);

}  // namespace chronoveil::noise
