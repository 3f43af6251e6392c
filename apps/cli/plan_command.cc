// chronoveil plan: compares the mechanisms for a job, from public facts only.
#include <iostream>
#include <memory>

#include "command.h"
#include "job_output.h"
#include "run_flags.h"

namespace chronoveil::cli {
namespace {

struct PlanOptions {
  std::string job;
  std::string sample;
  std::optional<std::string> analysis;
  bool json = false;
};

Result<void> plan(const PlanOptions& options) {
  CV_TRY(engine::Job job, engine::read_job(options.job));
  if (!options.sample.empty()) job.public_sample = options.sample;
  CV_CHECK(apply_analysis(options.analysis, job));
  CV_CHECK(engine::check_values(job));
  CV_TRY(const engine::Planned planned, engine::plan_job(job, engine::Compare::always));
  if (options.json) {
    print_json(plan_json(job, planned));
  } else {
    std::cout << plan_text(job, planned);
  }
  return {};
}

}  // namespace

void add_plan_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* command = app.add_subcommand("plan", "Compare the mechanisms for a job, without data and without a debit");
  command->add_option("JOB", options->job, "The job file (TOML)")->required();
  command->add_option("--sample", options->sample, "A CSV of counts that you declare public, to predict errors on");
  add_analysis_option(*command, options->analysis);
  add_json_flag(*command, options->json);
  add_example(*command, "chronoveil plan city.toml --sample last-year.csv");
  on_run(*command, context, [options] { return plan(*options); });
}

}  // namespace chronoveil::cli
