// The commands of chronoveil-forecast; each is in its own file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chronoveil/engine/job/job.h"
#include "command.h"

namespace chronoveil::cli {

void add_train_command(CLI::App&, CommandContext&);
void add_forecast_command(CLI::App&, CommandContext&);
void add_backtest_command(CLI::App&, CommandContext&);

// --device and --threads, the same for all.
struct Machine {
  std::string device = "cpu";
  std::optional<std::int64_t> threads;
};
void add_machine_options(CLI::App&, Machine&);
// Refuses a missing device before anything is spent.
Result<void> apply(const Machine&);

// A training job, or an error that says what it is instead.
Result<engine::Job> training_job(const std::string& path);

// Files by the options that name them.
using NamedFiles = std::vector<std::pair<std::string, std::string>>;
// Checks that outputs can be written, each to its own place, and overwrite no input; standard output takes only one.
Result<void> check_outputs(const NamedFiles& outputs, const NamedFiles& inputs, bool json);

}  // namespace chronoveil::cli
