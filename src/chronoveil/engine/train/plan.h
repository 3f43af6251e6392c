// What a plan of training (train.h) asks of the ledger and of the job's outputs.
#pragma once

#include <cstdint>
#include <functional>

#include "chronoveil/engine/release/budget.h"
#include "chronoveil/engine/train/train.h"
#include "chronoveil/forecasting/calendar.h"
#include "chronoveil/forecasting/sampling.h"
#include "chronoveil/forecasting/windows.h"

namespace chronoveil::engine {

// ε of the first `uses` steps that were begun, including those that ran again after a crash, at the plan's δ.
Result<accounting::Price> price_after(const TrainPlanned&, std::int64_t uses);

// What the run asks of a ledger: one debit for all of it.
Ask ask_of(const Job&, const TrainPlanned&);
// The same as `ask` tells it; at another ε, of the plan that the job has there.
Ask ask_by_plan(const Job&, const TrainPlanned&, std::function<Ask(const TrainPlanned&)> ask);

// Checks, before anything is spent, that the model has a path and every output a folder.
Result<void> check_train_outputs(const Job&);

}  // namespace chronoveil::engine
