#include "debit_prompt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "command.h"
#include "output/budget_output.h"

namespace chronoveil::cli {
namespace {

Result<void> ask(const DebitQuestion& question, const engine::DebitAhead& ahead) {
  const ledger::Filter& filter = ahead.dataset.filter;
  print_note(fmt::format("cost      {} from the budget of {}",
                         amount_text(filter, ahead.cost, question.epsilon, question.delta), ahead.dataset.name));
  print_note(fmt::format("left      {:.1f} % after this debit", 100 * ledger::share_left(filter, ahead.left)));
  if (question.yes || ::isatty(STDIN_FILENO) == 0 || question.rows_on_stdin) return {};
  std::fputs("Debit it? [y/N] ", stderr);
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "y" || answer == "Y" || answer == "yes") return {};
  return fail(ErrorKind::usage, "not confirmed, so nothing was debited; `run.yes` debits without a question");
}

}  // namespace

DebitQuestion question_of(const engine::Job& job, bool yes) {
  return {job.epsilon, job.delta, job.source.path == "-", yes};
}

std::function<Result<void>(const engine::DebitAhead&)> ask_before_debit(const DebitQuestion& question,
                                                                        const ProgressLine* progress) {
  if (::isatty(STDERR_FILENO) == 0) return {};
  return [question, progress](const engine::DebitAhead& ahead) {
    if (progress != nullptr) progress->tell("");
    return ask(question, ahead);
  };
}

}  // namespace chronoveil::cli
