// Child processes that share nothing with the test but the ledger's place.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>

namespace chronoveil::ledger::testing {

// Runs `body` in a forked child, whose exit status is what it returns. The test must hold no open ledger meanwhile:
// neither SQLite nor libpq survives a fork.
pid_t run_in_child(const std::function<int()>& body);

// The exit status, or -1 when the child was killed.
int wait_for(pid_t child);

// A number that a test shares with its children.
class Counter {
 public:
  Counter();
  ~Counter();
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  void set(int value) const { shared_->store(value); }
  void add(int value) const { shared_->fetch_add(value); }
  int value() const { return shared_->load(); }

 private:
  std::atomic<int>* shared_;
};

// How often to kill; fewer where a sanitizer makes every fork dear (CHRONOVEIL_TEST_KILLS).
int kills_or(int usual);

}  // namespace chronoveil::ledger::testing
