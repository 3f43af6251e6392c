#include "ledger_option.h"

#include <cstdlib>

#include "chronoveil/ledger/plausible_clock.h"

namespace chronoveil::cli {

void add_ledger_option(CLI::App& command, std::string& ledger) {
  command.add_option("--ledger", ledger, "A path, or a URL postgresql://...; else the user's own ledger")
      ->envname("CHRONOVEIL_LEDGER")
      ->check([](const std::string& given) {
        return std::string(given.empty() ? "it is empty; leave it out for the user's own ledger" : "");
      });
}

void add_clock_flag(CLI::App& command) {
  // Set in the environment, where the ledger looks for it, also after another program takes over.
  command.add_flag_callback(
      "--clock-is-right", [] { ::setenv(ledger::kClockIsRight, "1", 1); },
      "Debit a budget that renews although the clock is far ahead of its last row");
}

}  // namespace chronoveil::cli
