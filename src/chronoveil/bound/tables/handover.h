// Batches handed from the thread that makes them to the one that uses them, two of them in turn: while one is used, the
// other is made.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace chronoveil::bound {

template <class Batch>
class Handover {
 public:
  // For the maker: the batch to fill next, once it is free; null if no more are wanted.
  Batch* to_fill() {
    std::unique_lock lock(mutex_);
    wait(lock, [this] { return stopped_ || made_ - used_ < batches_.size(); });
    return stopped_ ? nullptr : &batches_[made_ % batches_.size()];
  }
  void filled() {
    change([this] { ++made_; });
  }
  void finish() {  // no more will come
    change([this] { finished_ = true; });
  }

  // For the user: the batch to use next, once it is filled; null if all were used.
  const Batch* to_use() {
    std::unique_lock lock(mutex_);
    wait(lock, [this] { return finished_ || made_ > used_; });
    return made_ > used_ ? &batches_[used_ % batches_.size()] : nullptr;
  }
  void used() {
    change([this] { ++used_; });
  }
  void stop() {  // no more are wanted
    change([this] { stopped_ = true; });
  }

 private:
  template <class Change>
  void change(Change make) {
    {
      const std::lock_guard lock(mutex_);
      make();
    }
    changed_.notify_all();
  }

  // Not wait(), which g++ 12 takes from a libstdc++ that is newer than the oldest one that our library is for, and not
  // a semaphore, whose acquire() may sleep forever there (its bug 104928).
  template <class Ready>
  void wait(std::unique_lock<std::mutex>& lock, Ready ready) {
    while (!changed_.wait_for(lock, std::chrono::hours(1), ready)) {
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Batch, 2> batches_;
  std::uint64_t made_ = 0, used_ = 0;
  bool finished_ = false, stopped_ = false;
};

}  // namespace chronoveil::bound
