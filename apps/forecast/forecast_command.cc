// chronoveil forecast: what comes next, from a trained model and a history.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "chronoveil/base/plain_text.h"
#include "chronoveil/report/forecast/forecasted.h"
#include "chronoveil/training/forecast.h"
#include "chronoveil/training/release_forecast.h"
#include "commands.h"
#include "debit_prompt.h"
#include "key_names.h"
#include "ledger_option.h"
#include "output/job_output.h"
#include "run_flags.h"

namespace chronoveil::cli {
namespace {

struct ForecastCommandOptions {
  std::string model;
  std::optional<std::string> release;
  std::optional<std::int64_t> steps;
  data::SourceSpec source;
  std::optional<std::string> series_column, keys;
  std::vector<std::string> values;
  std::int64_t paths = 200, seed_of_paths = 1;
  std::string csv, paths_csv, json_path, report, chart, title;
  bool private_history = false;
  training::PrivateHistory history;
  std::string fill = "linear";
  RunFlags flags;
  Machine machine;
  bool json = false;
};

Result<forecasting::PredictionOptions> prediction_of(const ForecastCommandOptions& options) {
  if (options.paths < 1) return invalid("--paths", std::to_string(options.paths), "a number of at least 1");
  forecasting::PredictionOptions prediction;
  prediction.paths = options.paths;
  prediction.keep_paths = !options.paths_csv.empty();
  prediction.seed = static_cast<std::uint64_t>(options.seed_of_paths);
  return prediction;
}

Result<training::ForecastRequest> request_of(const ForecastCommandOptions& options) {
  training::ForecastRequest request;
  if (options.source.path == "-")
    return fail(ErrorKind::usage, "INPUT",
                "a history is read more than once; give it in a file, not by standard input");
  request.source = options.source;
  request.source.series = options.series_column;
  request.channels = options.values;
  if (options.keys) {
    CV_TRY(request.keys, engine::read_key_list(*options.keys, "--keys"));
    if (!options.series_column) return fail(ErrorKind::usage, "--series", "a list of keys needs the column of series");
  }
  CV_TRY(request.prediction, prediction_of(options));
  request.device = options.machine.device;
  CV_TRY(request.run, options_of(options.flags));
  if (options.private_history) {
    request.privacy = options.history;
    if (options.fill != "linear" && options.fill != "mean") return invalid("--fill", options.fill, "linear or mean");
    request.privacy->fill = options.fill == "mean" ? training::GapFill::mean : training::GapFill::linear;
    watch_debit(request.run);
    request.run.before_debit =
        ask_before_debit({options.history.epsilon, options.history.delta, false, options.flags.yes});
  }
  return request;
}

// Options that only make sense with --private; so does --ledger, but it may come from the environment.
Result<void> check_private(const CLI::App& command, const ForecastCommandOptions& options) {
  for (const char* name : {"--dataset", "--epsilon", "--delta", "--rate", "--max-steps", "--lower", "--upper", "--fill",
                           "--purpose", "--seed", "--yes", "--again"})
    if (!options.private_history && command.get_option(name)->count() > 0)
      return fail(ErrorKind::usage, std::string(name), "it belongs to --private");
  if (!options.private_history) return {};
  for (const char* name : {"--epsilon", "--delta", "--lower", "--upper"})
    if (command.get_option(name)->count() == 0)
      return fail(ErrorKind::usage, std::string(name), "it is missing; --private needs it");
  return {};
}

// Where the quantiles go: to standard output, unless something else is asked for.
std::string csv_of(const ForecastCommandOptions& options) {
  const bool nothing = options.csv.empty() && !options.json && options.report.empty() && options.chart.empty() &&
                       options.json_path.empty();
  return nothing ? "-" : options.csv;
}

training::ForecastPaths paths_of(const ForecastCommandOptions& options) {
  return {csv_of(options), options.paths_csv, options.json_path, options.report, options.chart};
}

NamedFiles outputs_of(const ForecastCommandOptions& options) {
  return {{"--output", csv_of(options)},
          {"--paths-output", options.paths_csv},
          {"--json-out", options.json_path},
          {"--report", options.report},
          {"--chart", options.chart}};
}

// What a forecast of a private history cost, and what its noise does.
std::string spent_text(const ForecastCommandOptions& options, const report::Forecasted::PrivateInput& input) {
  std::string text = guarantee_text(input.guarantee);
  text += fmt::format("noise     Gaussian σ = {:.4g} on each value, {:.2g} times the width of the bounds {} to {}{}\n",
                      input.noise, input.noise_in_widths(), shortest(options.history.lower),
                      shortest(options.history.upper), input.is_mostly_noise() ? ": the forecast is mostly noise" : "");
  text += debit_text(input.debit, input.budget);
  std::string written;
  for (const auto& [option, path] : outputs_of(options))
    if (!path.empty() && path != "-") written += (written.empty() ? "" : ", ") + visible(path);
  return written.empty() ? text : text + "written   " + written + "\n";
}

// From a release: nothing of it is private any more, so there is no debit and no question.
Result<void> forecast_from_release(const ForecastCommandOptions& options, const CLI::App& command) {
  for (const char* name : {"INPUT", "--series", "--keys", "--value", "--time", "--time-format", "--zone", "--private"})
    if (command.get_option(name)->count() > 0)
      return fail(ErrorKind::usage, name, "it says how to read a history; with --release the history is the release");
  training::ReleaseForecastRequest request;
  request.release = *options.release;
  if (!options.model.empty()) request.model = options.model;
  request.steps = options.steps;
  CV_TRY(request.prediction, prediction_of(options));
  request.title = options.title;
  CV_CHECK(
      check_outputs(outputs_of(options), {{"MODEL", options.model}, {"--release", *options.release}}, options.json));
  CV_CHECK(training::check_chart(paths_of(options)));
  CV_TRY(const report::Forecasted found, training::forecast_release(request));
  const training::ForecastDocuments all = training::documents_of(found);
  CV_CHECK(training::write_forecast(all, paths_of(options)));
  if (!all.mark.empty()) print_note(all.mark);
  if (options.json) std::cout << all.json;
  return {};
}

Result<void> forecast(const ForecastCommandOptions& options, const CLI::App& command, const CommandContext& context,
                      const NetworkDoor& door) {
  if (options.release) {
    CV_CHECK(check_private(command, options));
    CV_CHECK(check_plain_text("--title", options.title));
    return forecast_from_release(options, command);
  }
  if (options.model.empty() || options.source.path.empty())
    return fail(ErrorKind::usage, options.model.empty() ? "MODEL" : "INPUT",
                "it is missing: forecast MODEL INPUT, or forecast --release RELEASE.json");
  if (options.steps) return fail(ErrorKind::usage, "--steps", "a model forecasts as many steps as it was made for");
  if (door.networks == nullptr) {
    CV_TRY(const training::TrainedModel model, training::load_model(options.model));
    if (door.leads_away_for(model.config.model)) return door.hand_on(context.arguments);
  }
  CV_CHECK(apply(options.machine, door.networks));
  CV_CHECK(check_private(command, options));
  CV_CHECK(check_plain_text("--title", options.title));
  CV_TRY(training::ForecastRequest request, request_of(options));
  request.networks = door.networks;
  request.outputs = outputs_of(options);
  CV_CHECK(check_outputs(
      request.outputs,
      {{"MODEL", options.model}, {"INPUT", options.source.path}, {"--keys", options.keys.value_or("")}}, options.json));
  CV_CHECK(training::check_chart(paths_of(options)));
  const training::WriteForecast write = [&](const training::ForecastDocuments& all) {
    return training::write_forecast(all, paths_of(options));
  };
  training::ForecastDocuments all;
  if (options.private_history) {
    CV_TRY(all, training::run_private_forecast(options.model, request, options.title, write, options.flags.again));
  } else {
    CV_TRY(const report::Forecasted found, training::run_forecast(options.model, request, options.title));
    all = training::documents_of(found);
    CV_CHECK(write(all));
  }
  if (!all.mark.empty()) print_note(all.mark);
  if (options.json)
    std::cout << all.json;
  else if (all.input)
    print_notes(spent_text(options, *all.input));
  return {};
}

}  // namespace

void add_forecast_command(CLI::App& app, CommandContext& context, const NetworkDoor& door) {
  auto options = std::make_shared<ForecastCommandOptions>();
  options->source.zone.clear();
  CLI::App* command = app.add_subcommand("forecast", "Forecast what comes after a history, by a trained model");
  command->add_option("MODEL", options->model, "A model file, as train writes it");
  command->add_option("INPUT", options->source.path, "A CSV file (plain, gzip, xz) with the history");
  command->add_option("--release", options->release,
                      "Instead of a history: a release JSON of counts per series, public already, so at no cost; "
                      "MODEL may be left out");
  command->add_option("--steps", options->steps,
                      "With --release and no model: how many steps; a season of the slots unless given");
  command->add_option("--time", options->source.time, "The column of times; time unless given");
  command->add_option("--series", options->series_column, "The column of series; one series unless given");
  command->add_option("--keys", options->keys, "A file with the series to forecast, one per line; all unless given");
  command->add_option("--value", options->values, "The columns of values; default: those that the model was trained on")
      ->delimiter(',');
  command->add_option("--time-format", options->source.time_format, "iso8601, epoch, epoch_ms, or a pattern");
  command->add_option("--zone", options->source.zone,
                      "The time zone of times without an offset; that of the training unless given");
  command->add_option("--paths", options->paths,
                      "How many sample paths; quantiles are made of them if the model needs it");
  command->add_option("--path-seed", options->seed_of_paths, "The seed of the paths; privacy does not depend on it");
  command->add_option("--output", options->csv, "Quantiles as CSV; - for standard output, which is the default");
  command->add_option("--paths-output", options->paths_csv, "Sample paths as CSV");
  command->add_option("--json-out,--json-output", options->json_path, "Everything as JSON");
  command->add_option("--report", options->report, "A report with fan charts");
  command->add_option("--chart", options->chart, "The fan charts as a picture, FILE.svg or FILE.png");
  command->add_option("--title", options->title, "The title of the report");
  command->add_flag("--private", options->private_history, "The history is private too: add noise to it first");
  training::PrivateHistory& history = options->history;
  command->add_option("--dataset", history.dataset, "The ledger's dataset of the history");
  command->add_option("--purpose", history.purpose, "What the debit is for");
  command->add_option("--epsilon", history.epsilon, "Of this forecast");
  command->add_option("--delta", history.delta, "Of this forecast");
  command->add_option("--rate", history.rate, "The probability with which a step is kept; 0.5 unless given");
  command->add_option("--max-steps", history.changed_steps, "Steps that one person can change; 1 unless given");
  command->add_option("--lower", history.lower, "A public lower bound of values");
  command->add_option("--upper", history.upper, "A public upper bound of values");
  command->add_option("--fill", options->fill,
                      "How steps that were not kept are filled: linear (the default), or mean");
  add_ledger_option(*command, options->flags.ledger);
  add_clock_flag(*command);
  command->add_flag("--yes", options->flags.yes,
                    "With --private: debit without a question, even the same forecast a second time");
  command->add_option("--again", options->flags.again, "With --private: emit the stored forecast of this debit anew");
  command->add_option("--seed", options->flags.seed, "For tests and experiments only: not private, no ledger");
  add_machine_options(*command, options->machine);
  add_json_flag(*command, options->json);
  add_example(*command, "chronoveil forecast --release trips.json --report next.html");
  add_example(*command, "chronoveil forecast model.cvm load.csv --series meter --output next.csv --report next.html");
  on_run(*command, context, [options, command, &context, door] {
    return in_options(*command, forecast(*options, *command, context, door));
  });
}

}  // namespace chronoveil::cli
