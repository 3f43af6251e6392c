// Reports what is waited for, once that takes longer than a few seconds. The core never prints: the program does.
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

// How long to wait for a lock or the other end of a pipe before it is an error: a minute, or as many seconds as
// CHRONOVEIL_WAIT says, 1 to 86400.
Result<std::chrono::milliseconds> longest_wait();

// Gets what is waited for; called on a thread of its own.
using WaitingNotice = void (*)(std::string_view what);

// Sets the notice from now on; null, the default, reports nothing.
void set_waiting_notice(WaitingNotice);

// While it lives, or until over(), this is being waited for: "the lock of the ledger 'x'".
class WaitingFor {
 public:
  static constexpr std::chrono::milliseconds kQuietly{3000};

  explicit WaitingFor(std::string what, std::chrono::milliseconds quietly = kQuietly);
  // Nothing is reported after it returns. May be called twice.
  void over() { clock_.reset(); }

 private:
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::optional<std::jthread> clock_;  // last, so that it ends first
};

}  // namespace chronoveil
