// chronoveil check: says whether a job would run, and what it would cost.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "chronoveil/engine/release/audit.h"
#include "command.h"
#include "ledger_option.h"
#include "output/budget_output.h"
#include "output/data_output.h"
#include "output/job_output.h"
#include "output/means_output.h"
#include "output/perturb_output.h"
#include "output/train_output.h"
#include "run_flags.h"

namespace chronoveil::cli {
namespace {

struct CheckOptions {
  std::string job;
  std::string ledger;
  std::optional<std::string> analysis;
  std::optional<bool> data;
  bool allow_uninformative = false;
  bool json = false;
};

// Whether it costs nothing now: an open live release, a slot of a programme, or a debit for which nothing was drawn.
bool goes_on_paid(const engine::Job& job, const std::optional<engine::EarlierDebit>& earlier) {
  return earlier && (job.is<engine::LiveSpec>() || earlier->taken_up);
}

std::string earlier_text(const engine::Job& job, const engine::EarlierDebit& earlier) {
  const std::string id = earlier.id.text();
  if (earlier.id.slot && earlier.taken_up)
    return fmt::format("before    paid for by a programme: run takes its slot {} at no further cost\n", id);
  if (job.is<engine::LiveSpec>())
    return fmt::format("before    opened as {}: live goes on with it at no further cost\n", id);
  if (earlier.taken_up)
    return fmt::format("before    debited as {} (reserved, nothing drawn): run uses it at no further cost\n", id);
  return fmt::format("before    debited as {} ({}): run needs --yes{}\n", id, ledger::name(earlier.state),
                     earlier.stored ? ", or --again " + id : "");
}

std::string planned_text(const engine::Job& job, const engine::Planned& planned) { return plan_text(job, planned); }
std::string planned_text(const engine::Job& job, const engine::MeansPlanned& planned) {
  return means_plan_text(job, planned);
}
nlohmann::ordered_json planned_json(const engine::Job& job, const engine::Planned& planned) {
  return plan_json(job, planned);
}
std::string planned_text(const engine::Job& job, const engine::PerturbPlanned& planned) {
  return perturb_plan_text(job, planned);
}
nlohmann::ordered_json planned_json(const engine::Job&, const engine::MeansPlanned& planned) {
  return means_plan_json(planned);
}
nlohmann::ordered_json planned_json(const engine::Job&, const engine::PerturbPlanned& planned) {
  return perturb_plan_json(planned);
}

std::string planned_text(const engine::Job& job, const engine::TrainPlanned& planned) {
  return train_plan_text(job, planned);
}
nlohmann::ordered_json planned_json(const engine::Job& job, const engine::TrainPlanned& planned) {
  return train_plan_json(job, planned);
}

// What it says, and whether it succeeds, depends on the data, without a debit.
constexpr const char* kReadNote = "the data was read, without a debit: this answer is internal, and not private";

bool knows_columns(const engine::Job& job) {
  return !job.is<engine::LiveSpec>() && job.source.header && !(job.is<engine::PerturbSpec>() && job.source.path == "-");
}

std::string delimiter_name(char delimiter) {
  return delimiter == '\t' ? "a tab" : "'" + std::string(1, delimiter) + "'";
}

template <class Checked>
std::string checked_text(const engine::Job& job, const Checked& checked, bool data) {
  const ledger::Filter& filter = checked.budget.dataset.filter;
  std::string text = planned_text(job, checked.planned) + guarantee_text(checked.planned.guarantee);
  const bool goes_on = goes_on_paid(job, checked.earlier);
  if (!goes_on)
    text +=
        fmt::format("cost      {} of {}\n", amount_text(filter, checked.cost, job.epsilon, job.delta),
                    amount_text(filter, filter.budget, checked.budget.dataset.epsilon, checked.budget.dataset.delta));
  if (checked.earlier && checked.earlier->programme)
    text += fmt::format("budget    {}: {}\n", checked.budget.dataset.name, programme_text(*checked.earlier->programme));
  else
    text += fmt::format("budget    {}: {:.1f} % left{}\n", checked.budget.dataset.name,
                        100 * engine::share_left(checked.budget), goes_on ? "" : "; " + ledger::text(checked.room));
  if (checked.earlier) text += earlier_text(job, *checked.earlier);
  if (checked.shown_delimiter.value_or(',') != ',')
    text += fmt::format("delimiter {}, as the header shows; source.delimiter is not given\n",
                        delimiter_name(*checked.shown_delimiter));
  if (checked.seen) text += seen_text(job, *checked.seen);
  text += fmt::format("checked   job, {}outputs and budget{}; nothing was debited\n",
                      knows_columns(job) || data ? "columns, " : "", data ? ", and every row of the data" : "");
  if (data) text += fmt::format("internal  {}\n", kReadNote);
  return text;
}

template <class Checked>
nlohmann::ordered_json checked_json(const engine::Job& job, const Checked& checked, bool data) {
  const ledger::Filter& filter = checked.budget.dataset.filter;
  nlohmann::ordered_json all = planned_json(job, checked.planned);
  all["cost"] = nullptr;
  if (!goes_on_paid(job, checked.earlier)) all["cost"] = cost_json(filter, checked.cost);
  all["budget"] = budget_json(checked.budget);
  all["room"] = nullptr;
  if (!all["cost"].is_null()) all["room"] = room_json(checked.room);
  all["admitted"] = true;
  all["data_read"] = data;
  all["private"] = !data;
  all["shown_delimiter"] = nullptr;
  if (checked.shown_delimiter) all["shown_delimiter"] = std::string(1, *checked.shown_delimiter);
  if (checked.seen) all["data"] = seen_json(*checked.seen);
  all["earlier"] = nullptr;
  if (checked.earlier)
    all["earlier"] = {{"id", checked.earlier->id.text()},
                      {"state", ledger::name(checked.earlier->state)},
                      {"stored", checked.earlier->stored},
                      {"taken_up", checked.earlier->taken_up}};
  if (checked.earlier && checked.earlier->programme)
    all["earlier"]["programme"] = programme_json(*checked.earlier->programme);
  return all;
}

Result<void> check_and_show(const CheckOptions& options, const engine::Job& job, bool data) {
  engine::RunOptions run;
  run.ledger = options.ledger;
  run.allow_uninformative = options.allow_uninformative;
  const auto show = [&](const auto& checked) {
    if (options.json) {
      print_json(checked_json(job, checked, data));
    } else {
      std::cout << checked_text(job, checked, data);
    }
  };
  if (job.is<engine::MeansSpec>()) {
    CV_TRY(const engine::MeansChecked checked, engine::check_means_job(job, run, data));
    show(checked);
  } else if (job.is<engine::PerturbSpec>()) {
    CV_TRY(const engine::PerturbChecked checked, engine::check_perturbation(job, run, data));
    show(checked);
  } else if (job.is<engine::TrainSpec>()) {
    CV_TRY(const engine::TrainChecked checked, engine::check_training(job, run, data));
    show(checked);
  } else {
    CV_TRY(const engine::Checked checked, engine::check_job(job, run, data));
    show(checked);
  }
  return {};
}

Result<void> check(const CheckOptions& options) {
  CV_TRY(engine::Job job, engine::read_job(options.job));
  CV_CHECK(apply_analysis(options.analysis, job.analysis));
  const bool data = options.data.value_or(engine::rows_can_be_checked(job));
  Result<void> checked = check_and_show(options, job, data);
  if (!checked && data && checked.error().kind == ErrorKind::bad_data)
    checked.error().message += std::string("; ") + kReadNote;
  return checked;
}

}  // namespace

void add_check_command(CLI::App& app, CommandContext& context) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "Check job, budget and outputs without a debit, and every row; internal");
  command->add_option("JOB", options->job, "The job file (TOML)")->required();
  add_ledger_option(*command, options->ledger);
  add_clock_flag(*command);
  command->add_flag_callback(
      "--no-data", [options] { options->data = false; }, "Leave the data alone: the answer is then public");
  command->add_flag_callback(
      "--data", [options] { options->data = true; },
      "Read the data even from standard input or a pipe, which can be read only once");
  add_uninformative_flag(*command, options->allow_uninformative);
  add_analysis_option(*command, options->analysis);
  add_json_flag(*command, options->json);
  add_example(*command, "chronoveil check city.toml");
  on_run(*command, context, [options] { return check(*options); });
}

}  // namespace chronoveil::cli
