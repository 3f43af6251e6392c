#include "chronoveil/ledger/plausible_clock.h"

namespace chronoveil::ledger {

bool is_plausible(Renewal renewal, const std::string& last, Instant clock) {
  using namespace std::chrono;
  if (last.empty())
    return clock >= Instant(sys_days(year(2026) / 1 / 1)) && clock < Instant(sys_days(year(2046) / 1 / 1));
  const days longest(renewal == Renewal::month ? 100 : 400);
  return timestamp(clock - longest) <= last;
}

Failure implausible(const std::string& dataset, const std::string& last, Instant clock) {
  return fail(ErrorKind::storage, "clock",
              "it says " + timestamp(clock) +
                  (last.empty() ? std::string(", which no clock shows now")
                                : ", long after " + last + ", the last row of dataset '" + dataset +
                                      "', whose budget renews by the clock") +
                  "; set the clock, or say --clock-is-right if it is");
}

}  // namespace chronoveil::ledger
