// What ledgers of earlier and later releases become, on every store.
#include <gmock/gmock.h>

#include <thread>

#include "backend.h"
#include "chronoveil/accounting/accountant.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

using ::testing::HasSubstr;

class LedgerUpgrade : public OnEveryStore {
 protected:
  Ledger open(Options options = {}) { return value_of(Ledger::open(place_->where(), std::move(options))); }
};
CHRONOVEIL_ON_EVERY_STORE(LedgerUpgrade);

// Rows of a dataset `city` with one debit of half its budget, as a version of the analysis wrote them.
std::vector<Entry> rows_of_analysis(int version) {
  TemporaryFolder folder;
  Ledger source = value_of(Ledger::open(folder.path() + "/source.db"));
  EXPECT_TRUE(source.create(dataset("city", 1)));
  EXPECT_TRUE(source.reserve(terms("city"), pure(0.5)));
  const std::string today = "\"analysis\":" + std::to_string(accounting::kAnalysisVersion);
  std::vector<Entry> rows = value_of(source.entries("city"));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string& body = rows[i].body;
    body.replace(body.find(today), today.size(), "\"analysis\":" + std::to_string(version));
    rows[i] = linked(rows[i], static_cast<std::int64_t>(i), i == 0 ? "" : rows[i - 1].hash);
  }
  return rows;
}

// As an early release would have written them.
void put_unsealed(Place& place, const std::vector<Entry>& rows) {
  for (const Entry& row : rows)
    ASSERT_TRUE(place.sql("INSERT INTO " + place.entries_table() + " VALUES ('" + row.dataset + "', " +
                          std::to_string(row.sequence) + ", '" + row.recorded_at + "', '" + row.recorded_by + "', '" +
                          row.kind + "', '" + row.body + "', '" + row.previous + "', '" + row.hash + "')"));
}

// Somebody took the seals away, and said that the ledger is from before there were any.
TEST_P(LedgerUpgrade, RowsThatWereSealedOnceGetNoNewSeal) {
  place_->create_version(2);
  put_unsealed(*place_, rows_of_analysis(accounting::kAnalysisVersion));
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(refusal(Ledger::open(place_->where()), ErrorKind::storage), HasSubstr("the seals are gone"));
  EXPECT_FALSE(place_->sql("SELECT signature FROM " + place_->seals_table()));
}

TEST_P(LedgerUpgrade, ALedgerOfAnEarlierReleaseIsUpgradedWithItsRows) {
  const std::vector<Entry> rows = rows_of_analysis(6);
  const DebitReference reference{{"city", 1, std::nullopt}, rows.back().hash};
  for (const int version : {1, 2}) {
    place_ = GetParam() == "sqlite" ? make_sqlite_place() : make_postgres_place();
    place_->create_version(version);
    put_unsealed(*place_, rows);
    if (version == 2 && GetParam() == "postgresql") {
      ASSERT_TRUE(place_->sql("INSERT INTO chronoveil_datasets VALUES ('city', 2)"));
    }
    // Version 1 had no protection.
    EXPECT_EQ(place_->sql("UPDATE " + place_->entries_table() + " SET body = body"), version == 1);
    {
      Ledger ledger = open();
      EXPECT_TRUE(value_of(ledger.verify_against(reference)).holds());
      refusal(ledger.reserve(terms("city"), pure(0.75)), ErrorKind::over_budget);
      ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.5)));
    }
    EXPECT_FALSE(place_->sql("UPDATE " + place_->entries_table() + " SET body = body"));
    EXPECT_FALSE(place_->sql("UPDATE " + place_->seals_table() + " SET length = length - 1"));
    EXPECT_EQ(value_of(open().history("city")).size(), 2u);
    EXPECT_TRUE(value_of(open().verify()).holds());
  }
}

TEST_P(LedgerUpgrade, ManyWhoOpenALedgerAtOnceFindItMadeOrUpgradedOnce) {
  for (const int version : {0, 1, 2}) {
    place_ = GetParam() == "sqlite" ? make_sqlite_place() : make_postgres_place();
    if (version > 0) place_->create_version(version);
    constexpr std::size_t kMany = 8;
    std::vector<std::string> said(kMany);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kMany; ++i) {
      threads.emplace_back([&, i] {
        Result<Ledger> ledger = Ledger::open(place_->where());
        if (!ledger) {
          said[i] = ledger.error().text();
        } else if (Result<Dataset> made = ledger->create(dataset("city" + std::to_string(i), 1)); !made) {
          said[i] = made.error().text();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& error : said) EXPECT_EQ(error, "") << version;
    EXPECT_EQ(value_of(open().datasets()).size(), kMany);
    EXPECT_TRUE(value_of(open().verify()).holds());
  }
}

TEST_P(LedgerUpgrade, ABrokenLedgerOfAnEarlierReleaseGetsNoSeals) {
  place_->create_version(2);
  ASSERT_TRUE(place_->sql("INSERT INTO " + place_->entries_table() +
                          " VALUES ('city', 0, '2026-03-05T00:00:00.000Z', 'me', 'create', '{}', '', 'abc')"));
  EXPECT_THAT(refusal(Ledger::open(place_->where()), ErrorKind::storage), HasSubstr("row 0 of dataset 'city'"));
  EXPECT_FALSE(place_->sql("SELECT signature FROM " + place_->seals_table()));
}

TEST_P(LedgerUpgrade, ALedgerOfANewerReleaseIsRefused) {
  open();
  ASSERT_TRUE(place_->sql(GetParam() == "sqlite" ? "PRAGMA user_version = 99"
                                                 : "UPDATE chronoveil_meta SET schema_version = 99"));
  EXPECT_THAT(refusal(Ledger::open(place_->where()), ErrorKind::storage), HasSubstr("newer release"));
}

}  // namespace
}  // namespace chronoveil::ledger::testing
