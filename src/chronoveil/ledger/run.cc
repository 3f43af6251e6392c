#include "chronoveil/ledger/run.h"

#include "chronoveil/accounting/events/event_json.h"

namespace chronoveil::ledger {

Result<DebitReference> redeem(Run&& offered, const accounting::Event& about_to_run) {
  const bool live = offered.live_;
  Run run = std::move(offered);
  if (!live) return fail(ErrorKind::internal, "run", "it was used before");
  if (accounting::to_text(run.event_) != accounting::to_text(about_to_run)) {
    return fail(ErrorKind::internal, "run", "it covers another event than the one about to run");
  }
  return std::move(run.reference_);
}

}  // namespace chronoveil::ledger
