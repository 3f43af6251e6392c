// Timing for the benchmarks: the best of several repetitions, printed as one line of JSON.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

namespace chronoveil::bench {

// `work` does `items` items. On a machine that others use too, the fastest repetition is the one least disturbed.
template <class Work>
double items_per_second(double items, int repetitions, Work work) {
  double best = 0;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::max(best, items / taken.count());
  }
  return best;
}

inline void report(const std::string& name, double per_second) {
  std::printf("{\"name\": \"%s\", \"per_second\": %.6g}\n", name.c_str(), per_second);
  std::fflush(stdout);
}

}  // namespace chronoveil::bench
