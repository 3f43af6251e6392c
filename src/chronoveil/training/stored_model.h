// Where the models of a training lie, beside the ledger. engine/release/witnesses.cc reads these names.
#pragma once

#include <string>

#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/release/budget.h"
#include "chronoveil/ledger/debit.h"

namespace chronoveil::training {

Result<std::string> training_folder(engine::OpenBudget&, const engine::Job&);
std::string stored_model(const std::string& folder, const ledger::DebitId&);
std::string stored_json(const std::string& folder, const ledger::DebitId&);
// What an error says of a model that is stored.
std::string how_to_have_it_anew(const ledger::DebitId&);

}  // namespace chronoveil::training
