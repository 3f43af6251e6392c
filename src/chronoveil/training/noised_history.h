// The noise of a private history (private_history.h).
#pragma once

#include <cstdint>

#include "chronoveil/forecasting/panel.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/training/private_history.h"

namespace chronoveil::training {

// The last `context` steps of each series, noised and filled; nothing of the input is left in it. `draws` proves that
// the plan's event was debited, once, or marks the result as not private.
Result<forecasting::Panel> noised(const forecasting::Panel&, std::int64_t context, const PrivateHistoryPlan&,
                                  mechanisms::Draws& draws);

}  // namespace chronoveil::training
