// What the budget commands print, for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/ledger/ledger.h"

namespace chronoveil::cli {

nlohmann::json dataset_json(const ledger::Dataset&);
nlohmann::json cost_json(const ledger::Filter&, const ledger::Cost&);
nlohmann::json debit_json(const ledger::Filter&, const ledger::Debit&);
nlohmann::json reference_json(const ledger::DebitReference&);
nlohmann::json entry_json(const ledger::Entry&);
nlohmann::json verification_json(const ledger::Verification&);
// The debits that rest on known defects, one per line; empty if there are none.
std::string affected_text(const ledger::Verification&);
// Of a job: what is left before it.
nlohmann::json budget_json(const ledger::View&);
nlohmann::json room_json(const ledger::Room&);
nlohmann::json room_json(const ledger::LikeLast&);
// On request with the price of everything composed "if all had been chosen in advance", or why there is none.
nlohmann::json view_json(const ledger::View&, const std::optional<ledger::LikeLast>&,
                         const std::optional<Result<accounting::Price>>& composed);

std::string dataset_line(const ledger::Dataset&);
std::string cost_text(const ledger::Filter&, const ledger::Cost&);
// The same in a line for people. A union has many members, and their amounts say little: it is told by ε and δ.
std::string amount_text(const ledger::Filter&, const ledger::Cost&, double epsilon, double delta);
std::string view_text(const ledger::View&, const std::optional<ledger::LikeLast>&,
                      const std::optional<Result<accounting::Price>>& composed);
// The programmes that still pay, one line for each of their releases.
std::string programme_lines(const std::vector<ledger::Debit>&);
std::string debit_line(const ledger::Filter&, const ledger::Debit&);

}  // namespace chronoveil::cli
