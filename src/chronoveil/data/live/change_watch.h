// Waits until something may have changed in a folder or a file. The caller looks again after every return: the kernel
// reports changes at once if it knows of them, but on network file systems it does not.
#pragma once

#include <chrono>
#include <string>

#include "chronoveil/base/result.h"

namespace chronoveil::data {

class ChangeWatch {
 public:
  ChangeWatch();  // watches nothing
  ~ChangeWatch();
  ChangeWatch(const ChangeWatch&) = delete;
  ChangeWatch& operator=(const ChangeWatch&) = delete;

  // Reports changes from now on. Changes of what cannot be watched are found by looking again.
  void watch(const std::string& path);

  // Returns at a change since the last return, or after the given time; after kShortest if nothing reports changes. A
  // signal is `interrupted`.
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
