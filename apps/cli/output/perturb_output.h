// What the commands print around a job with [perturb], for people and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "chronoveil/engine/perturb/perturb.h"

namespace chronoveil::cli {

std::string perturb_plan_text(const engine::Job&, const engine::PerturbPlanned&);
nlohmann::ordered_json perturb_plan_json(const engine::PerturbPlanned&);
// Which names a refusal uses: keys of a job file, or options of the command.
enum class Names { keys, options };
Result<void> print_perturb_plan(const engine::Job&, engine::Compare, bool json, Names);

std::string perturbed_text(const engine::Job&, const engine::PerturbedRelease&);
nlohmann::ordered_json perturbed_summary_json(const engine::Job&, const engine::PerturbedRelease&);

}  // namespace chronoveil::cli
