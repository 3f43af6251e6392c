// From the noisy numbers of a look to caps. All of it is post-processing: it sees no data.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "chronoveil/engine/look/look.h"

namespace chronoveil::engine {

// √(a² + b²). Not std::hypot: where glibc is new, that needs a symbol which older systems lack.
inline double norm(double a, double b) { return std::sqrt(a * a + b * b); }

// How many people are in each bin: not negative, and as many in all as `people`. Bins after the last one that stands
// out of the noise are taken as empty: each stands for so large a number that its noise would outweigh everybody. In
// the other bins are the numbers that are nearest to the noisy ones, by squares.
//   stands out   least_seen: above what noise exceeds in any bin of the question with probability 0.1 %
//   Edges        empty if no bin stands out, or `people` is not positive
std::vector<double> people_in_bins(const report::LookQuestion&, const mechanisms::SeriesPlan&, double people);

// Whether so many people may be in bins too small to see that no cap for the others would do: more than a quarter.
bool sees_too_few(const report::Look&, const report::LookQuestion&);

// The sum of all people's numbers, none taken as more than `cap`. Inside a bin the middle stands for all.
double sum_of(const report::LookQuestion&, const std::vector<double>& people,
              double cap = std::numeric_limits<double>::infinity());

// The choice with the least error at the shortest length that is good enough; null where all errors are infinite. The
// lengths are in the order of the questions, shortest first where they are the usual ones.
const report::LookChoice* chosen(const report::Look&);

// Fills in people, typical, left_out, error and the proposal.
//   cap      for each length, the one with the least error
//   length   the shortest whose error is at most a tenth of a typical count; if none, the one with the least error
//   records  by the same error at that length and cap
void predict(const Job&, const LookPlanned&, report::Look&);

}  // namespace chronoveil::engine
