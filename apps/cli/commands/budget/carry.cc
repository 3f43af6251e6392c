// chronoveil budget backup, restore and move.
#include <iostream>
#include <memory>

#include "commands/budget/budget.h"

namespace chronoveil::cli {
namespace {

struct CarryOptions : BudgetOptions {
  std::string place;
};

Result<void> carry(const CarryOptions& options, const char* done,
                   Result<void> (ledger::Ledger::*how)(const std::string&)) {
  const bool restores = how == &ledger::Ledger::restore;
  CV_TRY(ledger::Ledger ledger, open_ledger(options, !restores));
  if (!restores) {
    CV_TRY(const std::string place, engine::ledger_place(options.ledger));
    CV_CHECK(engine::check_witnesses(ledger, place));
  }
  CV_CHECK((ledger.*how)(options.place));
  if (options.json) {
    print({{"done", done}});
  } else {
    std::cout << done << "\n";
  }
  return {};
}

}  // namespace

void add_carriage(CLI::App& budget, CommandContext& context) {
  auto options = std::make_shared<CarryOptions>();
  CLI::App* command = add_command(budget, *options, "backup", "Copy every row to a new place");
  command->add_option("PATH", options->place, "A new file, or an empty PostgreSQL ledger")->required();
  add_example(*command, "chronoveil budget backup ledger-2026-03.db");
  on_run(*command, context, [options] { return carry(*options, "backed up", &ledger::Ledger::back_up); });

  options = std::make_shared<CarryOptions>();
  command = add_command(budget, *options, "restore", "Take in the datasets of a backup");
  command->add_option("PATH", options->place, "The backup")->required();
  add_example(*command, "chronoveil budget restore ledger-2026-03.db");
  on_run(*command, context, [options] { return carry(*options, "restored", &ledger::Ledger::restore); });

  options = std::make_shared<CarryOptions>();
  command = add_command(budget, *options, "move", "Close every dataset here and open it there");
  command->add_option("TO", options->place, "A path, or a URL postgresql://...")->required();
  add_example(*command, "chronoveil budget move postgresql://ledger@db.example.org/privacy");
  on_run(*command, context, [options] { return carry(*options, "moved", &ledger::Ledger::move); });
}

}  // namespace chronoveil::cli
