// How many of n draws hit, rounded to doubles.
#pragma once

#include <cstdint>
#include <vector>

namespace chronoveil::accounting {

// Bin(k; n, p), k = 0..size−1; `tail` bounds what was cut off on either side, if anything. Relative error about 1e-15.
struct Binomial {
  std::vector<double> weights;
  double tail = 0;
};
Binomial binomial(std::int64_t n, double p);
Binomial hypergeometric(std::int64_t population, std::int64_t marked, std::int64_t draws);

}  // namespace chronoveil::accounting
