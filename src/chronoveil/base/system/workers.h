// The same work on several threads, this one among them.
#pragma once

#include <exception>
#include <thread>
#include <vector>

#include "chronoveil/base/interrupted.h"

namespace chronoveil {

// Calls work(0), ..., work(workers − 1), each on a thread of its own, and returns when all have. What one throws is
// thrown here; std::system_error when a thread cannot be started.
template <class Work>
void on_workers(unsigned workers, Work work) {
  std::vector<std::exception_ptr> thrown(workers);
  const auto guarded = [&, heeded = heeded_interrupt()](unsigned worker) {
    const Interruptible as_its_starter(heeded);
    try {
      work(worker);
    } catch (...) {
      thrown[worker] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;  // joined when they go out of scope
    for (unsigned worker = 1; worker < workers; ++worker) others.emplace_back(guarded, worker);
    guarded(0);
  }
  for (const std::exception_ptr& what : thrown) {
    if (what) std::rethrow_exception(what);
  }
}

}  // namespace chronoveil
