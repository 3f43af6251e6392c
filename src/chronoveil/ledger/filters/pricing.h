// What a request costs a dataset: its event, fitted to what the dataset protects, priced by the dataset's filter.
#pragma once

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/ledger/dataset.h"
#include "chronoveil/ledger/debit.h"

namespace chronoveil::ledger {

Result<Cost> price(const Dataset&, const Terms&, const accounting::Event&);

// Whether the event, alone, keeps the dataset's whole (ε, δ) by its tight price. Filters pay for adaptivity: only sum
// admits an event that fills (ε, δ) exactly. Yet the first request is chosen before anything was seen, so if no other
// ever follows, its own price is the price of everything. `room` is a relative tolerance, for repricing.
Result<bool> fills_at_most_all(const Dataset&, const Terms&, const accounting::Event&, double room = 0);

// Whether an event may run in a slot that was reserved under these terms: it must be dominated by the slot's event,
// both as stated and as charged to the dataset.
Result<void> check_slot(const Dataset&, const Terms&, const accounting::Event&, const accounting::Event& slot);

}  // namespace chronoveil::ledger
