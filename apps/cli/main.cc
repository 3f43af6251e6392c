// The program: parses the command line, runs one command, turns errors into exit codes. No privacy logic here.
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/base/version.h"
#include "command.h"
#include "signals.h"

namespace chronoveil::cli {

namespace {

std::string version_line() {
  std::string line = "chronoveil ";
  line.append(kVersion).append(" (analysis ").append(std::to_string(accounting::kAnalysisVersion)).append(")");
  return line;
}

// What is wrong with the command line. A word that nobody knows explains itself and what is missing because of it.
std::string explain(const CLI::App& app, const CLI::ParseError& wrong) {
  const std::vector<std::string> unknown = app.remaining(true);
  std::string message = wrong.what();
  if (!unknown.empty()) message = unknown.front() + " is not known here";
  return message + "; see chronoveil --help";
}

int run(int argc, char** argv) {
  CommandContext context;
  CLI::App app("Publishes time series about people with a privacy guarantee that can be checked", "chronoveil");
  app.set_version_flag("--version", version_line(), "Print the release and the version of the analysis");
  app.require_subcommand(1);
  add_example(app, "chronoveil calibrate gaussian --count 52 --epsilon 1 --delta 1e-6");
  for (const auto add :
       {add_account_command, add_calibrate_command, add_budget_command, add_noise_command, add_plan_command,
        add_check_command, add_run_command, add_release_command, add_means_command, add_perturb_command,
        add_live_command, add_evaluate_command, add_simulate_command, add_completion_command, add_man_command})
    add(app, context);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answered) {  // --help, --version
    app.exit(answered);
  } catch (const CLI::ParseError& wrong) {
    print_error(explain(app, wrong));
    return static_cast<int>(ErrorKind::usage);
  }
  return context.exit_code;
}

}  // namespace
}  // namespace chronoveil::cli

int main(int argc, char** argv) {
  using namespace chronoveil;
  cli::install_signals();
  int exit_code = static_cast<int>(ErrorKind::internal);
  try {
    exit_code = cli::run(argc, argv);
  } catch (const std::exception& unexpected) {
    cli::print_error(std::string("internal error: ") + unexpected.what());
  }
  if (!cli::flush_output() && exit_code == 0) {
    cli::print_error("stdout: could not be written");
    exit_code = static_cast<int>(ErrorKind::storage);
  }
  return exit_code;
}
