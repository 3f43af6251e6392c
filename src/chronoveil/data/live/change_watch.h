// Waits until something may have changed in a folder or a file. Whoever waits looks again after every return: the
// kernel tells of changes at once where it knows of them, which on network file systems it does not.
#pragma once

#include <chrono>
#include <string>

#include "chronoveil/base/result.h"

namespace chronoveil::data {

class ChangeWatch {
 public:
  ChangeWatch();  // of nothing
  ~ChangeWatch();
  ChangeWatch(const ChangeWatch&) = delete;
  ChangeWatch& operator=(const ChangeWatch&) = delete;

  // Changes from now on are noticed. What cannot be watched is noticed by looking again.
  void watch(const std::string& path);

  // Returns at a change since the last return, or after the time given; where nothing tells of changes after
  // kShortest. A signal is `interrupted`.
  Result<void> wait(std::chrono::milliseconds longest);
  // Whether there may have been a change since the last return.
  bool changed();

  static constexpr std::chrono::milliseconds kShortest{100};

 private:
  bool drain();

  int descriptor_;
  bool all_watched_;
};

}  // namespace chronoveil::data
