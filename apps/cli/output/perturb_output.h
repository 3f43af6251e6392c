// What the commands print around a job with [perturb], for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "chronoveil/engine/perturb/perturb.h"

namespace chronoveil::cli {

std::string perturb_plan_text(const engine::Job&, const engine::PerturbPlanned&, const KeyNames& = nullptr);
nlohmann::ordered_json perturb_plan_json(const engine::PerturbPlanned&, const KeyNames& = nullptr);
// Where a mechanism does not fit, keys are called by these names; without names, as in a job file.
Result<void> print_perturb_plan(const engine::Job&, engine::Compare, bool json, const KeyNames& = nullptr);

// What becomes of each column.
std::string columns_text(const engine::Job&, const engine::PerturbedColumns&);

std::string perturbed_text(const engine::Job&, const engine::PerturbedRelease&);
nlohmann::ordered_json perturbed_summary_json(const engine::Job&, const engine::PerturbedRelease&);

}  // namespace chronoveil::cli
