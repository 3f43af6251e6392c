// chronoveil train, forecast, backtest. This program does not link libtorch, which takes a while to load: where a model
// is a network, it becomes chronoveil-forecast, which is installed beside it.
#include "commands/train_command.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "command.h"
#include "commands.h"
#include "output/train_output.h"
#include "signals.h"

namespace chronoveil::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "chronoveil-forecast";

// $CHRONOVEIL_FORECAST, or chronoveil-forecast in the folder of this program.
std::string other_program() {
  if (const char* given = std::getenv("CHRONOVEIL_FORECAST"); given != nullptr && *given != '\0') return given;
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error);
  return (here.parent_path() / kProgram).string();
}

bool is_there(const std::string& program) { return ::access(program.c_str(), X_OK) == 0; }

// Becomes the other program: its output, its messages and its exit code are ours. Returns only with an error.
Failure become(const std::vector<std::string>& arguments) {
  const std::string program = other_program();
  if (!is_there(program))
    return fail(ErrorKind::usage, arguments.front() + ": it needs the program " + kProgram + ", which is not at '" +
                                      program +
                                      "'; install it (it is built where libtorch-dev is), or say in "
                                      "CHRONOVEIL_FORECAST where it is; the model sign_lags does without it");
  std::vector<char*> all{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) all.push_back(const_cast<char*>(argument.c_str()));
  all.push_back(nullptr);
  flush_output();
  ::execv(program.c_str(), all.data());
  return fail(ErrorKind::storage, "'" + program + "': " + std::strerror(errno));
}

NetworkDoor to_other_program() {
  return {nullptr, [](const auto& arguments) -> Result<void> { return become(arguments); }};
}

}  // namespace

Result<void> run_training(const std::string& path, const engine::Job& job, const RunFlags& flags, bool json) {
  if (flags.dry_run) return print_train_plan(job, json);
  const NetworkDoor door = to_other_program();
  if (!door.leads_away_for(job.train().model.model)) return train_job(job, flags, {}, json, nullptr);
  std::vector<std::string> arguments{"train", path};
  const auto pass = [&](const char* option, const std::optional<std::string>& value) {
    if (value) arguments.insert(arguments.end(), {option, *value});
  };
  if (!flags.ledger.empty()) pass("--ledger", flags.ledger);
  pass("--again", flags.again);
  pass("--seed", flags.seed);
  pass("--noise-from", flags.noise_from);
  pass("--keep-from", flags.keep_from);
  if (flags.yes) arguments.emplace_back("--yes");
  if (json) arguments.emplace_back("--json");
  return door.hand_on(arguments);
}

void add_train_front(CLI::App& app, CommandContext& context) { add_train_command(app, context, to_other_program()); }
void add_forecast_front(CLI::App& app, CommandContext& context) {
  add_forecast_command(app, context, to_other_program());
}
void add_backtest_front(CLI::App& app, CommandContext& context) {
  add_backtest_command(app, context, to_other_program());
}

}  // namespace chronoveil::cli
