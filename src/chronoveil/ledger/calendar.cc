#include "chronoveil/ledger/calendar.h"

#include <fmt/format.h>

namespace chronoveil::ledger {

std::string timestamp(Instant instant) {
  using namespace std::chrono;
  const auto day = floor<days>(instant);
  const year_month_day date(day);
  const hh_mm_ss<milliseconds> time(instant - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                     time.minutes().count(), time.seconds().count(), time.subseconds().count());
}

std::string_view name(Renewal renewal) { return renewal == Renewal::month ? "month" : "year"; }

Result<Renewal> parse_renewal(std::string_view text) {
  if (text == "month") return Renewal::month;
  if (text == "year") return Renewal::year;
  return invalid("renews", text, "month or year");
}

std::string period_of(Renewal renewal, std::string_view timestamp) {
  return std::string(timestamp.substr(0, renewal == Renewal::month ? 7 : 4));
}

}  // namespace chronoveil::ledger
