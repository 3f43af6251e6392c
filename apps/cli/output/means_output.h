// What the commands print around a job of means, for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "chronoveil/engine/means/means.h"

namespace chronoveil::cli {

// Every public number of a comparison as a table, and what it recommends.
std::string comparison_text(const plan::MeansComparison&);
nlohmann::ordered_json comparison_json(const plan::MeansComparison&);

std::string means_plan_text(const engine::Job&, const engine::MeansPlanned&);
nlohmann::ordered_json means_plan_json(const engine::MeansPlanned&);
Result<void> print_means_plan(const engine::Job&, engine::Compare, bool json);

std::string means_published_text(const engine::Job&, const report::MeansPublished&);
// The release JSON without its cells.
nlohmann::ordered_json means_summary_json(const report::MeansPublished&);

std::string means_errors_text(const report::MeansEvaluation&);

}  // namespace chronoveil::cli
