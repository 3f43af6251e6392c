// noisy_sort once more, as its definition words it: over all shifts of a short series, and by drawing shifts, with
// mistakes to choose from, for twins that the checker must reject.
#pragma once

#include <functional>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/temporal/key_law.h"
#include "temporal/outcomes.h"

namespace chronoveil::temporal {

// P(X = x) for x in [-reach, reach], as weights that add up to 1: with max_shift that is the law, without it the law
// except for what lies beyond the reach.
std::vector<double> shift_law(const NoisySortLaw&, int reach);

// What is recorded of a release: the order alone, or for every value that leaves also when (the number of arrivals).
enum class Recorded { order, order_and_times };

enum class SortMistake {
  none,
  stable,     // ties in the order in which they came
  clamped,    // shifts beyond max_shift are cut down to it, instead of drawn again
  impatient,  // values leave one step early
  one_swap,   // of three and more ties only the last is put at random
};
// By going through all shifts within the reach, which is max_shift where times are recorded. `stable` is the one
// mistake that it can make.
OutcomeLaw sort_law(int length, const std::vector<double>& shifts, Recorded, SortMistake = SortMistake::none);
// By drawing shifts that are not limited yet from `draw`.
Outcome sort_slowly(int length, int shift, Recorded, SortMistake, const std::function<std::int64_t()>& draw,
                    BitSource&);

}  // namespace chronoveil::temporal
