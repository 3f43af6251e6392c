// One line on stderr that is written over, on a terminal only; or lines for a program that listens (messages.h).
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace chronoveil::cli {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  bool shown() const { return on_; }
  // `share`: of the work that is done, where that is known.
  void tell(std::string_view text, std::optional<double> share = std::nullopt) const;

 private:
  bool on_;
};

// "pricing ... 3 s", for work that cannot tell how far it is: the seconds so far, from the second one on.
class Waiting {
 public:
  explicit Waiting(std::string what);

 private:
  ProgressLine line_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::optional<std::jthread> clock_;  // last, so that it ends first
};

}  // namespace chronoveil::cli
