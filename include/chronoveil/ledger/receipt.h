// Proof that a debit is durable. Only the ledger makes one; a mechanism cannot run without one; it covers one event,
// once.
//
// One debit, at most one draw. A run that fails early leaves its debit reserved, and the same job takes it up again;
// two processes may even hold receipts of one debit at a time. What keeps the promise is redeem():
//   1. whatever draws bits that could reach an output holds what redeem() returns, and redeem() returns only after a
//      row `drawing` of this debit is durable;
//   2. the ledger appends at most one such row for a debit, ever, and none once it is settled (Account::may_draw, in
//      the transaction that appends);
//   3. so of all receipts of a debit at most one is redeemed, and nobody gets another one after it: a debit is handed
//      out again only while nothing is drawn for it.
// This holds within one ledger. A debit that is reserved in a backup may since have been drawn for in the original
// ledger, so debits from a backup are never handed out or redeemed again (Account::from_backup). A crash or an error
// between the row and the first bit costs the debit and reveals nothing. After a storage error the row may or may not
// be there: nobody draws then.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "chronoveil/ledger/debit.h"

namespace chronoveil::ledger {

// What redeem() blames if somebody else has redeemed another receipt of the debit. Other refusals blame something else.
inline constexpr std::string_view kDrawnForByAnother = "debit";

class [[nodiscard]] Receipt {
 public:
  Receipt(Receipt&& other) noexcept
      : reference_(std::move(other.reference_)),
        event_(std::move(other.event_)),
        write_drawing_(std::move(other.write_drawing_)),
        taken_up_(other.taken_up_),
        live_(std::exchange(other.live_, false)) {}
  Receipt& operator=(Receipt&& other) noexcept {
    reference_ = std::move(other.reference_);
    event_ = std::move(other.event_);
    write_drawing_ = std::move(other.write_drawing_);
    taken_up_ = other.taken_up_;
    live_ = std::exchange(other.live_, false);
    return *this;
  }
  Receipt(const Receipt&) = delete;
  Receipt& operator=(const Receipt&) = delete;
  ~Receipt() = default;

  const DebitReference& reference() const { return reference_; }
  const accounting::Event& event() const { return event_; }
  // Whether the debit is that of an earlier run of the same job, which failed before anything was drawn.
  bool taken_up() const { return taken_up_; }

 private:
  friend class Ledger;
  friend Result<DebitReference> redeem(Receipt&&, const accounting::Event&);
  friend Result<void> check_covers(const Receipt&, const accounting::Event&);
  Receipt(DebitReference reference, accounting::Event event, std::function<Result<void>()> write_drawing,
          bool taken_up = false)
      : reference_(std::move(reference)),
        event_(std::move(event)),
        write_drawing_(std::move(write_drawing)),
        taken_up_(taken_up) {}

  DebitReference reference_;
  accounting::Event event_;
  std::function<Result<void>()> write_drawing_;
  bool taken_up_ = false;
  bool live_ = true;
};

// Checks that this is an unused receipt of the event; internal if not.
Result<void> check_covers(const Receipt&, const accounting::Event& about_to_run);

// Uses the receipt up, for exactly the event that it covers, and records durably that bits are drawn for its debit from
// now on. Called just before the first bit that could reach an output. Refused for another event, for a receipt that
// was moved from, and (usage) where another process came first.
Result<DebitReference> redeem(Receipt&&, const accounting::Event& about_to_run);

}  // namespace chronoveil::ledger
