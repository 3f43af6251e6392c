#include "chronoveil/ledger/receipt.h"

#include "chronoveil/accounting/event_json.h"

namespace chronoveil::ledger {

Result<DebitReference> redeem(Receipt&& offered, const accounting::Event& about_to_run) {
  const bool live = offered.live_;
  Receipt receipt = std::move(offered);
  if (!live) return fail(ErrorKind::internal, "receipt: it was used before");
  if (accounting::to_text(receipt.event_) != accounting::to_text(about_to_run)) {
    return fail(ErrorKind::internal, "receipt: it covers another event than the one about to run");
  }
  return std::move(receipt.reference_);
}

}  // namespace chronoveil::ledger
