#include "chronoveil/ledger/receipt.h"

#include "chronoveil/accounting/events/event_json.h"

namespace chronoveil::ledger {

Result<void> check_covers(const Receipt& receipt, const accounting::Event& about_to_run) {
  if (!receipt.live_) return fail(ErrorKind::internal, "receipt", "it was used before");
  if (accounting::to_text(receipt.event_) != accounting::to_text(about_to_run))
    return fail(ErrorKind::internal, "receipt", "it covers another event than the one about to run");
  return {};
}

Result<DebitReference> redeem(Receipt&& offered, const accounting::Event& about_to_run) {
  const Result<void> covered = check_covers(offered, about_to_run);
  Receipt receipt = std::move(offered);
  CV_CHECK(covered);
  CV_CHECK(receipt.write_drawing_());
  return std::move(receipt.reference_);
}

}  // namespace chronoveil::ledger
