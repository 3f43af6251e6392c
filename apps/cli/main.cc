// The program: parses the command line, runs one command, turns errors into exit codes. No privacy logic here.
#include "program.h"

int main(int argc, char** argv) {
  using namespace chronoveil::cli;
  return run_program(
      argc, argv, "chronoveil", "Publishes time series about people with a privacy guarantee that can be checked",
      "chronoveil init trips.csv\n  chronoveil check trips.toml\n  chronoveil run trips.toml",
      {add_account_command,    add_calibrate_command, add_budget_command, add_key_command,      add_verify_command,
       add_noise_command,      add_init_command,      add_look_command,   add_plan_command,     add_check_command,
       add_run_command,        add_release_command,   add_means_command,  add_perturb_command,  add_live_command,
       add_train_front,        add_forecast_front,    add_backtest_front, add_evaluate_command, add_simulate_command,
       add_completion_command, add_man_command});
}
