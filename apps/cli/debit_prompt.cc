#include "debit_prompt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "command.h"
#include "output/budget_output.h"

namespace chronoveil::cli {

Result<void> ask_before_debit(const engine::Job& job, bool yes, const engine::DebitAhead& ahead) {
  const ledger::Filter& filter = ahead.dataset.filter;
  // A union has many members, and their amounts say little to a person.
  const bool one_amount = filter.kind != ledger::FilterKind::united;
  print_note(fmt::format("cost      {} from the budget of {}",
                         one_amount ? cost_text(filter, ahead.cost)
                                    : fmt::format("ε = {}, δ = {}", shortest(job.epsilon), shortest(job.delta)),
                         ahead.dataset.name));
  print_note(fmt::format("left      {:.1f} % after this debit", 100 * ledger::share_left(filter, ahead.left)));
  if (yes || ::isatty(STDIN_FILENO) == 0 || job.source.path == "-") return {};
  std::fputs("Debit it? [y/N] ", stderr);
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "y" || answer == "Y" || answer == "yes") return {};
  return fail(ErrorKind::usage, "not confirmed, so nothing was debited; `run.yes` debits without a question");
}

}  // namespace chronoveil::cli
