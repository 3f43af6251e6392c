// The price of a run as it grows: steps are added, ε is read after each. Remembers what stays the same in between.
#pragma once

#include <memory>

#include "chronoveil/accounting/accountant.h"

namespace chronoveil::accounting {

// The steps must be fixed in advance; for requests chosen after seeing outputs, see the ledger. Not for use by several
// threads at once.
class RunningPrice {
 public:
  RunningPrice();
  ~RunningPrice();
  RunningPrice(RunningPrice&&) noexcept;
  RunningPrice& operator=(RunningPrice&&) noexcept;

  // Adds an event, its count included. On an error nothing is added.
  Result<void> add(const Event&);
  // As accounting::epsilon_at() of everything added so far; certified analysis. Nothing added costs nothing.
  Result<Price> epsilon_at(Delta, const Options& = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace chronoveil::accounting
