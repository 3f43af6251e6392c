// What sums of cells are made of, and how far off they are. The values that are added up are neither cut at 0 nor
// rounded. By mechanism:
//   noise on every cell (gaussian, laplace, event), and what smooths each series by itself (kalman; shrink of one
//     series, with joint = false or trend = true): the noisy values. A sum of n has the interval of n independent
//     draws. Sums of values that were smoothed one by one would be worse, since their errors share a bias
//   shrink of several series: its cells, which joint denoising makes hold (post/joint/totals.h). A sum over all series,
//     or over a public group, at a step has the interval that it gives; any other sum of n cells that of n draws
//   all others: the cells. Nothing is known of how their errors go together, so the ends of intervals are added up, as
//     if all erred the same way
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "chronoveil/base/measurement.h"
#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

// Public facts that denoising looks after; both may be empty.
struct SumsAsked {
  std::vector<std::vector<std::int64_t>> groups;  // the series of each
  std::vector<std::int64_t> season_starts;        // see JointSpec
};

struct Summands {
  Estimate cells;
  std::function<double(std::int64_t)> noise;  // half the width of the interval of so many cells; empty: ends add up
  // At every step: half the width for all series, and for each group. Empty: as above.
  std::vector<double> of_all;
  std::vector<std::vector<double>> of_groups;
};

struct Summed {
  Estimate estimate;
  Summands summands;
};

// Of noisy values, series-major, with independent noise of the plan's law and scale.
Summands noisy_summands(const SeriesPlan&, std::vector<double> values);

}  // namespace chronoveil::mechanisms
