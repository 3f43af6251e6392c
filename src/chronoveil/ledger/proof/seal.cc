#include "chronoveil/ledger/proof/seal.h"

#include <nlohmann/json.hpp>

#include "chronoveil/ledger/filters/cost_json.h"

namespace chronoveil::ledger {

void Sums::add(const std::string& period, const Cost& cost) {
  const auto [place, fresh] = by_period_.try_emplace(period, cost);
  if (!fresh) place->second += cost;
}

std::string Sums::text() const {
  nlohmann::json all = nlohmann::json::object();
  for (const auto& [period, cost] : by_period_) all[period] = cost_to_json(cost);
  return all.dump();
}

Result<void> check_seal(const std::string& dataset, const Seal& rows, const std::optional<Seal>& read) {
  const auto broken = [&](const std::string& what) {
    return fail(ErrorKind::storage, "ledger",
                "the rows of dataset '" + dataset + "' do not fit their seal: " + what +
                    "; the ledger is damaged or was edited, restore a backup (chronoveil budget restore)");
  };
  if (!read) return rows.length == 0 ? Result<void>() : broken("it is gone");
  if (read->length != rows.length)
    return broken("it is for " + std::to_string(read->length) + " rows, and " + std::to_string(rows.length) +
                  " are there");
  if (rows.length == 0) return broken("there are none");
  if (read->head != rows.head) return broken("the last row is another one");
  if (read->sums != rows.sums) return broken("the debits add up to something else");
  return {};
}

}  // namespace chronoveil::ledger
