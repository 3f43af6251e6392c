// chronoveil budget: creates budgets, shows them, debits them by hand, checks them and carries them elsewhere.
#include <iostream>
#include <nlohmann/json.hpp>

#include "chronoveil/chronoveil.h"
#include "commands/budget/budget.h"
#include "ledger_option.h"

namespace chronoveil::cli {

using nlohmann::json;

CLI::App* add_command(CLI::App& budget, BudgetOptions& options, const char* name, const char* description) {
  CLI::App* command = budget.add_subcommand(name, description);
  add_ledger_option(*command, options.ledger);
  add_json_flag(*command, options.json);
  return command;
}

Result<ledger::Ledger> open_ledger(const BudgetOptions& options, bool must_exist) {
  ledger::Options how;
  how.must_exist = must_exist;
  return chronoveil::open_ledger(options.ledger, std::move(how));
}

Result<void> check_latest(const BudgetOptions& options, ledger::Ledger& ledger, const std::string& dataset) {
  CV_TRY(const std::string place, engine::ledger_place(options.ledger));
  return engine::check_witnesses(ledger, place, dataset);
}

Result<std::vector<engine::Contradiction>> found_beside(const BudgetOptions& options, ledger::Ledger& ledger) {
  CV_TRY(const std::string place, engine::ledger_place(options.ledger));
  return options.name.empty() ? engine::contradictions(ledger, place)
                              : engine::contradictions(ledger, place, options.name);
}

void print(const json& object) { std::cout << object.dump(-1, ' ', false, json::error_handler_t::replace) << "\n"; }

void add_budget_command(CLI::App& app, CommandContext& context) {
  CLI::App* budget = app.add_subcommand("budget", "Create, show, debit and check privacy budgets");
  budget->require_subcommand(1);
  add_example(*budget, "chronoveil budget show city");
  add_create(*budget, context);
  add_looks(*budget, context);
  add_proofs(*budget, context);
  add_debits(*budget, context);
  add_programmes(*budget, context);
  add_ends(*budget, context);
  add_carriage(*budget, context);
}

}  // namespace chronoveil::cli
