// What every command of the program shares: how it is registered, how it runs, how it fails.
//
//   void add_name_command(CLI::App& app, CommandContext& context) {
//     struct Options { double epsilon = 0; bool json = false; };
//     auto options = std::make_shared<Options>();
//     CLI::App* command = app.add_subcommand("name", "One line that says what it does");
//     command->add_option("--epsilon", options->epsilon, "What it means")->required();
//     add_json_flag(*command, options->json);
//     add_example(*command, "chronoveil name --epsilon 1");
//     on_run(*command, context, [options]() -> Result<void> { ... std::cout << ...; return {}; });
//   }
//
// A command writes to stdout only once nothing can fail any more, so that an error leaves stdout empty.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::cli {

struct CommandContext {
  std::vector<std::string> arguments;  // of the program, without its name
  int exit_code = 0;
};

// Runs `body` when the command line asks for `command`. An error becomes one line on stderr and its exit code.
void on_run(CLI::App& command, CommandContext& context, std::function<Result<void>()> body);

// --json, in the same words everywhere: one JSON object on stdout.
void add_json_flag(CLI::App& command, bool& json);

// An example under --help and in the man page; call again for a second one.
void add_example(CLI::App& command, std::string_view command_line);

// Refuses every option beside a job file unless it is one of `allowed`: the job says everything, and an option that is
// ignored in silence would look obeyed.
Result<void> only_beside_job(const CLI::App& command, std::initializer_list<std::string_view> allowed);

// "chronoveil: message" on stderr, always one line: control characters in quoted input are made visible.
void print_error(std::string_view message);

// A line on stderr that is no error, such as the mark of what is not private; made visible in the same way.
void print_note(std::string_view text);

// What to say, for example what has been spent, if the program ends other than by a Result: by SIGINT or SIGTERM
// ("chronoveil: interrupted; NOTE"), by an exception, for lack of memory, or because standard output cannot be written.
// About 400 bytes are kept; an empty note removes it.
void say_on_interrupt(std::string_view note);
std::string_view said_on_interrupt();

// Every command, in the order of --help; each is in its own file.
void add_account_command(CLI::App& app, CommandContext& context);
void add_calibrate_command(CLI::App& app, CommandContext& context);
void add_budget_command(CLI::App& app, CommandContext& context);
void add_key_command(CLI::App& app, CommandContext& context);
void add_verify_command(CLI::App& app, CommandContext& context);
void add_noise_command(CLI::App& app, CommandContext& context);
void add_plan_command(CLI::App& app, CommandContext& context);
void add_check_command(CLI::App& app, CommandContext& context);
void add_run_command(CLI::App& app, CommandContext& context);
void add_init_command(CLI::App& app, CommandContext& context);
void add_look_command(CLI::App& app, CommandContext& context);
void add_release_command(CLI::App& app, CommandContext& context);
void add_means_command(CLI::App& app, CommandContext& context);
void add_perturb_command(CLI::App& app, CommandContext& context);
void add_live_command(CLI::App& app, CommandContext& context);
// These three become chronoveil-forecast where a model is a network.
void add_train_front(CLI::App& app, CommandContext& context);
void add_forecast_front(CLI::App& app, CommandContext& context);
void add_backtest_front(CLI::App& app, CommandContext& context);
void add_evaluate_command(CLI::App& app, CommandContext& context);
void add_simulate_command(CLI::App& app, CommandContext& context);
void add_completion_command(CLI::App& app, CommandContext& context);
void add_man_command(CLI::App& app, CommandContext& context);

}  // namespace chronoveil::cli
