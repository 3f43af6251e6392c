#include "chronoveil/ledger/inside/inside.h"
#include "chronoveil/ledger/plausible_clock.h"

namespace chronoveil::ledger {

std::string Ledger::Inside::now(const Account& account) const {
  return account.time_to_record(timestamp(options.clock()));
}

bool Ledger::Inside::trusts_clock(const Account& account, Instant clock) const {
  return options.clock_is_right || !account.exists() || !account.dataset().renews ||
         is_plausible(*account.dataset().renews, account.last_time(), clock);
}

// If the clock cannot be trusted, the next row is dated like the one before it; a debit is refused then.
std::string Ledger::Inside::time_of_next_row(const Account& account) const {
  const Instant clock = options.clock();
  return trusts_clock(account, clock) ? account.time_to_record(timestamp(clock)) : account.last_time();
}

// Rows that may be written once data was read are dated to the day: the time would tell how long reading took, which
// may depend on one person. The day is that of UTC, since periods are, and never before the row before it.
std::string Ledger::Inside::time_of(const std::string& kind, const std::string& next, const Account& account) {
  if (kind != "drawing" && kind != "use" && kind != "state") return next;
  return account.time_to_record(next.substr(0, 10) + "T00:00:00.000Z");
}

Result<void> Ledger::Inside::check_clock(const Account& account) const {
  const Instant clock = options.clock();
  if (trusts_clock(account, clock)) return {};
  return implausible(account.dataset().name, account.last_time(), clock);
}

std::string Ledger::Inside::clock_note(const Account& account) const {
  if (!account.dataset().renews) return "";
  const Instant clock = options.clock();
  if (timestamp(clock + std::chrono::days(1)) < account.last_time())
    return "the last row is dated " + account.last_time() + ", after the clock: the period stays " +
           account.period_at(account.last_time()) + " until the clock passes it";
  if (trusts_clock(account, clock)) return "";
  return implausible(account.dataset().name, account.last_time(), clock).value().text();
}

}  // namespace chronoveil::ledger
