// chronoveil budget show, list and history.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands/budget/budget.h"
#include "output/budget_output.h"
#include "output/progress_line.h"
#include "patience.h"

namespace chronoveil::cli {

using nlohmann::json;

namespace {

struct LookOptions : BudgetOptions {
  std::string part;
  bool composed = false;
  Patience patience;
};

// Looking costs nothing, but an older ledger shows too much as left.
Result<void> warn_of_older(const LookOptions& options, ledger::Ledger& ledger) {
  CV_TRY(const std::vector<engine::Contradiction> found, found_beside(options, ledger));
  if (!found.empty()) print_error("warning: " + found.front().text());
  return {};
}

// What everything would have cost if it had been chosen in advance. Composing many different events takes long, so it
// is priced only on request; what the filter has admitted is a mere sum.
Result<accounting::Price> composed_price(const ledger::View& view, const Patience& patience) {
  if (view.not_composed) return tl::unexpected(*view.not_composed);
  const auto* everything = std::get_if<accounting::Compose>(&view.dearest.kind);
  if (everything != nullptr && everything->events.empty()) return accounting::Price{};
  const Waiting waiting("composing");
  CV_TRY(const Delta delta, Delta::make(view.dataset.delta));
  return patience.wait_for<accounting::Price>(
      "composing", [event = view.dearest, delta] { return accounting::epsilon_at(event, delta, {.fitted = true}); });
}

Result<void> show(const LookOptions& options) {
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  const std::optional<std::string> part = options.part.empty() ? std::nullopt : std::optional(options.part);
  CV_TRY(const ledger::View view, ledger.view(options.name, part));
  CV_TRY(const std::optional<ledger::LikeLast> like, ledger.room_like_last(options.name, part));
  CV_CHECK(warn_of_older(options, ledger));
  std::optional<Result<accounting::Price>> composed;
  if (options.composed) composed = composed_price(view, options.patience);
  if (options.json) {
    print(view_json(view, like, composed));
  } else {
    CV_TRY(const std::vector<ledger::Debit> debits, ledger.history(options.name));
    std::cout << view_text(view, like, composed) << programme_lines(debits);
  }
  return {};
}

Result<void> list(const LookOptions& options) {
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  CV_TRY(const std::vector<std::string> names, ledger.datasets());
  CV_CHECK(warn_of_older(options, ledger));
  json all = json::array();
  std::string lines;
  for (const std::string& name : names) {
    CV_TRY(const ledger::View view, ledger.view(name));
    json item = dataset_json(view.dataset);
    item["share_left"] = engine::share_left(view);
    item["debits"] = view.debits;
    all.push_back(std::move(item));
    if (view.closed) item["closed"] = *view.closed;
    lines += fmt::format("{}; {:.1f} % left{}\n", dataset_line(view.dataset), 100 * engine::share_left(view),
                         view.closed ? "; closed" : "");
  }
  if (options.json) {
    print({{"datasets", std::move(all)}});
  } else {
    std::cout << lines;
  }
  return {};
}

Result<void> history(const LookOptions& options) {
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  CV_TRY(const ledger::View view, ledger.view(options.name));
  CV_TRY(const std::vector<ledger::Debit> debits, ledger.history(options.name));
  CV_CHECK(warn_of_older(options, ledger));
  if (options.json) {
    json all = json::array();
    for (const ledger::Debit& debit : debits) all.push_back(debit_json(view.dataset.filter, debit));
    print({{"dataset", options.name}, {"debits", std::move(all)}});
  } else {
    for (const ledger::Debit& debit : debits) std::cout << debit_line(view.dataset.filter, debit) << "\n";
  }
  return {};
}

}  // namespace

void add_looks(CLI::App& budget, CommandContext& context) {
  auto options = std::make_shared<LookOptions>();
  CLI::App* command = add_command(budget, *options, "show", "Show what is left of a budget");
  command->add_option("NAME", options->name, "The dataset")->type_name(kDatasetType)->required();
  command->add_option("--part", options->part, "What is left for this part");
  command->add_flag("--composed", options->composed,
                    "Also show what everything would cost if it had been chosen in advance; may take a while");
  Patience::add_option(*command, options->patience);
  add_example(*command, "chronoveil budget show city");
  on_run(*command, context, [options] { return show(*options); });

  options = std::make_shared<LookOptions>();
  command = add_command(budget, *options, "list", "List the datasets of the ledger");
  add_example(*command, "chronoveil budget list");
  on_run(*command, context, [options] { return list(*options); });

  options = std::make_shared<LookOptions>();
  command = add_command(budget, *options, "history", "List the debits of a dataset");
  command->add_option("NAME", options->name, "The dataset")->type_name(kDatasetType)->required();
  add_example(*command, "chronoveil budget history city");
  on_run(*command, context, [options] { return history(*options); });
}

}  // namespace chronoveil::cli
