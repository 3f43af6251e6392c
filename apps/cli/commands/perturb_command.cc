// chronoveil perturb: moves the values of a series in time, from options or from a job file.
#include "commands/perturb_command.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "chronoveil/engine/programme/programme.h"
#include "chronoveil/engine/release/audit.h"
#include "command.h"
#include "job_options.h"
#include "key_names.h"
#include "output/job_output.h"
#include "output/perturb_output.h"

namespace chronoveil::cli {
namespace {

// The plan, the header, and what the budget says where there is one; no row, and no debit.
Result<void> print_dry_run(const engine::Job& job, const RunFlags& flags, bool json, const KeyNames& names) {
  CV_TRY(const std::optional<engine::PerturbedColumns> columns, engine::perturbed_columns(job));
  CV_CHECK(print_perturb_plan(job, engine::Compare::when_needed, json, names));
  if (json) return {};
  if (columns) std::cout << columns_text(job, *columns);
  if (const Result<engine::JobRoom> left = engine::room_of_job(job, flags.ledger))
    std::cout << fmt::format("budget    {}: {:.1f} % left; {}\n", left->budget.dataset.name,
                             100 * engine::share_left(left->budget), ledger::text(left->room));
  return {};
}

Result<void> from_options(const JobOptions& options, const CLI::App& command) {
  CV_TRY(const engine::Job job, job_of(options));
  if (options.flags.dry_run) return print_dry_run(job, options.flags, options.json, option_names(command));
  return run_perturbation(job, options.flags, false);  // --json made the document an output of the job
}

Result<void> perturb(const JobOptions& options, const CLI::App& command) {
  if (!options.names_a_job()) return in_options(command, from_options(options, command));
  CV_TRY(const engine::Job job, named_job(options, command, "perturb"));
  return run_perturbation(job, options.flags, options.json);
}

}  // namespace

Result<void> run_perturbation(const engine::Job& job, const RunFlags& flags, bool json) {
  if (flags.dry_run) return print_dry_run(job, flags, json, run_names);
  CV_CHECK(check_room(job, json));
  CV_TRY(const Ran<engine::PerturbedRelease> release, run_perturbation_with(job, flags));
  if (json) {
    nlohmann::ordered_json summary = perturbed_summary_json(job, release);
    summary["taken_up"] = release.taken_up;
    add_programme(release.budget, summary);
    print_json(summary);
  } else {
    print_summary(job, perturbed_text(job, release), release.debit.has_value());
  }
  return {};
}

void add_perturb_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<JobOptions>();
  options->kind = engine::PerturbSpec();
  CLI::App* command = app.add_subcommand("perturb", "Hide when, not what: move the values of a series in time");
  add_job_options(*command, *options,
                  "A CSV file (plain, gzip, xz), or - for rows as they come; or a job file (.toml), which says all the "
                  "rest itself");
  add_example(*command, "chronoveil perturb load.csv --dataset meter --window 24 --epsilon 2 --output blurred.csv");
  add_example(
      *command,
      "meter | chronoveil perturb - --dataset meter --window 10 --epsilon 2 --delta 0.01 --mechanism noisy_sort");
  on_run(*command, context, [options, command] { return perturb(*options, *command); });
}

}  // namespace chronoveil::cli
