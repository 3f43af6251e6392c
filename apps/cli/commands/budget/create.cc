// chronoveil budget create.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "chronoveil/base/plain_text.h"
#include "chronoveil/engine/job/text_file.h"
#include "commands/budget/budget.h"
#include "ledger_option.h"
#include "output/budget_output.h"

namespace chronoveil::cli {
namespace {

struct CreateOptions : BudgetOptions {
  double epsilon = 0;
  double delta = 0;
  std::optional<std::string> unit;
  std::int64_t width = 1;
  std::optional<std::int64_t> window;
  std::string relation = "add_remove";
  std::string filter;
  std::string renews;
  std::string parts;
  std::string parts_by;
  std::optional<std::int64_t> straddle;
};

// One name per line, or separated by commas.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty() && part.back() == '\r') part.pop_back();
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

Result<std::optional<ledger::Partition>> partition_of(const CreateOptions& options, const ledger::Protected& promise) {
  if (options.parts.empty() && options.parts_by.empty()) {
    if (options.straddle) return invalid("straddle", std::to_string(*options.straddle), "left out without parts");
    return std::nullopt;
  }
  ledger::Partition partition;
  partition.straddle = options.straddle.value_or(ledger::safe_straddle(promise));
  if (!options.parts_by.empty()) {
    if (!options.parts.empty()) return invalid("parts", options.parts, "left out with --parts-by");
    partition.by = ledger::Partition::By::day;
  } else if (options.parts.starts_with('@')) {
    CV_TRY(const std::string text, engine::read_text_file("parts", options.parts.substr(1)));
    partition.names = split(text, '\n');
  } else {
    partition.names = split(options.parts, ',');
  }
  for (const std::string& part : partition.names) CV_CHECK(check_plain_text("parts", part));
  return partition;
}

Result<void> create(const CreateOptions& options) {
  ledger::DatasetRequest request;
  request.name = options.name;
  request.epsilon = options.epsilon;
  request.delta = options.delta;
  CV_TRY(request.promise.relation, parse_relation(options.relation));
  const bool swap = request.promise.relation == Relation::swap;
  CV_TRY(request.promise.unit, parse_unit(options.unit.value_or(swap ? "event" : "user")));
  if (swap != options.window.has_value())
    return swap ? fail(ErrorKind::usage, "--window", "needed for relation swap: values less than this many steps apart")
                : invalid("window", std::to_string(*options.window), "left out unless the relation is swap");
  if (swap && options.width != 1)
    return invalid("width", std::to_string(options.width),
                   "left out where the relation is swap; --window says how far");
  request.promise.width = options.window.value_or(options.width);
  if (!options.filter.empty()) {
    CV_TRY(request.filter, ledger::parse_filter_kind(options.filter));
  }
  if (!options.renews.empty()) {
    CV_TRY(request.renews, ledger::parse_renewal(options.renews));
  }
  CV_TRY(request.partition, partition_of(options, request.promise));
  CV_TRY(ledger::Ledger ledger, open_ledger(options, false));
  // A dataset that once existed must not begin anew.
  CV_TRY(const std::string place, engine::ledger_place(options.ledger));
  CV_CHECK(ledger::check_dataset_name(request.name));
  CV_CHECK(engine::check_witnesses(ledger, place, request.name));
  CV_TRY(const ledger::Dataset dataset, ledger.create(request));
  if (options.json) {
    print(dataset_json(dataset));
  } else {
    std::cout << "created " << dataset_line(dataset) << "\n";
  }
  return {};
}

}  // namespace

void add_create(CLI::App& budget, CommandContext& context) {
  auto options = std::make_shared<CreateOptions>();
  CLI::App* command = add_command(budget, *options, "create", "Create a dataset with its budget");
  command->add_option("NAME", options->name, "The dataset")->type_name(kDatasetType)->required();
  command->add_option("--epsilon", options->epsilon, "ε of the whole budget")->required();
  command->add_option("--delta", options->delta, "δ of the whole budget; 0 unless given");
  command->add_option("--unit", options->unit,
                      "What is protected: user (the default), w-event or event (always for swap)");
  command->add_option("--width", options->width, "How many events in a row, for w-event");
  command->add_option(
      "--relation", options->relation,
      "How neighbours differ: add_remove (the default), replace, replace_values (where and when is public), or swap");
  command->add_option("--window", options->window,
                      "For swap: two values less than this many steps apart change places");
  command->add_option(
      "--filter", options->filter,
      "union, sum, zcdp, renyi or gaussian; default: union, or sum where δ is 0 or the relation is swap");
  command->add_option("--renews", options->renews, "month or year: the budget is then for each period");
  command->add_option("--parts", options->parts, "The public parts, in order: a,b,c or @FILE with one per line");
  command->add_option("--parts-by", options->parts_by, "Public parts by date")->check(CLI::IsMember({"day"}));
  add_clock_flag(*command);
  command->add_option("--straddle", options->straddle,
                      "How many neighbouring parts a window of w-event can touch; default: as many as it has events");
  add_example(*command, "chronoveil budget create city --epsilon 1 --delta 1e-6 --unit user");
  on_run(*command, context, [options] { return create(*options); });
}

}  // namespace chronoveil::cli
