// The laws of noise in closed form and long double, computed in another way than the samplers draw them.
#pragma once

#include <cstdint>
#include <vector>

#include "chronoveil/noise/law.h"

namespace chronoveil::noise {

class ExactLaw {
 public:
  ExactLaw(Law law, double scale);

  // P(N >= k) for k >= 1; P(N <= -k) is the same.
  long double tail(std::int64_t k) const;
  long double zero() const { return 1 - 2 * tail(1); }
  long double variance() const;

 private:
  void sum_discrete_gaussian();
  long double discrete_gaussian_tail(std::int64_t k) const;

  Law law_;
  long double scale_;
  std::vector<long double> tails_;
};

}  // namespace chronoveil::noise
