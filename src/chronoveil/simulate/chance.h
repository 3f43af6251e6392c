// Random choices for synthetic data. These are ordinary floating-point laws over a seeded BitSource: good enough for
// data that is made up, and never used for noise that protects anybody.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chronoveil/base/bit_source.h"

namespace chronoveil::simulate {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : bits_(BitSource::with_seed(seed)) {}

  double uniform() { return static_cast<double>(bits_.next_u64() >> 11) * 0x1p-53; }  // [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  bool coin(double probability) { return uniform() < probability; }
  // Uniform on {0, ..., n - 1}, n >= 1.
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(uniform() * static_cast<double>(n)); }

  double normal(double mean, double deviation);
  double lognormal(double median, double deviation);  // of the logarithm
  double exponential(double mean);
  double gamma(double shape, double mean);
  std::int64_t poisson(double mean);                      // 0 for a mean of 0
  std::int64_t geometric(double mean);                    // 0, 1, 2, ...
  std::int64_t overdispersed(double mean, double shape);  // negative binomial: Poisson with a gamma mean

 private:
  BitSource bits_;
  double spare_ = 0;
  bool has_spare_ = false;
};

// Picks an index with probability proportional to its weight, in constant time (Walker's alias method).
class WeightedChoice {
 public:
  explicit WeightedChoice(std::span<const double> weights);  // at least one, none negative, not all 0
  std::int64_t operator()(Chance& chance) const;

 private:
  std::vector<double> keep_;
  std::vector<std::uint32_t> other_;
};

}  // namespace chronoveil::simulate
