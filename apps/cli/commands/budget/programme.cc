// chronoveil budget programme and suggest.
#include "chronoveil/engine/programme/programme.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands/budget/budget.h"
#include "ledger_option.h"
#include "output/budget_output.h"
#include "output/progress_line.h"
#include "output/text_table.h"

namespace chronoveil::cli {

using nlohmann::json;

namespace {

struct ProgrammeOptions : BudgetOptions {
  std::string file;
  bool dry_run = false, yes = false;
  double epsilon = 0, delta = 0;
  std::string equal = "absolute";
};

std::string price_text(double epsilon, double delta) {
  return delta > 0 ? fmt::format("ε = {}, δ = {}", ledger::rounded_up(epsilon), ledger::rounded_up(delta))
                   : fmt::format("ε = {}", ledger::rounded_up(epsilon));
}

std::string releases_text(const std::vector<engine::PricedRelease>& releases) {
  std::vector<std::vector<std::string>> rows{{"release", "times", "ε", "mechanism", "error", "noise"}};
  for (const engine::PricedRelease& one : releases)
    rows.push_back({visible(one.name), std::to_string(one.times), shortest(one.epsilon), one.mechanism,
                    one.error ? figure(*one.error) : "unknown", one.noise});
  return table_text(rows);
}

std::string together_text(double epsilon, double delta, double epsilon_sum, double delta_sum) {
  return fmt::format("together  {}, composed tightly; the jobs ask {}, added up\n", price_text(epsilon, delta),
                     price_text(epsilon_sum, delta_sum));
}

std::string total_text(const engine::ProgrammeTotal& total, const std::string& dataset) {
  return releases_text(total.releases) + together_text(total.epsilon, total.delta, total.epsilon_sum, total.delta_sum) +
         fmt::format(
             "budget    there is no dataset {} yet; this makes one that pays for these releases and nothing else:\n"
             "          {}\n",
             dataset, total.create);
}

std::string programme_text(const engine::PricedProgramme& priced) {
  const ledger::View& budget = priced.budget;
  std::string text = releases_text(priced.releases) +
                     together_text(priced.epsilon, budget.dataset.delta, priced.epsilon_sum, priced.delta_sum);
  text += fmt::format("budget    {}: {:.1f} % left; one debit for all takes {} of it{}\n", budget.dataset.name,
                      100 * engine::share_left(budget), ledger::share_text(priced.together.share),
                      priced.together.more > 0 ? "" : ", and does not fit");
  text += fmt::format("          debit by debit it would take {}{}\n", ledger::share_text(priced.share_apart),
                      priced.fits_apart ? "" : ", and not fit");
  return text;
}

json releases_json(const std::vector<engine::PricedRelease>& priced) {
  json releases = json::array();
  for (const engine::PricedRelease& one : priced)
    releases.push_back({{"job", one.name},
                        {"times", one.times},
                        {"epsilon", one.epsilon},
                        {"delta", one.delta},
                        {"mechanism", one.mechanism},
                        {"noise", one.noise},
                        {"error", one.error ? json(*one.error) : json(nullptr)}});
  return releases;
}

json total_json(const engine::ProgrammeTotal& total) {
  return {{"releases", releases_json(total.releases)},
          {"epsilon", total.epsilon},
          {"delta", total.delta},
          {"added_up", {{"epsilon", total.epsilon_sum}, {"delta", total.delta_sum}}},
          {"together", nullptr},
          {"debit_by_debit", nullptr},
          {"create", total.create},
          {"debit", nullptr}};
}

json programme_json(const engine::PricedProgramme& priced) {
  return {{"releases", releases_json(priced.releases)},
          {"epsilon", priced.epsilon},
          {"delta", priced.budget.dataset.delta},
          {"added_up", {{"epsilon", priced.epsilon_sum}, {"delta", priced.delta_sum}}},
          {"together", room_json(priced.together)},
          {"debit_by_debit", {{"share", priced.share_apart}, {"fits", priced.fits_apart}}},
          {"debit", nullptr}};
}

Result<void> programme(const ProgrammeOptions& options) {
  CV_TRY(const engine::Programme read, engine::read_programme(options.file));
  CV_TRY(const bool there, engine::has_dataset(read, options.ledger));
  if (!there) {
    CV_TRY(const engine::ProgrammeTotal total, engine::total_of(read, options.ledger));
    if (!options.dry_run)
      return fail(ErrorKind::usage, "dataset",
                  fmt::format("there is no dataset '{}' in the ledger yet; with just the total of this programme: {}",
                              read.dataset, total.create));
    if (options.json) {
      print(total_json(total));
    } else {
      std::cout << total_text(total, read.dataset);
    }
    return {};
  }
  CV_TRY(const engine::PricedProgramme priced, engine::price_programme(read, options.ledger));
  json all = programme_json(priced);
  std::string text = programme_text(priced);
  if (!options.dry_run) {
    CV_TRY(const ledger::DebitReference debit, engine::reserve_programme(read, options.ledger, options.yes));
    all["debit"] = reference_json(debit);
    text += fmt::format("reserved  {}: each run of these jobs takes its slot by itself\n", debit.id.text());
  }
  if (options.json) {
    print(all);
  } else {
    std::cout << text;
  }
  return {};
}

Result<void> suggest(const ProgrammeOptions& options) {
  if (options.equal != "absolute" && options.equal != "relative")
    return invalid("--error", options.equal, "absolute or relative");
  CV_TRY(const Epsilon epsilon, Epsilon::make(options.epsilon));
  CV_TRY(const Delta delta, Delta::make(options.delta));
  CV_TRY(const engine::Programme read, engine::read_programme(options.file));
  const Waiting waiting("splitting");
  CV_TRY(
      const engine::Suggestion found,
      engine::suggest_split(read, epsilon, delta,
                            options.equal == "relative" ? engine::EqualError::relative : engine::EqualError::absolute));
  if (options.json) {
    json releases = json::array();
    for (const engine::SuggestedRelease& one : found.releases)
      releases.push_back({{"job", one.name},
                          {"times", one.times},
                          {"mechanism", one.mechanism},
                          {"epsilon", one.epsilon},
                          {"error", one.error ? json(*one.error) : json(nullptr)}});
    print({{"releases", std::move(releases)}, {"epsilon", found.epsilon}, {"delta", options.delta}});
    return {};
  }
  std::vector<std::vector<std::string>> rows{{"release", "times", "ε", "error", "mechanism"}};
  for (const engine::SuggestedRelease& one : found.releases)
    rows.push_back({visible(one.name), std::to_string(one.times), shortest(one.epsilon),
                    one.error ? figure(*one.error) : "unknown", one.mechanism});
  std::cout << table_text(rows)
            << fmt::format("together  {} of ε = {}\n", price_text(found.epsilon, options.delta), options.epsilon);
  return {};
}

}  // namespace

void add_programmes(CLI::App& budget, CommandContext& context) {
  auto options = std::make_shared<ProgrammeOptions>();
  CLI::App* command =
      add_command(budget, *options, "programme", "Price the releases of a year together, and debit them once");
  command->add_option("FILE", options->file, "The programme (TOML): dataset, and [[release]] with job and times")
      ->required();
  command->add_flag("--dry-run", options->dry_run, "Show what it would cost, without a debit");
  command->add_flag("--yes", options->yes, "Debit the same programme a second time");
  add_clock_flag(*command);
  add_example(*command, "chronoveil budget programme year.toml --dry-run");
  on_run(*command, context, [options] { return programme(*options); });

  options = std::make_shared<ProgrammeOptions>();
  command = budget.add_subcommand("suggest", "Split a budget so that the error of all releases is the same");
  add_json_flag(*command, options->json);
  command->add_option("FILE", options->file, "The programme (TOML); only the ε of a job whose error is unknown counts")
      ->required();
  command->add_option("--epsilon", options->epsilon, "ε of everything together")->required();
  command->add_option("--delta", options->delta, "δ of everything together; 0 unless given");
  command->add_option("--error", options->equal,
                      "What is made equal: absolute (the default), or relative to the value of each release");
  add_example(*command, "chronoveil budget suggest year.toml --epsilon 4 --delta 1e-6");
  on_run(*command, context, [options] { return suggest(*options); });
}

}  // namespace chronoveil::cli
