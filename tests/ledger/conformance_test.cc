// What every store must do.
#include <gmock/gmock.h>

#include "backend.h"
#include "chronoveil/ledger/stores/store.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LedgerConformance : public OnEveryStore {
 protected:
  Ledger open(Options options = {}) { return value_of(Ledger::open(place_->where(), std::move(options))); }
};
CHRONOVEIL_ON_EVERY_STORE(LedgerConformance);

Options at(std::shared_ptr<Instant> now) {
  Options options;
  options.clock = [now] { return *now; };
  return options;
}

Instant day(int year, unsigned month, unsigned number) {
  return std::chrono::sys_days(std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(number));
}

TEST_P(LedgerConformance, TenTenthsFillABudgetOfOneAndAnEleventhIsRefused) {
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.1))) << i;
  refusal(ledger.reserve(terms("city"), pure(1e-9)), ErrorKind::over_budget);
  EXPECT_EQ(value_of(ledger.view("city")).admitted.values[0].text(), "1");
}

TEST_P(LedgerConformance, OverBudgetSaysWhatWasAdmittedWhatIsAskedAndWhatStillFits) {
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.75)));
  const std::string said = refusal(ledger.reserve(terms("city"), pure(0.5)), ErrorKind::over_budget);
  EXPECT_THAT(said, HasSubstr("has admitted ε = 0.75 of ε = 1"));
  EXPECT_THAT(said, HasSubstr("asks ε = 0.5"));
  EXPECT_THAT(said, HasSubstr("still admit ε = 0.25"));
  EXPECT_EQ(value_of(ledger.history("city")).size(), 1u);
  EXPECT_TRUE(ledger.reserve(terms("city"), pure(0.25)));
}

TEST_P(LedgerConformance, AFirstDebitMayTakeTheWholeBudgetByItsOwnPriceAndIsThenTheLast) {
  // (1, 1e-6) is 4.2247 Gaussian noise multipliers; the filter alone would ask for 4.55.
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1, 1e-6)));
  refusal(ledger.check(terms("city"), gaussian(4.22)), ErrorKind::over_budget);
  refusal(ledger.reserve(terms("city"), gaussian(4.22)), ErrorKind::over_budget);
  ASSERT_TRUE(ledger.check(terms("city"), gaussian(4.225)));
  ASSERT_TRUE(ledger.reserve(terms("city"), gaussian(4.225)));
  refusal(ledger.reserve(terms("city"), gaussian(1e6)), ErrorKind::over_budget);
  EXPECT_TRUE(value_of(ledger.verify()).findings.empty());

  // Not after anything else was asked, however little.
  ASSERT_TRUE(ledger.create(dataset("town", 1, 1e-6)));
  ASSERT_TRUE(ledger.reserve(terms("town"), gaussian(1e6)));
  refusal(ledger.reserve(terms("town"), gaussian(4.225)), ErrorKind::over_budget);
}

TEST_P(LedgerConformance, TheWholeBudgetIsThatOfAPeriodAndOfThePartsThatANeighbourLiesIn) {
  auto now = std::make_shared<Instant>(day(2026, 3, 5));
  Ledger ledger = open(at(now));
  DatasetRequest monthly = dataset("city", 1, 1e-6);
  monthly.renews = Renewal::month;
  ASSERT_TRUE(ledger.create(monthly));
  ASSERT_TRUE(ledger.reserve(terms("city"), gaussian(4.225)));
  refusal(ledger.reserve(terms("city"), gaussian(4.225)), ErrorKind::over_budget);
  *now = day(2026, 4, 1);
  ASSERT_TRUE(ledger.reserve(terms("city"), gaussian(4.225)));

  DatasetRequest districts = dataset("town", 1, 1e-6);
  districts.promise.unit = Unit::event;
  districts.partition = Partition{.names = {"north", "south"}};
  ASSERT_TRUE(ledger.create(districts));
  Terms north = terms("town"), south = terms("town");
  north.part = "north";
  south.part = "south";
  ASSERT_TRUE(ledger.reserve(north, gaussian(4.225)));
  ASSERT_TRUE(ledger.reserve(south, gaussian(4.225)));
  refusal(ledger.reserve(north, gaussian(1e6)), ErrorKind::over_budget);
  refusal(ledger.reserve(terms("town"), gaussian(1e6)), ErrorKind::over_budget);
  EXPECT_TRUE(value_of(ledger.verify()).findings.empty());
}

TEST_P(LedgerConformance, WhatWasDebitedIsThereAfterReopening) {
  DebitReference reference;
  {
    Ledger ledger = open();
    ASSERT_TRUE(ledger.create(dataset("city", 1)));
    reference = value_of(ledger.reserve(terms("city"), pure(0.5))).reference();
  }
  Ledger ledger = open();
  const auto history = value_of(ledger.history("city"));
  ASSERT_EQ(history.size(), 1u);
  EXPECT_EQ(history[0].id, reference.id);
  EXPECT_EQ(history[0].chain_head, reference.chain_head);
  EXPECT_EQ(history[0].terms.purpose, "a test");
  EXPECT_EQ(history[0].state, State::reserved);
  EXPECT_FALSE(history[0].recorded_by.empty());
  refusal(ledger.reserve(terms("city"), pure(0.6)), ErrorKind::over_budget);
}

TEST_P(LedgerConformance, DebitsOfAnotherConnectionCount) {
  Ledger first = open();
  Ledger second = open();
  ASSERT_TRUE(first.create(dataset("city", 1)));
  ASSERT_TRUE(second.reserve(terms("city"), pure(0.5)));
  ASSERT_TRUE(first.reserve(terms("city"), pure(0.25)));
  refusal(second.reserve(terms("city"), pure(0.5)), ErrorKind::over_budget);
  EXPECT_TRUE(second.reserve(terms("city"), pure(0.25)));
  refusal(first.reserve(terms("city"), pure(1e-6)), ErrorKind::over_budget);
}

TEST_P(LedgerConformance, AbandonedAndReleasedDebitsStaySpentAndAreSettledOnce) {
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  const DebitId first = value_of(ledger.reserve(terms("city"), pure(0.5))).reference().id;
  const DebitId second = value_of(ledger.reserve(terms("city"), pure(0.5))).reference().id;
  ok(ledger.settle(first, State::abandoned));
  ok(ledger.settle(second, State::released));
  EXPECT_THAT(refusal(ledger.settle(first, State::released), ErrorKind::usage), HasSubstr("abandoned"));
  refusal(ledger.settle(second, State::reserved), ErrorKind::usage);
  refusal(ledger.settle({"city", 77, std::nullopt}, State::released), ErrorKind::usage);
  refusal(ledger.reserve(terms("city"), pure(0.1)), ErrorKind::over_budget);
  const auto history = value_of(ledger.history("city"));
  EXPECT_EQ(history[0].state, State::abandoned);
  EXPECT_EQ(history[1].state, State::released);
}

TEST_P(LedgerConformance, ADatasetIsCreatedOnceAndADebitNeedsOne) {
  Ledger ledger = open();
  refusal(ledger.reserve(terms("city"), pure(0.1)), ErrorKind::usage);
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  refusal(ledger.create(dataset("city", 2)), ErrorKind::usage);
  refusal(ledger.create(dataset("no/slash", 1)), ErrorKind::usage);
  refusal(ledger.create(dataset("", 1)), ErrorKind::usage);
  refusal(ledger.view("village"), ErrorKind::usage);
  ASSERT_TRUE(ledger.create(dataset("Berg", 1)));
  EXPECT_THAT(value_of(ledger.datasets()), ElementsAre("Berg", "city"));
}

TEST_P(LedgerConformance, DatasetsDoNotShareABudget) {
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("a", 1)));
  ASSERT_TRUE(ledger.create(dataset("b", 1)));
  ASSERT_TRUE(ledger.reserve(terms("a"), pure(1)));
  EXPECT_TRUE(ledger.reserve(terms("b"), pure(1)));
}

TEST_P(LedgerConformance, ACheckAnswersLikeADebitAndSpendsNothing) {
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  EXPECT_EQ(value_of(ledger.check(terms("city"), pure(0.5))).values[0].text(), "0.5");
  refusal(ledger.check(terms("city"), pure(1.5)), ErrorKind::over_budget);
  EXPECT_TRUE(value_of(ledger.history("city")).empty());
}

TEST_P(LedgerConformance, SlotsAreReservedTogetherAndUsedOnceEachInAnyOrder) {
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  const DebitReference debit = value_of(ledger.reserve_slots(terms("city"), {pure(0.5), pure(0.3), pure(0.2)}));
  refusal(ledger.reserve(terms("city"), pure(0.1)), ErrorKind::over_budget);
  DebitId slot = debit.id;
  slot.slot = 2;
  Receipt receipt = value_of(ledger.open_slot(slot, pure(0.2)));
  EXPECT_EQ(receipt.reference().id, slot);
  refusal(ledger.open_slot(slot, pure(0.2)), ErrorKind::usage);
  slot.slot = 0;
  refusal(ledger.open_slot(slot, pure(0.6)), ErrorKind::over_budget);
  refusal(ledger.settle(slot, State::released), ErrorKind::usage);
  ASSERT_TRUE(ledger.open_slot(slot, accounting::Event{accounting::Laplace{2}}));
  ok(ledger.settle(slot, State::released));
  slot.slot = 3;
  refusal(ledger.open_slot(slot, pure(0.1)), ErrorKind::usage);
  ok(ledger.settle(debit.id, State::abandoned));
  slot.slot = 1;
  refusal(ledger.open_slot(slot, pure(0.1)), ErrorKind::usage);
  const auto history = value_of(ledger.history("city"));
  ASSERT_EQ(history.size(), 1u);
  EXPECT_EQ(history[0].slots[0].state, State::released);
  EXPECT_EQ(history[0].slots[1].state, std::nullopt);
  EXPECT_EQ(history[0].slots[2].state, State::reserved);
  EXPECT_TRUE(value_of(ledger.verify()).holds());
  EXPECT_TRUE(value_of(ledger.verify_against(receipt.reference())).holds());
}

TEST_P(LedgerConformance, PartsComposeInParallelAndTheWholeCountsForEachOfThem) {
  Ledger ledger = open();
  DatasetRequest request = dataset("city", 1);
  request.partition = Partition{Partition::By::list, {"north", "south"}, 1};
  ASSERT_TRUE(ledger.create(request));
  Terms north = terms("city"), south = terms("city"), east = terms("city");
  north.part = "north";
  south.part = "south";
  east.part = "east";
  ASSERT_TRUE(ledger.reserve(north, pure(0.75)));
  ASSERT_TRUE(ledger.reserve(south, pure(0.5)));
  refusal(ledger.reserve(terms("city"), pure(0.3)), ErrorKind::over_budget);
  ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.25)));
  refusal(ledger.reserve(north, pure(0.1)), ErrorKind::over_budget);
  ASSERT_TRUE(ledger.reserve(south, pure(0.25)));
  refusal(ledger.reserve(south, pure(0.1)), ErrorKind::over_budget);
  refusal(ledger.reserve(east, pure(0.1)), ErrorKind::usage);
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

TEST_P(LedgerConformance, TwoLaplaceReleasesFillABudgetWithADeltaAndWhatIsRefusedCountsForNoMember) {
  Ledger ledger = open();
  const accounting::Event laplace{accounting::Laplace{1}};
  ASSERT_TRUE(ledger.create(dataset("city", 2, 1e-6)));
  ASSERT_TRUE(ledger.reserve(terms("city"), laplace));
  // `sum` has no price for it: had it counted, the next one would not fit.
  refusal(ledger.reserve(terms("city"), gaussian(2)), ErrorKind::over_budget);
  ASSERT_TRUE(ledger.reserve(terms("city"), laplace));
  const std::string said = refusal(ledger.reserve(terms("city"), pure(1e-9)), ErrorKind::over_budget);
  EXPECT_THAT(said, HasSubstr("the filter union has admitted ε = 2, δ = 0 of ε = 2, δ = 1e-07; the request asks"));
  EXPECT_FALSE(value_of(ledger.view("city")).admissible.pure_epsilon);
  EXPECT_EQ(value_of(ledger.history("city")).size(), 2u);
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

TEST_P(LedgerConformance, AUnionMayHoldForEachNeighbourByAnotherMember) {
  Ledger ledger = open();
  DatasetRequest request = dataset("city", 2, 1e-6);
  request.partition = Partition{Partition::By::list, {"north", "south"}, 1};
  ASSERT_TRUE(ledger.create(request));
  Terms north = terms("city"), south = terms("city");
  north.part = "north";
  south.part = "south";
  ASSERT_TRUE(ledger.reserve(north, pure(1.875)));
  ASSERT_TRUE(ledger.reserve(south, gaussian(5)));
  // Now `sum` alone holds in the north, and in the south anything else.
  ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.0625)));
  refusal(ledger.reserve(terms("city"), gaussian(100)), ErrorKind::over_budget);
  ASSERT_TRUE(ledger.reserve(south, gaussian(100)));
  refusal(ledger.reserve(south, pure(1)), ErrorKind::over_budget);
  ASSERT_TRUE(ledger.reserve(north, pure(0.0625)));
  refusal(ledger.reserve(terms("city"), pure(1e-9)), ErrorKind::over_budget);
  EXPECT_EQ(value_of(ledger.view("city", "north")).left.values[0].text(), "0");
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

// Rows as they were written when `renyi` was the default.
TEST_P(LedgerConformance, ADatasetThatWasCreatedWithAnotherFilterKeepsIt) {
  std::vector<Entry> rows(2);
  rows[0].kind = "create";
  rows[0].body = R"({"analysis":7,"delta":1e-06,"epsilon":1.0,"filter":{"budget":{"delta":"0.0000001",)"
                 R"("values":["0.53081"]},"kind":"renyi","orders":[22.0]},"relation":"add_remove",)"
                 R"("software":"0.1.0","unit":"user"})";
  rows[1].kind = "debit";
  rows[1].body = R"({"analysis":7,"cost":{"delta":"0","values":["0.02750000000003"]},)"
                 R"("event":{"event":"gaussian","noise_multiplier":20.0},"mechanism":"","purpose":"weekly counts",)"
                 R"("software":"0.1.0"})";
  std::string previous;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].dataset = "city";
    rows[i].recorded_at = "2026-03-05T00:00:00.000Z";
    rows[i].recorded_by = "somebody";
    rows[i] = linked(rows[i], static_cast<std::int64_t>(i), previous);
    previous = rows[i].hash;
  }
  put_rows(place_->where(), rows);
  Ledger ledger = open();
  EXPECT_TRUE(value_of(ledger.verify()).holds());
  const View view = value_of(ledger.view("city"));
  EXPECT_EQ(view.dataset.filter.kind, FilterKind::renyi);
  EXPECT_EQ(view.left.values[0].text(), "0.50330999999997");
  refusal(ledger.reserve(terms("city"), gaussian(4.67)), ErrorKind::over_budget);
  ASSERT_TRUE(ledger.reserve(terms("city"), gaussian(4.68)));
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

TEST_P(LedgerConformance, ABudgetRenewsByMonthAndAClockThatJumpsBackDoesNotReopenTheOldMonth) {
  auto now = std::make_shared<Instant>(day(2026, 3, 31));
  Ledger ledger = open(at(now));
  DatasetRequest request = dataset("city", 1);
  request.renews = Renewal::month;
  ASSERT_TRUE(ledger.create(request));
  ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.75)));
  refusal(ledger.reserve(terms("city"), pure(0.5)), ErrorKind::over_budget);
  *now = day(2026, 4, 1);
  ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.75)));
  *now = day(2026, 3, 15);
  EXPECT_THAT(refusal(ledger.reserve(terms("city"), pure(0.5)), ErrorKind::over_budget), HasSubstr("2026-04"));
  ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.25)));
  const auto history = value_of(ledger.history("city"));
  ASSERT_EQ(history.size(), 3u);
  EXPECT_EQ(history[0].period, "2026-03");
  EXPECT_EQ(history[2].period, "2026-04");
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

TEST_P(LedgerConformance, TimeNeverRunsBackwardsInTheRowsAndDecidesNothing) {
  auto now = std::make_shared<Instant>(day(2026, 3, 2));
  Ledger ledger = open(at(now));
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  *now = day(1999, 1, 1);
  ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.5)));
  *now = day(2026, 3, 3);
  ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.5)));
  refusal(ledger.reserve(terms("city"), pure(0.5)), ErrorKind::over_budget);
  const auto history = value_of(ledger.history("city"));
  EXPECT_EQ(history[0].recorded_at, "2026-03-02T00:00:00.000Z");
  EXPECT_EQ(history[1].recorded_at, "2026-03-03T00:00:00.000Z");
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

TEST_P(LedgerConformance, WhatIsRecordedAfterDataWasReadIsDatedToTheDay) {
  auto now = std::make_shared<Instant>(day(2026, 3, 2) + std::chrono::hours(9));
  Ledger ledger = open(at(now));
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  *now += std::chrono::minutes(1);
  const DebitId run = value_of(ledger.reserve_run(terms("city"), pure(0.5), 9)).id;
  *now += std::chrono::minutes(1);
  ASSERT_TRUE(ledger.use_run(run, 0, 1));
  *now = day(2026, 3, 4) + std::chrono::hours(5);
  ASSERT_TRUE(ledger.use_run(run, 1, 1));
  *now += std::chrono::minutes(1);
  const DebitId other = value_of(ledger.reserve(terms("city"), pure(0.5))).reference().id;
  *now += std::chrono::minutes(1);
  ASSERT_TRUE(ledger.settle(other, State::abandoned));
  std::vector<std::string> dates;
  for (const Entry& row : value_of(ledger.entries("city"))) dates.push_back(row.recorded_at);
  EXPECT_THAT(dates, ::testing::ElementsAre("2026-03-02T09:00:00.000Z", "2026-03-02T09:01:00.000Z",
                                            "2026-03-02T09:01:00.000Z", "2026-03-04T00:00:00.000Z",
                                            "2026-03-04T05:01:00.000Z", "2026-03-04T05:01:00.000Z"));
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

TEST_P(LedgerConformance, TheDatabaseItselfRefusesToChangeOrRemoveARow) {
  {
    Ledger ledger = open();
    ASSERT_TRUE(ledger.create(dataset("city", 1)));
    ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.5)));
  }
  const std::string table = place_->entries_table();
  EXPECT_FALSE(place_->sql("UPDATE " + table + " SET body = '{}'"));
  EXPECT_FALSE(place_->sql("DELETE FROM " + table));
  EXPECT_FALSE(place_->sql("INSERT INTO " + table + " SELECT * FROM " + table));
  EXPECT_TRUE(place_->sql("SELECT * FROM " + table));
  EXPECT_EQ(value_of(open().history("city")).size(), 1u);
}

TEST_P(LedgerConformance, ASlotIsHeldToTheTermsOfItsDebit) {
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  DebitId slot = value_of(ledger.reserve_slots(terms("city"), {pure(0.5)})).id;
  slot.slot = 0;
  // Randomised response hides a replacement, which is not what this dataset promises.
  refusal(ledger.open_slot(slot, {accounting::RandomizedResponse{0.1, 2}}), ErrorKind::usage);
  EXPECT_TRUE(ledger.open_slot(slot, {accounting::Laplace{2}}));
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

TEST_P(LedgerConformance, OddBytesInWhatPeopleTypeDoNoHarm) {
  Options options;
  options.who = "line\nfeed \xff";
  Ledger ledger = open(options);
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  Terms odd = terms("city");
  odd.purpose = "quote ' \" \\ line\nfeed nul\0 latin \xe9 grüße"s;
  ASSERT_TRUE(ledger.reserve(odd, pure(0.5)));
  EXPECT_TRUE(value_of(ledger.verify()).holds());
  EXPECT_EQ(value_of(open().history("city"))[0].recorded_by,
            GetParam() == "sqlite" ? "line?feed ?" : "chronoveil (line?feed ?)");
}

}  // namespace
}  // namespace chronoveil::ledger::testing
