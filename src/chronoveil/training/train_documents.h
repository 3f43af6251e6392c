// What is handed out of a training: the model, and what goes with it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "chronoveil/engine/job/job.h"
#include "chronoveil/report/forecast/trained.h"
#include "chronoveil/training/model_file.h"

namespace chronoveil::training {

struct TrainDocuments {
  std::string model, json, html;
};
TrainDocuments documents_of(const report::Trained&, const TrainedModel&);

// What the document of a stored training says of the budget, if anything.
std::optional<report::BudgetLeft> budget_said_in(const nlohmann::json& document);

// To the outputs of the job, together or not at all. `mark` as in the model.
Result<void> write_documents(const engine::Job&, const TrainDocuments&, const std::string& mark);

}  // namespace chronoveil::training
