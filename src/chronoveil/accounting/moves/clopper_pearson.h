// Limits on the mean of independent 0/1 draws [ClopperPearson34].
#pragma once

#include <cstdint>

namespace chronoveil::accounting {

// The largest mean under which `successes` or fewer in `trials` trials have a probability of at least β. Whatever the
// true mean, it exceeds this limit with probability at most β. Rounded up.
//   0 of n: 1 - β^{1/n};   n of n: 1
// Preconditions: 0 <= successes <= trials, trials >= 1, 0 < β < 1.
double upper_limit(std::int64_t successes, std::int64_t trials, double beta);

// The most successes whose upper limit is at most `mean`; -1 if even 0 exceeds it.
std::int64_t most_successes_below(double mean, std::int64_t trials, double beta);

}  // namespace chronoveil::accounting
