// chronoveil release: the simple case of a job, from options instead of a file.
#include <memory>

#include "command.h"
#include "job_options.h"
#include "key_names.h"
#include "output/job_output.h"

namespace chronoveil::cli {
namespace {

Result<void> release(const JobOptions& options) {
  CV_TRY(const engine::Job job, job_of(options));
  if (options.flags.dry_run) return print_dry_run(job, options.json);
  CV_TRY(const Ran<report::Published> published, run_with(job, options.flags));
  print_summary(job, published_text(job, published), published.debit.has_value());
  return {};
}

}  // namespace

void add_release_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<JobOptions>();
  options->kind = engine::SeriesSpec();
  CLI::App* command = app.add_subcommand("release", "Release a series without a job file; prints it as CSV");
  add_job_options(*command, *options, "A CSV file (plain, gzip, xz), -, a SQLite file or a postgresql:// URL");
  add_example(*command,
              "chronoveil release trips.csv --dataset city --user card --time ts --start 2026-03-01T00:00 --end "
              "2026-04-01T00:00 --length 1h --max-steps 20 --epsilon 1 --delta 1e-6");
  on_run(*command, context, [options, command] { return in_options(*command, release(*options)); });
}

}  // namespace chronoveil::cli
