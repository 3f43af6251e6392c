// chronoveil run: plans, debits and releases what a job file asks for.
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "commands/means_command.h"
#include "commands/perturb_command.h"
#include "commands/train_command.h"
#include "output/job_output.h"
#include "run_flags.h"

namespace chronoveil::cli {
namespace {

struct RunCommandOptions {
  std::string job;
  RunFlags flags;
  std::optional<std::string> analysis;
  bool json = false;
};

Result<void> run(const RunCommandOptions& options) {
  CV_TRY(engine::Job job, engine::read_job(options.job));
  if (job.is<engine::TrainSpec>() && options.analysis)
    return fail(ErrorKind::usage, "--analysis", "write privacy.analysis into a job that trains");
  CV_CHECK(apply_analysis(options.analysis, job.analysis));
  if (job.is<engine::MeansSpec>()) return run_means(job, options.flags, options.json);
  if (job.is<engine::PerturbSpec>()) return run_perturbation(job, options.flags, options.json);
  if (job.is<engine::TrainSpec>()) return run_training(options.job, job, options.flags, options.json);
  if (options.flags.dry_run) return print_dry_run(job, options.json);
  CV_CHECK(check_room(job, options.json));
  CV_TRY(const Ran<report::Published> published, run_with(job, options.flags));
  if (options.json) {
    nlohmann::ordered_json summary = summary_json(published);
    summary["taken_up"] = published.taken_up;
    summary["outputs"] = outputs_json(job);
    add_programme(published.budget, summary);
    print_json(summary);
  } else {
    print_summary(job, published_text(job, published), published.debit.has_value());
  }
  return {};
}

}  // namespace

void add_run_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<RunCommandOptions>();
  CLI::App* command = app.add_subcommand("run", "Release what a job file asks for: plan, debit, read, publish");
  command->add_option("JOB", options->job, "The job file (TOML)")->required();
  add_run_flags(*command, options->flags);
  add_replay_flags(*command, options->flags);
  add_analysis_option(*command, options->analysis);
  add_json_flag(*command, options->json);
  add_example(*command, "chronoveil run city.toml");
  add_example(*command, "chronoveil run city.toml --again city:3");
  on_run(*command, context, [options] { return run(*options); });
}

}  // namespace chronoveil::cli
