// chronoveil look: finds the caps of a job by a small debited look at how many slots people fill.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "chronoveil/base/plain_text.h"
#include "command.h"
#include "key_names.h"
#include "output/job_output.h"
#include "output/look_output.h"
#include "run_flags.h"

namespace chronoveil::cli {
namespace {

struct LookCommandOptions {
  std::string job;
  RunFlags flags;
  engine::LookOptions look;
  bool json = false;
};

// Keys of the job stay what they are in its file; what is asked of the look is an option.
std::string names(std::string_view key) {
  if (key == "output" || key == "output.csv") return "--output";
  if (key == "output.json") return "--json-out";
  if (key == "epsilon" || key == "privacy.epsilon") return "--epsilon";
  if (key == "delta" || key == "privacy.delta") return "--delta";
  return key == "lengths" ? "--lengths" : run_names(key);
}

template <class T>
Result<T> named(Result<T> result) {
  if (!result) result.error() = {.kind = result.error().kind, .message = result.error().text(names)};
  return result;
}

Result<void> print_plan(const engine::Job& job, const LookCommandOptions& options) {
  CV_TRY(const engine::LookPlanned planned, engine::plan_look(job, options.look));
  if (options.json)
    print_json(look_plan_json(planned));
  else
    std::cout << look_plan_text(planned);
  return {};
}

std::string written_text(const engine::Job& job, const LookCommandOptions& options, const report::Look& look) {
  if (look.proposal.empty() || !look.debit) return "";
  return fmt::format("written   {}\n", visible(options.look.output.empty() ? job.path : options.look.output));
}

Result<void> look(const LookCommandOptions& options) {
  CV_TRY(const engine::Job job, engine::read_job_to_look(options.job));
  if (options.flags.dry_run) return named(print_plan(job, options));
  const bool to_stdout = options.look.output == "-";
  if (to_stdout && options.json)
    return fail(ErrorKind::usage, "--output", "a job on standard output leaves no room for --json");
  CV_TRY(const Ran<report::Look> seen, named(run_look_with(job, options.flags, options.look)));
  if (options.json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::parse(report::look_json(seen));
    all["taken_up"] = seen.taken_up;
    print_json(all);
  } else if (!to_stdout) {
    std::cout << look_text(seen) << written_text(job, options, seen);
  } else if (seen.debit) {
    print_notes(look_text(seen));
  }
  return {};
}

}  // namespace

void add_look_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<LookCommandOptions>();
  CLI::App* command = app.add_subcommand("look", "Find the caps of a job by a small debited look at the data");
  command->add_option("JOB", options->job, "The job file (TOML), which may lack its caps")->required();
  command->add_option("--epsilon", options->look.epsilon, "ε of the look; small beside that of the job")
      ->capture_default_str();
  command->add_option("--delta", options->look.delta, "δ of the look; 0: Laplace noise")->capture_default_str();
  command
      ->add_option("--lengths", options->look.lengths,
                   "Lengths of slots to weigh, with commas between them; else the job's, an hour, a day, a week")
      ->delimiter(',');
  command->add_option("--output", options->look.output,
                      "A new file for the job with its caps, or -; else the job file itself is changed");
  command->add_option("--json-out", options->look.json, "The look as JSON, with its guarantee and debit");
  add_look_flags(*command, options->flags);
  add_json_flag(*command, options->json);
  add_example(*command, "chronoveil look city.toml --epsilon 0.05");
  add_example(*command, "chronoveil look city.toml --lengths 1h --output capped.toml");
  on_run(*command, context, [options] { return look(*options); });
}

}  // namespace chronoveil::cli
