#include "chronoveil/post/adjust.h"

#include <algorithm>
#include <cmath>

namespace chronoveil::post {

Estimate non_negative(Estimate estimate) {
  for (std::vector<double>* each : {&estimate.value, &estimate.lower, &estimate.upper})
    for (double& x : *each) x = std::max(0.0, x);
  return estimate;
}

Estimate to_integers(Estimate estimate) {
  // + 0.0: no negative zero. The difference is exact, where x + 0.5 may round up.
  for (double& x : estimate.value) x = std::floor(x) + (x - std::floor(x) >= 0.5 ? 1.0 : 0.0);
  for (double& x : estimate.lower) x = std::floor(x) + 0.0;
  for (double& x : estimate.upper) x = std::ceil(x) + 0.0;
  return estimate;
}

}  // namespace chronoveil::post
