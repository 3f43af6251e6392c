// Passengers per hour, published as the hours end. Run it again, or kill it and run it: it goes on where it was.
#include <chronoveil/chronoveil.h>

#include <iostream>

using namespace chronoveil;

int main() {
  Job job = *parse_job(R"(
    version = 1
    dataset = {name = "bus"}
    source = {kind = "memory", user = "card", time = "at"}
    slots = {start = "2026-03-01T00:00", end = "2026-03-02T00:00", length = "1h"}
    privacy = {epsilon = 2, unit = "user", max_steps = 2}
    live = {name = "bus"}
    output = {csv = "published.csv"})");
  Result<Ledger> ledger = open_ledger("budget.db");
  if (ledger && ledger->datasets()->empty()) ledger->create({.name = "bus", .promise = {Unit::user}, .epsilon = 2});
  LiveOptions options;
  options.ledger = "budget.db";
  Result<LiveSession> session = LiveSession::open(job, options);
  if (!session) return std::cerr << session.error().text() << "\n", 1;
  const std::vector<std::int64_t> card = {17, 4, 17}, at = {1772326800000, 1772327000000, 1772330400000};
  session->push({{"card", card}, {"at", Instants{at}}});
  for (const PublishedStep& step : session->publish_until("2026-03-01T03:00").value_or(PublishedSteps()))
    std::cout << step.time << " " << step.value << " [" << step.lower << ", " << step.upper << "]\n";
  return session->end() ? 0 : 1;
}
