#include "chronoveil/training/train_documents.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/report/document/signature.h"

namespace chronoveil::training {

TrainDocuments documents_of(const report::Trained& trained, const TrainedModel& model) {
  return {to_bytes(model), report::to_json(trained), report::to_html(trained)};
}

std::optional<report::BudgetLeft> budget_said_in(const nlohmann::json& document) {
  const auto budget = document.find("budget");
  if (budget == document.end() || !budget->is_object()) return std::nullopt;
  return report::BudgetLeft{budget->value("dataset", ""), budget->value("epsilon", 0.0), budget->value("delta", 0.0),
                            budget->value("fraction_left", 0.0), budget->value("still_admits", "")};
}

Result<void> write_documents(const engine::Job& job, const TrainDocuments& all, const std::string& mark) {
  // What is not private is computed from the data: for its owner alone.
  const int mode = mark.empty() ? 0644 : 0600;
  std::vector<OutputFile> files{{job.train().output, all.model, mode}};
  if (!job.report.empty()) files.push_back({job.report, all.html, mode});
  // Last: when it is there, everything is. Exactly as when the ledger got its digest.
  if (!job.json.empty()) {
    CV_TRY(std::string signed_document, report::signed_release(all.json));
    files.push_back({job.json, std::move(signed_document), mode});
  }
  return write_files(files);
}

}  // namespace chronoveil::training
