// --ledger, the same for every command that uses one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace chronoveil::cli {

// A path or a URL, from the option or from CHRONOVEIL_LEDGER; left empty for the user's own.
void add_ledger_option(CLI::App& command, std::string& ledger);

}  // namespace chronoveil::cli
