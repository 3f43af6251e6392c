// chronoveil budget create.
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "chronoveil/chronoveil.h"
#include "commands/budget/budget.h"
#include "key_names.h"
#include "ledger_option.h"
#include "option_table.h"
#include "output/budget_output.h"

namespace chronoveil::cli {
namespace {

struct CreateOptions : BudgetOptions {
  DatasetWords words;
  std::string parts;
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

Result<std::vector<std::string>> parts_of(const std::string& given) {
  if (!given.starts_with('@')) return split(given, ',');
  CV_TRY(const std::string text, engine::read_text_file("parts", given.substr(1)));
  return split(text, '\n');
}

Result<void> create(CreateOptions options) {
  CV_TRY(options.words.parts, parts_of(options.parts));
  CV_TRY(const ledger::Dataset dataset, create_dataset(options.words, options.ledger));
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
  command->add_option("NAME", options->words.name, "The dataset")->type_name(kDatasetType)->required();
  command->add_option("--epsilon", options->words.epsilon, "ε of the whole budget")->required();
  command->add_option("--delta", options->words.delta, "δ of the whole budget; 0 unless given");
  command->add_option("--unit", options->words.unit,
                      "What is protected: user (the default), w-event or event (always for swap)");
  command->add_option("--width", options->words.width, "How many events in a row, for w-event");
  command->add_option(
      "--relation", options->words.relation,
      "How neighbours differ: add_remove (the default), replace, replace_values (where and when is public), or swap");
  command->add_option("--window", options->words.window,
                      "For swap: two values less than this many steps apart change places");
  command->add_option(
      "--filter", options->words.filter,
      "union, sum, zcdp, renyi or gaussian; default: union, or sum where δ is 0 or the relation is swap");
  command->add_option("--renews", options->words.renews, "month or year: the budget is then for each period");
  command->add_option("--parts", options->parts, "The public parts, in order: a,b,c or @FILE with one per line");
  command->add_option("--parts-by", options->words.parts_by, "Public parts by date")->check(CLI::IsMember({"day"}));
  add_clock_flag(*command);
  command->add_option("--straddle", options->words.straddle,
                      "How many neighbouring parts a window of w-event can touch; default: as many as it has events");
  add_example(*command, "chronoveil budget create city --epsilon 1 --delta 1e-6 --unit user");
  on_run(*command, context, [options, command] { return in_options(*command, create(*options)); });
}

}  // namespace chronoveil::cli
