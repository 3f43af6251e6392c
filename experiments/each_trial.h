// The same release many times over, each with a seed of its own, on all processors.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::experiments {

// one(0), one(1), ... as a vector, `one` from a seed to a Result<T>; if one fails, the first failure that was met. Each
// thread takes the next trial; results lie in the order of the trials, so nothing depends on the threads.
template <class One>
auto each_trial(int trials, const One& one) {
  using T = typename std::invoke_result_t<One, std::uint64_t>::value_type;
  std::vector<T> results(static_cast<std::size_t>(trials));
  std::vector<std::optional<Error>> failures(std::max(1U, std::thread::hardware_concurrency()));
  std::atomic<std::size_t> next = 0;
  {
    std::vector<std::jthread> workers;
    for (std::optional<Error>& failure : failures)
      workers.emplace_back([&] {
        for (std::size_t trial = next++; trial < results.size() && !failure; trial = next++) {
          if (auto result = one(static_cast<std::uint64_t>(trial)))
            results[trial] = *std::move(result);
          else
            failure = result.error();
        }
      });
  }
  for (const std::optional<Error>& failure : failures)
    if (failure) return Result<std::vector<T>>(Failure(*failure));
  return Result<std::vector<T>>(std::move(results));
}

}  // namespace chronoveil::experiments
