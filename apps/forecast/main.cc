// The program with libtorch: trains, forecasts and backtests. `chronoveil train`, `forecast` and `backtest` run it.
#include "commands.h"
#include "program.h"

int main(int argc, char** argv) {
  using namespace chronoveil::cli;
  return run_program(argc, argv, "chronoveil-forecast",
                     "Learns to forecast from series about people with a privacy guarantee that can be checked",
                     "chronoveil-forecast train job.toml",
                     {add_train_command, add_forecast_command, add_backtest_command});
}
