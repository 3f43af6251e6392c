// The commands that train, forecast and backtest; each is in its own file. Both programs have them: chronoveil-forecast
// with networks, chronoveil without, which becomes the other program where a model is a network.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chronoveil/engine/job/job.h"
#include "chronoveil/training/train.h"
#include "command.h"
#include "run_flags.h"

namespace chronoveil::cli {

// How a program does what needs networks: by itself, or by becoming the one that can.
struct NetworkDoor {
  const training::Networks* networks = nullptr;
  // The same command line in the other program; returns only with an error.
  std::function<Result<void>(const std::vector<std::string>& arguments)> hand_on;
  bool leads_away_for(const std::string& model) const;
};

void add_train_command(CLI::App&, CommandContext&, const NetworkDoor&);
void add_forecast_command(CLI::App&, CommandContext&, const NetworkDoor&);
void add_backtest_command(CLI::App&, CommandContext&, const NetworkDoor&);

// --device and --threads, the same for all.
struct Machine {
  std::string device = "cpu";
  std::optional<std::int64_t> threads;
};
void add_machine_options(CLI::App&, Machine&);
// Refuses a missing device before anything is spent. Without networks there is nothing to choose.
Result<void> apply(const Machine&, const training::Networks*);

// What `train` does with a job of a model that this program has.
Result<void> train_job(const engine::Job&, const RunFlags&, const Machine&, bool json, const training::Networks*);

// A training job, or an error that says what it is instead.
Result<engine::Job> training_job(const std::string& path);

// Files by the options that name them.
using NamedFiles = std::vector<std::pair<std::string, std::string>>;
// Checks that outputs can be written, each to its own place, and overwrite no input; standard output takes only one.
Result<void> check_outputs(const NamedFiles& outputs, const NamedFiles& inputs, bool json);

}  // namespace chronoveil::cli
