// What a request costs a dataset: its event, fitted to what the dataset protects, priced by the dataset's filter.
#pragma once

#include "chronoveil/accounting/event.h"
#include "chronoveil/ledger/dataset.h"
#include "chronoveil/ledger/debit.h"

namespace chronoveil::ledger {

Result<Cost> price(const Dataset&, const Terms&, const accounting::Event&);

}  // namespace chronoveil::ledger
