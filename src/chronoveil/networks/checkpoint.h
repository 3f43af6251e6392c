// What a training needs to go on after a crash: its weights and the state of its optimiser, no random bits.
// Intermediate weights are as public as the last ones, since every step was paid for; yet only the owner reads the
// folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/neural/models/parameters.h"

namespace chronoveil::networks {

struct Checkpoint {
  std::string debit;      // whose steps these are
  std::int64_t used = 0;  // its uses so far; a ledger that knows of fewer is older
  std::vector<neural::Parameter> state;
};

// FOLDER/checkpoint: whole or not at all. A damaged one is no checkpoint: training then begins anew, with what is left
// of the debit.
Result<void> save_checkpoint(const std::string& folder, const Checkpoint&);
std::optional<Checkpoint> load_checkpoint(const std::string& folder);

}  // namespace chronoveil::networks
