// What the commands of chronoveil budget share.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "chronoveil/engine/release/audit.h"
#include "command.h"
#include "option_table.h"

namespace chronoveil::cli {

struct BudgetOptions {
  std::string ledger;
  bool json = false;
  std::string name;  // of the dataset
};

CLI::App* add_command(CLI::App& budget, BudgetOptions& options, const char* name, const char* description);

// Only commands that bring datasets create a ledger: a mistyped path must not look like a valid, empty one.
Result<ledger::Ledger> open_ledger(const BudgetOptions&, bool must_exist = true);
// A restored older ledger would spend budget a second time.
Result<void> check_latest(const BudgetOptions&, ledger::Ledger&, const std::string& dataset);
// What lies beside the ledger and contradicts it, for the named dataset or for all.
Result<std::vector<engine::Contradiction>> found_beside(const BudgetOptions&, ledger::Ledger&);

void print(const nlohmann::json&);

// The commands: create; show, list and history; verify, sign and export; debit, slot, use and settle; programme and
// suggest; close and delete; backup, restore and move.
void add_create(CLI::App& budget, CommandContext&);
void add_looks(CLI::App& budget, CommandContext&);
void add_proofs(CLI::App& budget, CommandContext&);
void add_debits(CLI::App& budget, CommandContext&);
void add_programmes(CLI::App& budget, CommandContext&);
void add_ends(CLI::App& budget, CommandContext&);
void add_carriage(CLI::App& budget, CommandContext&);

}  // namespace chronoveil::cli
