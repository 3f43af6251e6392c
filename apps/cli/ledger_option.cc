#include "ledger_option.h"

namespace chronoveil::cli {

void add_ledger_option(CLI::App& command, std::string& ledger) {
  command.add_option("--ledger", ledger, "A path, or a URL postgresql://...; else the user's own ledger")
      ->envname("CHRONOVEIL_LEDGER");
}

}  // namespace chronoveil::cli
