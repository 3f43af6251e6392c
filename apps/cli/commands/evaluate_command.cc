// chronoveil evaluate: compares a release with the data. Internal: its output reveals the data.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/engine/job/text_file.h"
#include "command.h"
#include "output/job_output.h"
#include "output/means_output.h"

namespace chronoveil::cli {
namespace {

struct EvaluateOptions {
  std::string job;
  std::string release;
  std::string report;
  bool json = false;
};

std::string errors_text(const report::Evaluation& evaluation) {
  const report::Errors errors = report::errors_of(evaluation);
  std::string text = "internal: reveals the data\n";
  const auto row = [&](const char* name, double value) { text += fmt::format("  {:<44}{:.6g}\n", name, value); };
  row("mean absolute error", errors.mean_absolute);
  row("root mean square error", errors.root_mean_square);
  row("mean relative error", errors.mean_relative);
  row("share of true counts inside their interval", errors.coverage);
  row("mean absolute error against bounded counts", errors.mean_absolute_bounded);
  row("share of bounded counts inside it", errors.coverage_bounded);
  const auto count = [&](const char* name, std::int64_t value) { text += fmt::format("  {:<44}{}\n", name, value); };
  count("rows read", evaluation.rows);
  count("rows outside the span", evaluation.outside_span);
  count("rows of unlisted series", evaluation.unlisted_series);
  count("left out by the caps", evaluation.over_caps);
  count("counts clamped to the maximum", evaluation.clamped);
  return text;
}

// A report that reveals the data must not overwrite a published file or an input.
Result<void> check_report(const EvaluateOptions& options, const engine::Job& job) {
  for (const std::string& other :
       {options.release, job.path, job.source.path, job.key_list, job.csv, job.json, job.report}) {
    if (engine::same_file(options.report, other))
      return fail(ErrorKind::usage, "--report",
                  "'" + options.report + "' is a file of the job or its release; the internal report needs its own");
  }
  return check_writable("--report", options.report);
}

template <class Evaluation>
Result<void> show(const EvaluateOptions& options, const Evaluation& evaluation,
                  std::string (*errors)(const Evaluation&)) {
  if (!options.report.empty()) CV_CHECK(write_files({{options.report, report::evaluation_html(evaluation), 0600}}));
  if (options.json) {
    std::cout << report::evaluation_json(evaluation);
  } else if (options.report != "-") {
    std::cout << errors(evaluation);
  }
  return {};
}

Result<void> evaluate(const EvaluateOptions& options) {
  CV_TRY(const engine::Job job, engine::read_job(options.job));
  if (options.json && options.report == "-")
    return fail(ErrorKind::usage, "--report", "standard output is taken by --json");
  if (!options.report.empty()) CV_CHECK(check_report(options, job));
  CV_TRY(const std::string text, engine::read_text_file("--release", options.release, engine::TextSize::document));
  if (job.is<engine::PerturbSpec>())
    return fail(ErrorKind::usage, "JOB",
                "what moved where is known only while it moves; run the job with output.internal");
  if (job.is<engine::TrainSpec>())
    return fail(ErrorKind::usage, "JOB",
                "use chronoveil backtest to compare forecasts of a model with what came later");
  if (job.is<engine::MeansSpec>()) {
    CV_TRY(const report::MeansEvaluation evaluation, engine::evaluate_means(job, text));
    return show(options, evaluation, means_errors_text);
  }
  CV_TRY(const report::Evaluation evaluation, engine::evaluate_job(job, text));
  return show(options, evaluation, errors_text);
}

}  // namespace

void add_evaluate_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command =
      app.add_subcommand("evaluate", "Compare a release with the data; internal: its output reveals the data");
  command->add_option("JOB", options->job, "The job file (TOML)")->required();
  command->add_option("--release", options->release, "The release (JSON) that the job wrote")->required();
  command->add_option("--report", options->report, "Write the internal report (HTML) there, for its owner only");
  add_json_flag(*command, options->json);
  add_example(*command, "chronoveil evaluate city.toml --release out.json --report internal.html");
  on_run(*command, context, [options] { return evaluate(*options); });
}

}  // namespace chronoveil::cli
