#include "option_table.h"

#include <utility>

namespace chronoveil::cli {
namespace {

// CLI11 shows a closed list of words as "TEXT:{a,b}".
std::vector<std::string> choices_of(const std::string& type) {
  const auto open = type.find('{');
  const auto close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

Offers offers_of(const OptionRow& row, const std::string& type) {
  if (!row.choices.empty()) return Offers::choices;
  if (type == kDatasetType || row.names == std::vector<std::string>{"--dataset"}) return Offers::datasets;
  return row.value == "TEXT" || !row.positional.empty() ? Offers::files : Offers::nothing;
}

OptionRow read_option(const CLI::Option& option) {
  OptionRow row;
  const std::string type = option.get_type_name();
  row.choices = choices_of(type);
  row.description = option.get_description();
  row.required = option.get_required();
  if (option.nonpositional()) {
    for (const auto& name : option.get_lnames()) row.names.push_back("--" + name);
    for (const auto& name : option.get_snames()) row.names.push_back("-" + name);
    if (option.get_expected_max() > 0) row.value = row.choices.empty() ? type.substr(0, type.find(':')) : "WORD";
  } else {
    row.positional = option.get_name(true, false);
  }
  row.offers = offers_of(row, type);
  return row;
}

CommandRow read_command(const CLI::App& app, const std::string& parent) {
  CommandRow row;
  row.name = app.get_name();
  row.path = parent.empty() ? row.name : parent + " " + row.name;
  row.description = app.get_description();
  row.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) row.options.push_back(read_option(*option));
  for (const CLI::App* command : app.get_subcommands({})) row.commands.push_back(read_command(*command, row.path));
  return row;
}

}  // namespace

CommandRow read_option_table(const CLI::App& app) { return read_command(app, ""); }

std::vector<const CommandRow*> all_commands(const CommandRow& top) {
  std::vector<const CommandRow*> rows{&top};
  for (const CommandRow& command : top.commands)
    for (const CommandRow* row : all_commands(command)) rows.push_back(row);
  return rows;
}

}  // namespace chronoveil::cli
