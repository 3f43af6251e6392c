// chronoveil plan: compares the mechanisms for a job, from public facts only; for means also without a job.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "chronoveil/engine/programme/programme.h"
#include "chronoveil/engine/release/audit.h"
#include "command.h"
#include "key_names.h"
#include "ledger_option.h"
#include "output/budget_output.h"
#include "output/job_output.h"
#include "output/means_output.h"
#include "output/perturb_output.h"
#include "output/train_output.h"
#include "run_flags.h"

namespace chronoveil::cli {
namespace {

struct PlanOptions {
  std::string job;
  std::string sample, ledger;
  std::optional<std::string> analysis;
  bool json = false;
  // Means without a job: public facts alone.
  std::string counts;
  std::optional<std::int64_t> users, max_records, max_cells, cells, registered;
  double lower = 0;
  std::optional<double> upper, epsilon;
  double delta = 0;
  std::optional<std::string> m_ub;
};

Result<nlohmann::ordered_json> json_of_plan(const engine::Job& job) {
  if (job.is<engine::MeansSpec>()) {
    CV_TRY(const engine::MeansPlanned planned, engine::plan_means(job, engine::Compare::always));
    return means_plan_json(planned);
  }
  if (job.is<engine::PerturbSpec>()) {
    CV_TRY(const engine::PerturbPlanned planned, engine::plan_perturbation(job, engine::Compare::always));
    return perturb_plan_json(planned);
  }
  if (job.is<engine::TrainSpec>()) {
    CV_TRY(const engine::TrainPlanned planned, engine::plan_training(job));
    return train_plan_json(job, planned);
  }
  CV_TRY(const engine::Planned planned, engine::plan_job(job, engine::Compare::always));
  CV_TRY(const std::optional<engine::CapTable> caps, engine::cap_table(job, planned));
  return plan_json(job, planned, caps);
}

// What is left of a budget, and what the job takes of it, named as `check` names them. `left` is empty where no ledger
// was asked; a plan needs neither room nor a dataset.
Result<void> print_plan_json(const engine::Job& job, const std::optional<Result<engine::JobRoom>>& left) {
  CV_TRY(nlohmann::ordered_json all, json_of_plan(job));
  if (left) {
    const Result<engine::JobRoom>& known = *left;
    all["budget"] = known ? budget_json(known->budget) : nlohmann::json{{"unknown", known.error().text()}};
    all["room"] = known ? room_json(known->room) : nlohmann::json();
  }
  print_json(all);
  return {};
}

Result<void> print_plan_text(const engine::Job& job) {
  if (job.is<engine::MeansSpec>()) return print_means_plan(job, engine::Compare::always, false);
  if (job.is<engine::PerturbSpec>()) return print_perturb_plan(job, engine::Compare::always, false);
  if (job.is<engine::TrainSpec>()) return print_train_plan(job, false);
  CV_TRY(const engine::Planned planned, engine::plan_job(job, engine::Compare::always));
  CV_TRY(const std::optional<engine::CapTable> caps, engine::cap_table(job, planned));
  std::cout << plan_text(job, planned, caps);
  return {};
}

Result<void> plan_of_job(const PlanOptions& options, const CLI::App& command) {
  CV_CHECK(only_beside_job(command, {"--sample", "--counts", "--users", "--analysis", "--json", "--ledger"}));
  CV_TRY(engine::Job job, engine::read_job(options.job));
  if (!options.sample.empty()) {
    if (!engine::is_of_counts(job))
      return fail(ErrorKind::usage, "--sample",
                  "it belongs to a job of counts; for means there are --counts and --users");
    job.series().public_sample = options.sample;
  }
  if (!options.counts.empty()) {
    if (!job.is<engine::MeansSpec>())
      return fail(ErrorKind::usage, "--counts", "it belongs to a job of means, with a section [means]");
    engine::MeansSpec& means = job.means();
    CV_TRY(means.counts, engine::read_counts("--counts", options.counts, "", means.counts_path));
  }
  if (options.users) {
    if (!job.is<engine::MeansSpec>() && !engine::is_of_counts(job))
      return fail(ErrorKind::usage, "--users", "it belongs to a job of means or of counts");
    (job.is<engine::MeansSpec>() ? job.means().users : job.series().users) = options.users;
  }
  CV_CHECK(apply_analysis(options.analysis, job.analysis));
  CV_CHECK(engine::check_values(job));
  std::optional<Result<engine::JobRoom>> left;
  if (!options.ledger.empty()) left = engine::room_of_job(job, options.ledger);
  if (options.json) return print_plan_json(job, left);
  CV_CHECK(print_plan_text(job));
  if (!left) return {};
  std::cout << "budget    "
            << (*left ? fmt::format("{}: {:.1f} % left; {}", (*left)->budget.dataset.name,
                                    100 * engine::share_left((*left)->budget), ledger::text((*left)->room))
                      : "not known yet: " + left->error().message)
            << "\n";
  return {};
}

Result<mechanisms::CellRequest> request_of(const PlanOptions& options) {
  if (!options.upper) return fail(ErrorKind::usage, "--upper", "it is missing; the bounds of a value are public");
  if (!options.epsilon) return fail(ErrorKind::usage, "--epsilon", "it is missing; for example --epsilon 1");
  mechanisms::CellRequest request;
  request.shape.max_cells = options.max_cells.value_or(1);
  request.shape.places = options.cells.value_or(std::max<std::int64_t>(1, request.shape.max_cells));
  request.shape.max_records = options.max_records;
  request.shape.registered = options.registered;
  request.shape.lower = options.lower;
  request.shape.upper = *options.upper;
  request.epsilon = *options.epsilon;
  request.delta = options.delta;
  if (options.m_ub) {
    const bool digits = options.m_ub->find_first_not_of("0123456789") == std::string::npos;
    if (digits && !options.m_ub->empty() && options.m_ub->size() < 10)
      request.parameters["m_ub"] = static_cast<std::int64_t>(std::stoll(*options.m_ub));
    else
      request.parameters["m_ub"] = *options.m_ub;
  }
  return request;
}

Result<void> plan_of_means(const PlanOptions& options) {
  CV_TRY(mechanisms::CellRequest request, request_of(options));
  CV_CHECK(apply_analysis(options.analysis, request.analysis));
  plan::PublicCounts counts;
  counts.users = options.users;
  if (!options.counts.empty()) {
    std::string path;
    CV_TRY(counts.counts, engine::read_counts("--counts", options.counts, "", path));
  }
  Result<plan::MeansComparison> compared = plan::compare_means(request, counts, true);
  if (!compared) {
    if (compared.error().parameter == "places") compared.error().parameter = "cells";  // there are no slots here
    return tl::unexpected(std::move(compared.error()));
  }
  if (options.json) {
    print_json(comparison_json(*compared));
  } else {
    std::cout << comparison_text(*compared) << "\nadvised   " + compared->recommended + ": " + compared->reason + "\n";
  }
  return {};
}

Result<void> plan(const PlanOptions& options, const CLI::App& command) {
  if (!options.job.empty()) return plan_of_job(options, command);
  if (options.counts.empty() && !options.users)
    return fail(ErrorKind::usage, "JOB",
                "it is missing; give a job file, or for means --counts (or --users and --max-records), --upper and "
                "--epsilon");
  return in_options(command, plan_of_means(options));
}

}  // namespace

void add_plan_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* command = app.add_subcommand("plan", "Compare the mechanisms for a job, without data and without a debit");
  command->add_option("JOB", options->job, "The job file (TOML); not needed for means with public counts");
  command->add_option("--sample", options->sample, "A CSV of counts that you declare public, to predict errors on");
  command->add_option("--counts", options->counts,
                      "For means: public records of each person in a cell, 5,3,2 or a file of such numbers");
  command->add_option("--users", options->users,
                      "For means, without counts: people in a cell, with --max-records each");
  command->add_option("--max-records", options->max_records, "For means without a job: records of a person in a cell");
  command->add_option("--max-cells", options->max_cells, "For means without a job: cells of a person; 1 unless given");
  command->add_option("--cells", options->cells, "For means without a job: cells in all; max-cells unless given");
  command->add_option("--registered", options->registered, "For means without a job: everybody who may be there");
  command->add_option("--lower", options->lower, "For means without a job: the lower bound of a value; 0 unless given");
  command->add_option("--upper", options->upper, "For means without a job: the upper bound of a value");
  command->add_option("--epsilon", options->epsilon, "For means without a job: ε");
  command->add_option("--delta", options->delta, "For means without a job: δ; 0 unless given");
  command->add_option("--m-ub", options->m_ub, "For means without a job: optimised (the default), median or a number");
  add_ledger_option(*command, options->ledger);
  add_analysis_option(*command, options->analysis);
  add_json_flag(*command, options->json);
  add_example(*command, "chronoveil plan city.toml --sample last-year.csv");
  add_example(*command, "chronoveil plan --counts 9,5,5,2,1 --upper 65 --epsilon 1");
  on_run(*command, context, [options, command] { return plan(*options, *command); });
}

}  // namespace chronoveil::cli
