#include "chronoveil/ledger/debit.h"

#include "chronoveil/ledger/calendar.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

TEST(DebitId, ReadsBackAsItIsWritten) {
  for (const DebitId& id : {DebitId{"city", 17, std::nullopt}, DebitId{"city", 17, 3}, DebitId{"a.b_c-d", 0, 0}}) {
    EXPECT_EQ(value_of(DebitId::parse(id.text())), id);
  }
  for (const char* text : {"", "city", "city:", "city:x", "city:-1", "city:1/", "city:1/x", "city:1/-2", "city:1 "}) {
    refusal(DebitId::parse(text), ErrorKind::usage);
  }
}

TEST(Calendar, TimestampsSortAsTheirInstantsAndPeriodsAreTheirPrefixes) {
  using namespace std::chrono;
  const Instant instant = sys_days(year(2026) / 2 / 28) + hours(23) + minutes(59) + seconds(59) + milliseconds(999);
  EXPECT_EQ(timestamp(instant), "2026-02-28T23:59:59.999Z");
  EXPECT_EQ(timestamp(instant + milliseconds(1)), "2026-03-01T00:00:00.000Z");
  EXPECT_LT(timestamp(instant), timestamp(instant + milliseconds(1)));
  EXPECT_EQ(period_of(Renewal::month, timestamp(instant)), "2026-02");
  EXPECT_EQ(period_of(Renewal::year, timestamp(instant)), "2026");
}

}  // namespace
}  // namespace chronoveil::ledger::testing
