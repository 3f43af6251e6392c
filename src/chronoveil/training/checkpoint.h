// What a training needs to go on after a crash: its weights and the state of its optimiser, no random bits. Weights on
// the way are as public as the last ones, since every step was paid for; the folder is the owner's alone all the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/neural/models/parameters.h"

namespace chronoveil::training {

struct Checkpoint {
  std::string debit;      // whose steps these are
  std::int64_t used = 0;  // uses of it that were gone by then; a ledger that knows of fewer is an older one
  std::vector<neural::Parameter> state;
};

// FOLDER/checkpoint: whole or not at all. One that is damaged is no checkpoint: training then begins anew, and what is
// left of the debit is what it has.
Result<void> save_checkpoint(const std::string& folder, const Checkpoint&);
std::optional<Checkpoint> load_checkpoint(const std::string& folder);

}  // namespace chronoveil::training
