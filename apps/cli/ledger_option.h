// --ledger and --clock-is-right, the same for every command that uses a ledger.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace chronoveil::cli {

// A path or a URL, from the option or from CHRONOVEIL_LEDGER; left empty for the user's own.
void add_ledger_option(CLI::App& command, std::string& ledger);

// --clock-is-right, for commands that debit (trust_clock).
void add_clock_flag(CLI::App& command);

}  // namespace chronoveil::cli
