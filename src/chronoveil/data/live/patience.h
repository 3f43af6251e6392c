// How long to wait still: the time runs from construction.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace chronoveil::data {

class Patience {
 public:
  static constexpr std::chrono::milliseconds kEndless = std::chrono::milliseconds::max();

  explicit Patience(std::chrono::milliseconds longest) : longest_(longest) {}

  // Never below 0; kEndless stays kEndless.
  std::chrono::milliseconds left() const {
    if (longest_ == kEndless) return kEndless;
    const auto gone = std::chrono::steady_clock::now() - begun_;
    return std::max(std::chrono::milliseconds(0), std::chrono::ceil<std::chrono::milliseconds>(longest_ - gone));
  }
  bool over() const { return left() == std::chrono::milliseconds(0); }

 private:
  std::chrono::milliseconds longest_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

// As poll(2) takes it: -1 waits for ever. A longer time than an int holds is cut; the caller waits again.
inline int poll_time(std::chrono::milliseconds time) {
  if (time == Patience::kEndless) return -1;
  return static_cast<int>(std::min<std::chrono::milliseconds::rep>(time.count(), std::numeric_limits<int>::max()));
}

}  // namespace chronoveil::data
