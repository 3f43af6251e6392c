// The commands and options of the program as plain rows, read from the parser itself: completion and the man page
// are written from these and cannot drift from what is accepted.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace chronoveil::cli {

// What may stand there, as far as a shell can help: one of the choices, a file, a dataset of the ledger, or neither.
enum class Offers { nothing, choices, files, datasets };

// The type name of an argument that is a dataset of the ledger.
inline constexpr const char* kDatasetType = "DATASET";

struct OptionRow {
  std::vector<std::string> names;    // "--help", "-h"; empty for a positional
  std::string positional;            // "EVENT"; empty for an option
  std::string value;                 // "FLOAT"; empty for a flag
  std::vector<std::string> choices;  // the words it accepts, if only these
  Offers offers = Offers::nothing;   // where a word stands, so not for a flag
  std::string description;
  bool required = false;
};

struct CommandRow {
  std::string path;  // "chronoveil budget create"
  std::string name;  // "create"
  std::string description;
  std::string footer;
  std::vector<OptionRow> options;
  std::vector<CommandRow> commands;
};

CommandRow read_option_table(const CLI::App& app);

// The row itself and every row below it, parents first.
std::vector<const CommandRow*> all_commands(const CommandRow& top);

}  // namespace chronoveil::cli
