#include "chronoveil/ledger/proof/first_seal.h"

#include <nlohmann/json.hpp>

#include "chronoveil/ledger/account.h"

namespace chronoveil::ledger {
namespace {

// Versions of the analysis up to this one wrote ledgers without seals, too.
constexpr int kLastAnalysisWithoutSeals = 6;

bool had_seals(const Entry& row) {
  const nlohmann::json body = nlohmann::json::parse(row.body, nullptr, false);
  if (!body.is_object()) return false;  // applying the row reports it
  const auto analysis = body.find("analysis");
  return analysis != body.end() && analysis->is_number() && analysis->get<double>() > kLastAnalysisWithoutSeals;
}

}  // namespace

Result<Seal> first_seal_of(const std::vector<Entry>& rows) {
  for (const Entry& row : rows)
    if (had_seals(row))
      return fail(ErrorKind::storage, "ledger",
                  "row " + std::to_string(row.sequence) + " of dataset '" + row.dataset +
                      "' was written with a seal, and the seals are gone; the ledger was edited, "
                      "restore a backup (chronoveil budget restore)");
  return seal_of(rows);
}

}  // namespace chronoveil::ledger
