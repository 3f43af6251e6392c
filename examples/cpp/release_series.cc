// Visits per hour, from columns in memory, under a budget that lasts in a ledger.
#include <chronoveil/chronoveil.h>

#include <iostream>

using namespace chronoveil;

int main() {
  const std::vector<std::string> who = {"ann", "bob", "ann", "eve"};
  const std::vector<std::string> when = {"2026-03-01T08:10", "2026-03-01T08:40", "2026-03-01T11:05",
                                         "2026-03-01T11:30"};
  const Batch rows = {{"who", who}, {"when", when}};

  Job job;
  job.dataset = "visits";
  job.source.user = "who";
  job.source.time = "when";
  job.slots = {"2026-03-01T06:00", "2026-03-01T18:00", "1h", "Europe/Zurich"};
  job.max_steps = 4;  // a person counts in at most four hours: enforced
  job.epsilon = 1;
  read_from(job, {{rows}});

  Result<Ledger> ledger = open_ledger("budget.db");
  if (ledger && ledger->datasets()->empty()) ledger->create({.name = "visits", .promise = {Unit::user}, .epsilon = 5});
  RunOptions options;
  options.ledger = "budget.db";
  const Result<AnyRelease> release = run(job, options);
  std::cout << (release ? to_csv(*release) : release.error().text() + "\n");
  return release ? 0 : static_cast<int>(release.error().kind);
}
