// chronoveil budget close and delete.
#include <iostream>
#include <memory>

#include "commands/budget/budget.h"

namespace chronoveil::cli {
namespace {

struct EndOptions : BudgetOptions {
  std::string reason;
};

Result<void> end(const EndOptions& options, const char* done, const std::function<Result<void>(ledger::Ledger&)>& how) {
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  CV_CHECK(check_latest(options, ledger, options.name));
  CV_CHECK(how(ledger));
  if (options.json) {
    print({{done, options.name}});
  } else {
    std::cout << done << " " << options.name << "\n";
  }
  return {};
}

}  // namespace

void add_ends(CLI::App& budget, CommandContext& context) {
  auto options = std::make_shared<EndOptions>();
  CLI::App* command = add_command(budget, *options, "close", "Make no more debits of a dataset, for good");
  command->add_option("NAME", options->name, "The dataset")->type_name(kDatasetType)->required();
  command->add_option("--reason", options->reason, "Why, in words; goes into the ledger")->required();
  add_example(*command, "chronoveil budget close citty --reason \"misspelt; see city\"");
  on_run(*command, context, [options] {
    return end(*options, "closed",
               [&](ledger::Ledger& ledger) { return ledger.close(options->name, options->reason); });
  });

  options = std::make_shared<EndOptions>();
  command = add_command(budget, *options, "delete", "Free the name of a dataset that has no debit");
  command->add_option("NAME", options->name, "The dataset")->type_name(kDatasetType)->required();
  add_example(*command, "chronoveil budget delete citty");
  on_run(*command, context, [options] {
    return end(*options, "deleted", [&](ledger::Ledger& ledger) { return ledger.remove(options->name); });
  });
}

}  // namespace chronoveil::cli
