#include "chronoveil/ledger/filters/pricing.h"

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/ledger/filters/domination.h"

namespace chronoveil::ledger {

Result<Cost> price(const Dataset& dataset, const Terms& terms, const accounting::Event& event) {
  CV_CHECK(accounting::validate(event));
  CV_TRY(const accounting::Event charged, fitted(event, terms.stated, dataset.promise));
  std::optional<Delta> delta;
  if (terms.delta) {
    CV_TRY(delta, Delta::make_positive(*terms.delta));
  }
  return cost_of(dataset.filter, charged, delta);
}

Result<bool> fills_at_most_all(const Dataset& dataset, const Terms& terms, const accounting::Event& event,
                               double room) {
  CV_TRY(const accounting::Event charged, fitted(event, terms.stated, dataset.promise));
  CV_TRY(const Delta delta, Delta::make(dataset.delta));
  CV_TRY(const accounting::Price alone, accounting::epsilon_at(charged, delta, {.fitted = true}));
  return alone.epsilon <= dataset.epsilon * (1 + room);
}

Result<void> check_slot(const Dataset& dataset, const Terms& terms, const accounting::Event& event,
                        const accounting::Event& slot) {
  CV_CHECK(accounting::validate(event));
  CV_TRY(const accounting::Event charged, fitted(event, told_to(event, terms.stated), dataset.promise));
  CV_TRY(const accounting::Event charged_slot, fitted(slot, told_to(slot, terms.stated), dataset.promise));
  if (is_dominated_by(event, slot) && is_dominated_by(charged, charged_slot)) return {};
  return fail(ErrorKind::over_budget, "slot",
              "the event is not known to be dominated by the one that the slot was reserved for");
}

}  // namespace chronoveil::ledger
