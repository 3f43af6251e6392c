// chronoveil backtest: how good would a model be, with how much privacy, against the baselines?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "chronoveil/report/forecast/backtested.h"
#include "chronoveil/training/backtest.h"
#include "commands.h"
#include "output/progress_line.h"
#include "output/text_table.h"

namespace chronoveil::cli {
namespace {

struct BacktestCommandOptions {
  std::string job;
  std::vector<std::string> models, epsilons;
  std::int64_t seeds = 1, windows = 1;
  std::optional<std::int64_t> stride, steps, season;
  std::string csv, report;
  bool no_baselines = false;
  Machine machine;
  bool json = false;
};

Result<std::vector<double>> epsilons_of(const std::vector<std::string>& words) {
  std::vector<double> all;
  for (const std::string& word : words) {
    std::size_t read = 0;
    double epsilon = 0;
    try {
      epsilon = std::stod(word, &read);
    } catch (const std::exception&) {
      read = 0;
    }
    if (read != word.size() || !(epsilon > 0)) return invalid("--epsilons", word, "numbers above 0, or inf");
    all.push_back(epsilon);
  }
  return all;
}

std::string backtest_text(const report::Backtested& backtest) {
  std::string text =
      fmt::format("{} of {}; the last {} of each are held back\n\n", counted(backtest.windows, "window", "windows"),
                  counted(backtest.series, "series", "series"), counted(backtest.held_back, "step", "steps"));
  std::vector<std::vector<std::string>> rows{{"model", "ε", "σ", "steps", "CRPS", "± over seeds"}};
  for (const report::BacktestedRow& row : backtest.rows) {
    const bool private_row = row.epsilon && std::isfinite(*row.epsilon);
    const bool noise = private_row && *row.epsilon > 0;
    rows.push_back({row.model,
                    !row.epsilon  ? ""
                    : private_row ? figure(*row.epsilon)
                                  : "not private",
                    noise ? figure(row.noise_multiplier) : "", row.steps > 0 ? std::to_string(row.steps) : "",
                    fmt::format("{:.4f}", row.mean), row.seeds > 1 ? fmt::format("{:.4f}", row.deviation) : ""});
  }
  return text + table_text(rows) +
         "\nThis was computed from the data without noise: it is for the owner of the data alone.\n";
}

bool leads_away(const NetworkDoor& door, const engine::Job& job, const std::vector<std::string>& models) {
  if (models.empty()) return door.leads_away_for(job.train().model.model);
  return std::any_of(models.begin(), models.end(),
                     [&](const std::string& model) { return door.leads_away_for(model); });
}

Result<void> backtest(const BacktestCommandOptions& options, const CommandContext& context, const NetworkDoor& door) {
  CV_TRY(const engine::Job job, training_job(options.job));
  if (leads_away(door, job, options.models)) return door.hand_on(context.arguments);
  CV_CHECK(apply(options.machine, door.networks));
  for (const auto& [option, number] :
       {std::pair("--seeds", options.seeds), std::pair("--windows", options.windows),
        std::pair("--stride", options.stride.value_or(1)), std::pair("--steps", options.steps.value_or(1)),
        std::pair("--season", options.season.value_or(1))})
    if (number < 1) return invalid(option, std::to_string(number), "a number of at least 1");
  training::BacktestRequest request;
  request.models = options.models;
  CV_TRY(request.epsilons, epsilons_of(options.epsilons));
  request.seeds = options.seeds;
  request.windows = options.windows;
  request.stride = options.stride;
  request.steps = options.steps;
  request.season = options.season.value_or(0);
  if (options.no_baselines) request.baselines.clear();
  request.networks = door.networks;
  request.device = options.machine.device;
  CV_CHECK(check_outputs({{"--output", options.csv}, {"--report", options.report}},
                         {{"JOB", options.job}, {"the source", job.source.path}, {"the list of series", job.key_list}},
                         options.json));
  training::Backtest found;
  {
    const ProgressLine line;
    if (line.shown()) request.progress = [&](const std::string& what) { line.tell(what + " ..."); };
    CV_TRY(found, training::run_backtest(job, request));
  }
  const report::Backtested all = training::report_of(job, found);
  CV_CHECK(training::write_backtest(all, options.csv, options.report));
  if (options.json)
    std::cout << report::to_json(all);
  else if (options.csv != "-" && options.report != "-")
    std::cout << backtest_text(all);
  return {};
}

}  // namespace

void add_backtest_command(CLI::App& app, CommandContext& context, const NetworkDoor& door) {
  auto options = std::make_shared<BacktestCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "backtest", "Train on all but the end of each series and score forecasts of it; internal, no debit");
  command->add_option("JOB", options->job, "A job file with a section [train]")->required();
  command->add_option("--models", options->models, "Models to compare; the job's own unless given")->delimiter(',');
  command
      ->add_option("--epsilons", options->epsilons,
                   "Budgets to compare, inf for no noise; default: the job's own and inf")
      ->delimiter(',');
  command->add_option("--seeds", options->seeds, "Trainings of each, with different seeds; 1 unless given");
  command->add_option("--windows", options->windows, "Forecasts of each series; 1 unless given");
  command->add_option("--stride", options->stride, "Steps between them; the forecast's length unless given");
  command->add_option("--steps", options->steps,
                      "Steps of training without noise; those of the largest budget unless given");
  command->add_option("--season", options->season,
                      "The season of the baselines, in steps; default: what is usual for the slots");
  command->add_flag("--no-baselines", options->no_baselines, "Leave out seasonal_naive and auto_ets");
  command->add_option("--output", options->csv, "Write the table as CSV, - for standard output");
  command->add_option("--report", options->report, "Write a report");
  add_machine_options(*command, options->machine);
  add_json_flag(*command, options->json);
  add_example(*command, "chronoveil backtest load.toml --models deepar,dlinear --epsilons 0.5,1,2,inf --seeds 5");
  on_run(*command, context, [options, &context, door] { return backtest(*options, context, door); });
}

}  // namespace chronoveil::cli
