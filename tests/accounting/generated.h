// Parameters for generated cases: the same on every machine and in every run.
#pragma once

#include <cmath>
#include <cstdint>

namespace chronoveil::accounting {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double log_uniform(double low, double high) { return low * std::exp(uniform() * std::log(high / low)); }
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  std::int64_t log_integer(double low, double high) { return std::llround(log_uniform(low, high)); }

  // The ranges that the accountant is specified for.
  double noise() { return log_uniform(0.1, 1e4); }
  double epsilon() { return log_uniform(1e-4, 50); }
  double delta() { return log_uniform(1e-30, 1e-1); }

 private:
  std::uint64_t state_;
};

}  // namespace chronoveil::accounting
