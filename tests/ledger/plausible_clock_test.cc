#include "chronoveil/ledger/plausible_clock.h"

#include <gmock/gmock.h>

#include "backend.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

using ::testing::HasSubstr;

Instant date_of(int year, unsigned month, unsigned number) {
  return std::chrono::sys_days(std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(number));
}

TEST(PlausibleClock, RowsMayBeThisFarApart) {
  const std::string last = timestamp(date_of(2026, 3, 1));
  const auto after = [&](int days) { return date_of(2026, 3, 1) + std::chrono::days(days); };
  EXPECT_TRUE(is_plausible(Renewal::month, last, after(100)));
  EXPECT_FALSE(is_plausible(Renewal::month, last, after(100) + std::chrono::milliseconds(1)));
  EXPECT_TRUE(is_plausible(Renewal::year, last, after(400)));
  EXPECT_FALSE(is_plausible(Renewal::year, last, after(401)));
  EXPECT_TRUE(is_plausible(Renewal::month, last, after(-20'000)));  // charged to the period of the last row
  EXPECT_FALSE(is_plausible(Renewal::month, last, date_of(2096, 5, 1)));
}

TEST(PlausibleClock, TheFirstRowIsOfYearsInWhichThisSoftwareIsUsed) {
  EXPECT_FALSE(is_plausible(Renewal::month, "", date_of(1970, 1, 1)));
  EXPECT_TRUE(is_plausible(Renewal::month, "", date_of(2026, 1, 1)));
  EXPECT_TRUE(is_plausible(Renewal::year, "", date_of(2045, 12, 31)));
  EXPECT_FALSE(is_plausible(Renewal::year, "", date_of(2046, 1, 1)));
}

class ClockConformance : public OnEveryStore {
 protected:
  Ledger open(bool clock_is_right = false) {
    Options options;
    options.clock = [now = now_] { return *now; };
    options.clock_is_right = clock_is_right;
    return value_of(Ledger::open(place_->where(), std::move(options)));
  }
  static DatasetRequest monthly(double epsilon) {
    DatasetRequest request = dataset("city", epsilon);
    request.renews = Renewal::month;
    return request;
  }
  std::shared_ptr<Instant> now_ = std::make_shared<Instant>(date_of(2026, 3, 31));
};
CHRONOVEIL_ON_EVERY_STORE(ClockConformance);

TEST_P(ClockConformance, AClockFarAheadNeitherOpensAPeriodNorMovesTheDatasetThere) {
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(monthly(1)));
  const DebitId id = value_of(ledger.reserve(terms("city"), pure(0.75))).reference().id;
  const DebitId run = value_of(ledger.reserve_run(terms("city"), pure(0.25), 9)).id;
  *now_ = date_of(2096, 5, 1);
  for (const auto& said : {refusal(ledger.reserve(terms("city"), pure(0.5)), ErrorKind::storage),
                           refusal(ledger.reserve_run(terms("city"), pure(0.5), 3), ErrorKind::storage),
                           refusal(ledger.reserve_slots(terms("city"), {pure(0.5)}), ErrorKind::storage),
                           refusal(ledger.check(terms("city"), pure(0.5)), ErrorKind::storage),
                           value_of(ledger.view("city")).clock_note}) {
    EXPECT_THAT(said, HasSubstr("2096-05-01"));
    EXPECT_THAT(said, HasSubstr("2026-03-31"));
  }
  // What spends nothing is written, and dated like the row before it.
  ok(ledger.use_run(run, 0, 4));
  ok(ledger.settle(id, State::released));
  EXPECT_EQ(value_of(ledger.entries("city")).back().recorded_at, "2026-03-31T00:00:00.000Z");
  *now_ = date_of(2026, 3, 31);
  refusal(ledger.reserve(terms("city"), pure(0.5)), ErrorKind::over_budget);
  *now_ = date_of(2026, 4, 1);
  ASSERT_TRUE(ledger.reserve(terms("city"), pure(1)));
  const View view = value_of(ledger.view("city"));
  EXPECT_EQ(view.period, "2026-04");
  EXPECT_EQ(view.clock_note, "");
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

TEST_P(ClockConformance, WhoSaysThatTheClockIsRightGetsTheNewPeriodAndNoOldOneAgain) {
  {
    Ledger ledger = open();
    ASSERT_TRUE(ledger.create(monthly(1)));
    ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.75)));
  }
  *now_ = date_of(2027, 3, 31);
  refusal(open().reserve(terms("city"), pure(0.5)), ErrorKind::storage);
  ASSERT_TRUE(open(true).reserve(terms("city"), pure(0.75)));
  ASSERT_TRUE(open().reserve(terms("city"), pure(0.25)));  // the last row is of today
  *now_ = date_of(2026, 4, 1);
  EXPECT_THAT(refusal(open().reserve(terms("city"), pure(0.5)), ErrorKind::over_budget), HasSubstr("2027-03"));
  EXPECT_THAT(value_of(open().view("city")).clock_note, HasSubstr("stays 2027-03 until the clock passes it"));
  EXPECT_TRUE(value_of(open().verify()).holds());
}

TEST_P(ClockConformance, ABudgetThatDoesNotRenewGoesByNoClock) {
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  *now_ = date_of(2096, 5, 1);
  ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.5)));
  ASSERT_TRUE(ledger.create(dataset("town", 1)));
  EXPECT_EQ(value_of(ledger.view("city")).clock_note, "");
}

TEST_P(ClockConformance, ABudgetThatRenewsIsNotCreatedByAClockThatIsWrong) {
  for (const Instant wrong : {date_of(1970, 1, 1), date_of(2096, 5, 1)}) {
    *now_ = wrong;
    EXPECT_THAT(refusal(open().create(monthly(1)), ErrorKind::storage), HasSubstr("no clock shows"));
  }
  ASSERT_TRUE(open(true).create(monthly(1)));
}

TEST_P(ClockConformance, ABackupTakenInByAWrongClockIsDatedLikeItsLastRow) {
  const TemporaryFolder folder;
  const std::string backup = folder.path() + "/backup.db";
  {
    Ledger ledger = open();
    ASSERT_TRUE(ledger.create(monthly(1)));
    ok(ledger.back_up(backup));
  }
  *now_ = date_of(2096, 5, 1);
  Options options;
  options.clock = [now = now_] { return *now; };
  Ledger restored = value_of(Ledger::open(folder.path() + "/new.db", std::move(options)));
  ok(restored.restore(backup));
  EXPECT_EQ(value_of(restored.entries("city")).back().recorded_at, "2026-03-31T00:00:00.000Z");
}

}  // namespace
}  // namespace chronoveil::ledger::testing
