#include "ledger_option.h"

namespace chronoveil::cli {

void add_ledger_option(CLI::App& command, std::string& ledger) {
  command.add_option("--ledger", ledger, "A path, or a URL postgresql://...; else the user's own ledger")
      ->envname("CHRONOVEIL_LEDGER")
      ->check([](const std::string& given) {
        return std::string(given.empty() ? "it is empty; leave it out for the user's own ledger" : "");
      });
}

}  // namespace chronoveil::cli
