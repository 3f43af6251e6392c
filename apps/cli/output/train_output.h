// What the commands print around a job with [train], for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "chronoveil/engine/train/train.h"

namespace chronoveil::cli {

std::string train_plan_text(const engine::Job&, const engine::TrainPlanned&);
nlohmann::ordered_json train_plan_json(const engine::Job&, const engine::TrainPlanned&);
Result<void> print_train_plan(const engine::Job&, bool json);

}  // namespace chronoveil::cli
