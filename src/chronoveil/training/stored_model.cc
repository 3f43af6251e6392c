#include "chronoveil/training/stored_model.h"

#include <filesystem>

#include "chronoveil/engine/release/beside_ledger.h"

namespace chronoveil::training {

namespace fs = std::filesystem;

Result<std::string> training_folder(engine::OpenBudget& budget, const engine::Job& job) {
  CV_TRY(engine::Claim asked, engine::claim_of(job));
  CV_TRY(const engine::Claim claim, engine::as_known(budget, std::move(asked)));
  CV_TRY(const fs::path path, engine::folder_beside(budget.place, "training", fs::path(job.dataset) / claim.digest));
  return path.string();
}

std::string stored_model(const std::string& folder, const ledger::DebitId& debit) {
  return folder + "/model-" + std::to_string(debit.sequence) + (debit.slot ? "+" + std::to_string(*debit.slot) : "");
}
std::string stored_json(const std::string& folder, const ledger::DebitId& debit) {
  return stored_model(folder, debit) + ".json";
}

std::string how_to_have_it_anew(const ledger::DebitId& debit) {
  return "`run.again = " + debit.text() + "` emits its stored model anew at no cost";
}

}  // namespace chronoveil::training
