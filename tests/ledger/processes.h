// Child processes that share nothing with the test but the ledger's place.
#pragma once

#include <atomic>

#include "support/child_process.h"

namespace chronoveil::ledger::testing {

using chronoveil::testing::run_in_child;
using chronoveil::testing::wait_for;

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

// How often to kill: so often, or CHRONOVEIL_TEST_KILLS times if that is less.
int kills_or(int usual);

}  // namespace chronoveil::ledger::testing
