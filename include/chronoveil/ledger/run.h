// A debit whose event happens over time: the questions of a live release, the steps of a training. All of it is
// debited, composed tightly, before the first use; each use is recorded before anything that came of it leaves.
#pragma once

#include <utility>

#include "chronoveil/ledger/debit.h"

namespace chronoveil::ledger {

// Proof that the debit is durable and that the run may go on. Only the ledger makes one, for one process at a time.
class [[nodiscard]] Run {
 public:
  Run(Run&& other) noexcept
      : reference_(std::move(other.reference_)),
        event_(std::move(other.event_)),
        uses_(other.uses_),
        used_(other.used_),
        token_(std::move(other.token_)),
        live_(std::exchange(other.live_, false)) {}
  Run& operator=(Run&&) = delete;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() = default;

  const DebitReference& reference() const { return reference_; }
  const accounting::Event& event() const { return event_; }
  std::int64_t uses() const { return uses_; }  // reserved in all
  std::int64_t used() const { return used_; }  // used up when the run was resumed
  // The token of the last use; empty before the first. A process that does not know it did not make that use.
  const std::string& token() const { return token_; }

 private:
  friend class Ledger;
  friend Result<DebitReference> redeem(Run&&, const accounting::Event&);
  Run(DebitReference reference, accounting::Event event, std::int64_t uses, std::int64_t used, std::string token)
      : reference_(std::move(reference)),
        event_(std::move(event)),
        uses_(uses),
        used_(used),
        token_(std::move(token)) {}

  DebitReference reference_;
  accounting::Event event_;
  std::int64_t uses_ = 0, used_ = 0;
  std::string token_;
  bool live_ = true;
};

// Uses the proof up, for exactly the event that it covers, as redeem() of a receipt does.
Result<DebitReference> redeem(Run&&, const accounting::Event& about_to_run);

}  // namespace chronoveil::ledger
