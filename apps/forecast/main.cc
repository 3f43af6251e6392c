// The program with libtorch: trains, forecasts and backtests with models of every kind. `chronoveil train`, `forecast` and
// `backtest` become it where a model is a network.
#include "chronoveil/networks/networks.h"
#include "commands.h"
#include "program.h"

namespace chronoveil::cli {
namespace {

template <void (*add)(CLI::App&, CommandContext&, const NetworkDoor&)>
void with_networks(CLI::App& app, CommandContext& context) {
  add(app, context, {&networks::with_libtorch(), {}});
}

}  // namespace
}  // namespace chronoveil::cli

int main(int argc, char** argv) {
  using namespace chronoveil::cli;
  return run_program(
      argc, argv, "chronoveil-forecast",
      "Learns to forecast from series about people with a privacy guarantee that can be checked",
      "chronoveil-forecast train job.toml",
      {with_networks<add_train_command>, with_networks<add_forecast_command>, with_networks<add_backtest_command>});
}
