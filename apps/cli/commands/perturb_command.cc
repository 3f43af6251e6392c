// chronoveil perturb: moves the values of a series in time, from options or from a job file.
#include "commands/perturb_command.h"

#include <iostream>
#include <memory>

#include "chronoveil/mechanisms/catalogue.h"
#include "command.h"
#include "direct_job.h"
#include "output/job_output.h"
#include "output/perturb_output.h"
#include "perturb_names.h"

namespace chronoveil::cli {
namespace {

struct PerturbCommandOptions {
  DirectJob direct;
  std::vector<std::string> columns, keep, categories;
  std::string channels = "joint";
  std::string move = "values";
  std::optional<std::string> unit;
  bool no_time = false;
};

Result<bool> is_second(std::string_view option, const std::string& word, std::string_view first,
                       std::string_view second) {
  if (word == first || word == second) return word == second;
  return invalid(option, word, std::string(first) + " or " + std::string(second));
}

Result<engine::Job> job_of(const PerturbCommandOptions& options) {
  const DirectJob& direct = options.direct;
  CV_TRY(engine::Job job, plain_job_of(direct));
  // The rows are the release; its JSON holds none.
  if (job.csv.empty() && job.json != "-") job.csv = "-";
  engine::PerturbSpec& perturb = job.perturb();
  perturb.columns = options.columns;
  perturb.keep = options.keep;
  perturb.categories = options.categories;
  perturb.has_times = !options.no_time;
  CV_TRY(perturb.independent, is_second("--channels", options.channels, "joint", "independent"));
  CV_TRY(perturb.times_move, is_second("--move", options.move, "values", "times"));
  job.unit = Unit::event;
  if (options.unit) {
    CV_TRY(job.unit, parse_unit(*options.unit));
  }
  CV_CHECK(engine::check_values(job));
  return job;
}

Result<void> perturb(const PerturbCommandOptions& options, const CLI::App& command) {
  const DirectJob& direct = options.direct;
  if (direct.input.ends_with(".toml")) {
    CV_CHECK(only_beside_job(
        command, {"--analysis", "--ledger", "--yes", "--again", "--dry-run", "--seed", "--clock-is-right", "--json"}));
    CV_TRY(engine::Job job, engine::read_job(direct.input));
    if (!job.is<engine::PerturbSpec>())
      return fail(ErrorKind::usage, direct.input + ": perturb: the job has no section [perturb]; use chronoveil run");
    CV_CHECK(apply_analysis(direct.analysis, job));
    return run_perturbation(job, direct.flags, direct.json);
  }
  const auto named = [](Error error) { return tl::unexpected(with_perturb_options(std::move(error))); };
  Result<engine::Job> job = job_of(options);
  if (!job) return named(std::move(job.error()));
  Result<void> done = direct.flags.dry_run
                          ? print_perturb_plan(*job, engine::Compare::when_needed, direct.json, Names::options)
                          : Result<void>();
  if (!direct.flags.dry_run) {
    if (auto released = run_perturbation_with(*job, direct.flags); !released)
      done = tl::unexpected(std::move(released.error()));
  }
  if (!done) return named(std::move(done.error()));
  return {};
}

}  // namespace

Result<void> run_perturbation(const engine::Job& job, const RunFlags& flags, bool json) {
  if (flags.dry_run) return print_perturb_plan(job, engine::Compare::when_needed, json, Names::keys);
  CV_CHECK(check_room(job, json));
  CV_TRY(const Ran<engine::PerturbedRelease> release, run_perturbation_with(job, flags));
  if (json) {
    nlohmann::ordered_json summary = perturbed_summary_json(job, release);
    summary["taken_up"] = release.taken_up;
    print_json(summary);
  } else if (!writes_to_stdout(job)) {
    std::cout << perturbed_text(job, release);
  }
  return {};
}

void add_perturb_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<PerturbCommandOptions>();
  CLI::App* command = app.add_subcommand("perturb", "Hide when, not what: move the values of a series in time");
  engine::Job& job = options->direct.job;
  engine::PerturbSpec& spec = job.kind.emplace<engine::PerturbSpec>();
  add_input_options(*command, options->direct,
                    "A CSV file (plain, gzip, xz), or - for rows as they come; or a job file (.toml), which says all "
                    "the rest itself");
  command->add_option("--time", job.source.time, "The column of times, which are public; time unless given");
  command->add_flag("--no-time", options->no_time, "Rows have no times: their order is all there is");
  command->add_option("--columns", options->columns, "The columns to perturb; every other one unless given")
      ->delimiter(',');
  command->add_option("--keep", options->keep, "Public columns that stay in place with the times")->delimiter(',');
  command->add_option("--channels", options->channels,
                      "joint (the default): the columns of a row stay together; or independent, and costs add up");
  command->add_option("--move", options->move, "values (the default), or times: rows keep values and get new times");
  command->add_flag(
      "--stream", spec.stream,
      "Rows leave while others still come, which takes a --delta; of itself where INPUT is - and there is one");
  command->add_option("--window", spec.window, "Steps within which it is hidden when a value was; 2 or more");
  add_privacy_options(*command, options->direct, names_of(mechanisms::temporal_catalogue()));
  command->add_option("--unit", options->unit, "Of mechanisms that change values: event (the default), or user");
  command->add_option("--length", spec.length, "Of unit user: the public number of rows");
  command->add_option("--lower", spec.lower, "Of mechanisms that change numbers: a public lower bound");
  command->add_option("--upper", spec.upper, "Of mechanisms that change numbers: a public upper bound");
  command->add_option("--categories", options->categories, "Of randomized_response: the public list of values")
      ->delimiter(',');
  command->add_option("--internal", spec.internal, "Write a report there that only the owner may see");
  command->add_option("--average", spec.average, "Steps of its moving averages; the window unless given");
  add_file_options(*command, options->direct);
  add_example(*command, "chronoveil perturb load.csv --dataset meter --window 24 --epsilon 2 --output blurred.csv");
  add_example(
      *command,
      "meter | chronoveil perturb - --dataset meter --window 10 --epsilon 2 --delta 0.01 --mechanism noisy_sort");
  on_run(*command, context, [options, command] { return perturb(*options, *command); });
}

}  // namespace chronoveil::cli
