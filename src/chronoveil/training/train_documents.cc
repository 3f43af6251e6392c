#include "chronoveil/training/train_documents.h"

#include <utility>
#include <vector>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/report/document/signature.h"

namespace chronoveil::training {

TrainDocuments documents_of(const report::Trained& trained, const TrainedModel& model) {
  return {to_bytes(model), report::to_json(trained), report::to_html(trained)};
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
