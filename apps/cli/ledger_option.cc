#include "ledger_option.h"

#include "chronoveil/chronoveil.h"

namespace chronoveil::cli {

void add_ledger_option(CLI::App& command, std::string& ledger) {
  command.add_option("--ledger", ledger, "A path, or a URL postgresql://...; else the user's own ledger")
      ->envname("CHRONOVEIL_LEDGER")
      ->check([](const std::string& given) {
        return std::string(given.empty() ? "it is empty; leave it out for the user's own ledger" : "");
      });
}

void add_clock_flag(CLI::App& command) {
  command.add_flag_callback(
      "--clock-is-right", [] { trust_clock(); },
      "Debit a budget that renews although the clock is far ahead of its last row");
}

}  // namespace chronoveil::cli
