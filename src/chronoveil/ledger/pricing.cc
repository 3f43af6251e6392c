#include "chronoveil/ledger/pricing.h"

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

}  // namespace chronoveil::ledger
