// chronoveil means: means per place and slot, from options or from a job file.
#include "commands/means_command.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "job_options.h"
#include "key_names.h"
#include "output/job_output.h"
#include "output/means_output.h"

namespace chronoveil::cli {
namespace {

Result<void> from_options(const JobOptions& options) {
  CV_TRY(const engine::Job job, job_of(options));
  if (options.flags.dry_run) return print_means_plan(job, engine::Compare::when_needed, options.json);
  return run_means(job, options.flags, false);  // --json made the document an output of the job
}

Result<void> means(const JobOptions& options, const CLI::App& command) {
  if (!options.names_a_job()) return in_options(command, from_options(options));
  CV_TRY(const engine::Job job, named_job(options, command, "means"));
  return run_means(job, options.flags, options.json);
}

}  // namespace

Result<void> run_means(const engine::Job& job, const RunFlags& flags, bool json) {
  if (flags.dry_run) return print_means_plan(job, engine::Compare::when_needed, json);
  CV_CHECK(check_room(job, json));
  CV_TRY(const Ran<report::MeansPublished> published, run_means_with(job, flags));
  if (json) {
    nlohmann::ordered_json summary = means_summary_json(published);
    summary["taken_up"] = published.taken_up;
    summary["outputs"] = outputs_json(job);
    add_programme(published.budget, summary);
    print_json(summary);
  } else {
    print_summary(job, means_published_text(job, published), published.debit.has_value());
  }
  return {};
}

void add_means_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<JobOptions>();
  options->kind = engine::MeansSpec();
  CLI::App* command = app.add_subcommand("means", "Release means per place and slot; prints them as CSV");
  add_job_options(*command, *options,
                  "A CSV file (plain, gzip, xz), -, a SQLite file or a postgresql:// URL; or a job file (.toml), which "
                  "says all the rest itself");
  add_example(*command,
              "chronoveil means buses.csv --dataset buses --user vehicle --time timestamp --place place --place-list "
              "places.txt --value speed --upper 65 --start 2026-02-02T00:00 --end 2026-02-03T00:00 --length 1h "
              "--counts public --max-cells 24 --epsilon 1");
  add_example(*command, "chronoveil means speeds.toml");
  on_run(*command, context, [options, command] { return means(*options, *command); });
}

}  // namespace chronoveil::cli
