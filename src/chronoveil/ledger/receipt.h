// Proof that a debit is durable. Only the ledger makes one; a mechanism cannot run without one; it covers one event,
// once.
#pragma once

#include <utility>

#include "chronoveil/ledger/debit.h"

namespace chronoveil::ledger {

class [[nodiscard]] Receipt {
 public:
  Receipt(Receipt&& other) noexcept
      : reference_(std::move(other.reference_)),
        event_(std::move(other.event_)),
        live_(std::exchange(other.live_, false)) {}
  Receipt& operator=(Receipt&& other) noexcept {
    reference_ = std::move(other.reference_);
    event_ = std::move(other.event_);
    live_ = std::exchange(other.live_, false);
    return *this;
  }
  Receipt(const Receipt&) = delete;
  Receipt& operator=(const Receipt&) = delete;
  ~Receipt() = default;

  const DebitReference& reference() const { return reference_; }
  const accounting::Event& event() const { return event_; }

 private:
  friend class Ledger;
  friend Result<DebitReference> redeem(Receipt&&, const accounting::Event&);
  Receipt(DebitReference reference, accounting::Event event)
      : reference_(std::move(reference)), event_(std::move(event)) {}

  DebitReference reference_;
  accounting::Event event_;
  bool live_ = true;
};

// Uses the receipt up, for exactly the event that it covers. A mechanism calls this before it touches data or bits.
// Refused for another event, and for a receipt that was moved from.
Result<DebitReference> redeem(Receipt&&, const accounting::Event& about_to_run);

}  // namespace chronoveil::ledger
