// What is waited for, told once that takes longer than a few seconds. The core never prints: the program says how.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "chronoveil/base/result.h"

namespace chronoveil {

// How long somebody else may hold what is needed, a lock or the end of a pipe, before that is an error: a minute, or as
// many seconds as CHRONOVEIL_WAIT says, 1 to 86400.
Result<std::chrono::milliseconds> longest_wait();

// Takes what is waited for; called from a thread of its own.
using WaitingNotice = void (*)(std::string_view what);

// From now on; null, as at first, keeps silent.
void set_waiting_notice(WaitingNotice);

// While it lives, or until over(), something is waited for: "the lock of the ledger 'x'".
class WaitingFor {
 public:
  static constexpr std::chrono::milliseconds kQuietly{3000};

  explicit WaitingFor(std::string what, std::chrono::milliseconds quietly = kQuietly);
  // Nothing is told after it returns. May be called twice.
  void over() { clock_.reset(); }

 private:
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::optional<std::jthread> clock_;  // last, so that it ends first
};

}  // namespace chronoveil
