#include "chronoveil/post/adjust.h"

#include <algorithm>
#include <cmath>

namespace chronoveil::post {

Estimate non_negative(Estimate estimate) {
  for (std::vector<double>* each : {&estimate.value, &estimate.lower, &estimate.upper})
    for (double& x : *each) x = std::max(0.0, x);
  return estimate;
}

// The difference is exact, where x + 0.5 may round up. + 0.0: no negative zero.
double nearest_integer(double x) { return std::floor(x) + (x - std::floor(x) >= 0.5 ? 1.0 : 0.0); }
double integer_below(double x) { return std::floor(x) + 0.0; }
double integer_above(double x) { return std::ceil(x) + 0.0; }

Estimate to_integers(Estimate estimate) {
  for (double& x : estimate.value) x = nearest_integer(x);
  for (double& x : estimate.lower) x = integer_below(x);
  for (double& x : estimate.upper) x = integer_above(x);
  return estimate;
}

}  // namespace chronoveil::post
