#include "chronoveil/accounting/moves/clopper_pearson.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace chronoveil::accounting {
namespace {

// Relative errors of the incomplete beta function in double precision, generously.
constexpr double kRounding = 1e-9;

// The probability that a binomial with this mean is at most `successes`, rounded up.
double at_most(std::int64_t successes, std::int64_t trials, double mean) {
  if (successes >= trials) return 1;
  if (mean >= 1) return 0;
  const auto a = static_cast<double>(successes + 1), b = static_cast<double>(trials - successes);
  return boost::math::ibetac(a, b, mean) * (1 + kRounding);
}

}  // namespace

double upper_limit(std::int64_t successes, std::int64_t trials, double beta) {
  if (successes >= trials) return 1;
  double low = static_cast<double>(successes) / static_cast<double>(trials), high = 1;
  for (double middle = 0.5 * (low + high); high - low > 1e-14 && middle > low && middle < high;
       middle = 0.5 * (low + high))
    (at_most(successes, trials, middle) > beta ? low : high) = middle;
  return high;
}

std::int64_t most_successes_below(double mean, std::int64_t trials, double beta) {
  if (mean >= 1) return trials;
  std::int64_t low = -1, high = trials;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (at_most(middle, trials, mean) <= beta ? low : high) = middle;
  }
  return low;
}

}  // namespace chronoveil::accounting
