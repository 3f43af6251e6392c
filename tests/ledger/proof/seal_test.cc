// What the chain alone does not show: rows that are no longer there, and a database that keeps rows away.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <filesystem>

#include "backend.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

using ::testing::HasSubstr;

class Seals : public OnEveryStore {
 protected:
  void fill() {
    Ledger ledger = value_of(Ledger::open(place_->where()));
    ASSERT_TRUE(ledger.create(dataset("city", 1)));
    ASSERT_TRUE(ledger.create(dataset("town", 1)));
    ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.5)));
    ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.25)));
  }

  // Every question about the dataset is refused; the other dataset still works.
  void expect_refused(const std::string& said) {
    Ledger ledger = value_of(Ledger::open(place_->where()));
    EXPECT_THAT(refusal(ledger.reserve(terms("city"), pure(0.01)), ErrorKind::storage), HasSubstr(said));
    EXPECT_THAT(refusal(ledger.check(terms("city"), pure(0.01)), ErrorKind::storage), HasSubstr(said));
    EXPECT_THAT(refusal(ledger.view("city"), ErrorKind::storage), HasSubstr(said));
    EXPECT_THAT(refusal(ledger.history("city"), ErrorKind::storage), HasSubstr(said));
    EXPECT_THAT(refusal(ledger.create(dataset("city", 1)), ErrorKind::storage), HasSubstr(said));
    TemporaryFolder folder;
    EXPECT_THAT(refusal(ledger.back_up(folder.path() + "/copy.db"), ErrorKind::storage), HasSubstr(said));
    const Verification verification = value_of(ledger.verify());
    ASSERT_EQ(verification.findings.size(), 1u);
    EXPECT_THAT(verification.findings.front().message, HasSubstr(said));
    EXPECT_EQ(value_of(ledger.datasets()), (std::vector<std::string>{"city", "town"}));
    EXPECT_TRUE(ledger.view("town"));
  }

  bool edit_seal(const std::string& change) {
    return place_->edit("UPDATE " + place_->seals_table() + " SET " + change + " WHERE " + place_->seal_name() +
                        " = 'city'");
  }
};
CHRONOVEIL_ON_EVERY_STORE(Seals);

TEST_P(Seals, AreThoseOfTheRows) {
  fill();
  const auto store = value_of(open_store(place_->where(), seal_of));
  const Stored stored = value_of(store->read("city", 0));
  ASSERT_TRUE(stored.seal);
  EXPECT_EQ(stored.seal->length, 3);
  EXPECT_EQ(stored.seal->head, stored.rows.back().hash);
  EXPECT_EQ(stored.seal->sums, R"({"":{"delta":"0","values":["0.75"]}})");
  EXPECT_EQ(stored.seal, value_of(seal_of(stored.rows)));
  EXPECT_EQ(value_of(store->read("town", 0)).seal->sums, "{}");
  EXPECT_FALSE(value_of(store->read("village", 0)).seal);
}

TEST_P(Seals, ARowThatIsGoneIsMissed) {
  fill();
  ASSERT_TRUE(place_->edit("DELETE FROM " + place_->entries_table() + " WHERE dataset = 'city' AND sequence = 2"));
  expect_refused("for 3 rows, and 2 are there");
}

TEST_P(Seals, ADatasetWithoutItsRowsIsMissed) {
  fill();
  ASSERT_TRUE(place_->edit("DELETE FROM " + place_->entries_table() + " WHERE dataset = 'city'"));
  expect_refused("for 3 rows, and 0 are there");
}

TEST_P(Seals, ADatasetWithoutItsSealIsRefused) {
  fill();
  ASSERT_TRUE(place_->edit("DELETE FROM " + place_->seals_table() + " WHERE " + place_->seal_name() + " = 'city'"));
  expect_refused("it is gone");
}

TEST_P(Seals, AnEditedSealIsRefused) {
  fill();
  ASSERT_TRUE(edit_seal("length = 2"));
  expect_refused("for 2 rows, and 3 are there");
  ASSERT_TRUE(edit_seal("length = 3, head = 'x' || head"));
  expect_refused("the last row is another one");
  ASSERT_TRUE(edit_seal("head = substr(head, 2), sums = '{}'"));
  expect_refused("add up to something else");
}

TEST_P(Seals, TheDatabaseItselfRefusesToLowerOrRemoveOne) {
  fill();
  const std::string seals = place_->seals_table();
  const std::string earlier =
      "length = 2, head = (SELECT hash FROM " + place_->entries_table() + " WHERE dataset = 'city' AND sequence = 1)";
  for (const std::string& change :
       std::vector<std::string>{"length = length - 1", "length = length + 1", "head = 'x'", "sums = '{}'", earlier})
    EXPECT_FALSE(place_->sql("UPDATE " + seals + " SET " + change + " WHERE " + place_->seal_name() + " = 'city'"))
        << change;
  EXPECT_FALSE(place_->sql("DELETE FROM " + seals));
  EXPECT_FALSE(place_->sql("INSERT INTO " + seals + " VALUES ('village', 0, '', '', '')"));
  EXPECT_FALSE(place_->sql("INSERT INTO " + seals + " VALUES ('village', 1, 'x', '{}', '')"));
  EXPECT_TRUE(value_of(value_of(Ledger::open(place_->where())).verify()).holds());
}

std::string keep_rows_away(const std::string& store, const std::string& table) {
  if (store == "sqlite") return "CREATE TRIGGER quiet BEFORE INSERT ON " + table + " BEGIN SELECT RAISE(IGNORE); END";
  return "CREATE FUNCTION quiet() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; "
         "CREATE TRIGGER a_quiet BEFORE INSERT ON " +
         table + " FOR EACH ROW EXECUTE FUNCTION quiet()";
}

// The database says that it is done, and has done nothing.
TEST_P(Seals, ATriggerThatKeepsRowsAwayIsFoundOnOpening) {
  fill();
  ASSERT_TRUE(place_->sql(keep_rows_away(GetParam(), place_->entries_table())));
  EXPECT_THAT(refusal(Ledger::open(place_->where()), ErrorKind::storage), HasSubstr("does not belong to a ledger"));
}

TEST_P(Seals, ATriggerThatKeepsRowsAwayFromAnOpenLedgerMakesTheDebitFail) {
  fill();
  Ledger ledger = value_of(Ledger::open(place_->where()));
  ASSERT_TRUE(ledger.check(terms("city"), pure(0.01)));
  ASSERT_TRUE(place_->sql(keep_rows_away(GetParam(), place_->entries_table())));
  refusal(ledger.reserve(terms("city"), pure(0.01)), ErrorKind::storage);
}

TEST(SqliteSchema, NothingButALedgerMayBeInTheFile) {
  for (const char* foreign : {"CREATE TABLE recipes (name TEXT)", "CREATE VIEW mine AS SELECT * FROM entries",
                              "CREATE INDEX by_kind ON entries (kind)", "ANALYZE",
                              "CREATE TRIGGER later AFTER INSERT ON seals BEGIN SELECT 1; END"}) {
    const std::unique_ptr<Place> place = make_sqlite_place();
    ASSERT_TRUE(value_of(Ledger::open(place->where())).create(dataset("city", 1)));
    ASSERT_TRUE(place->sql(foreign)) << foreign;
    EXPECT_THAT(refusal(Ledger::open(place->where()), ErrorKind::storage), HasSubstr("does not belong to a ledger"))
        << foreign;
  }
  for (const char* changed : {"DROP TRIGGER entries_never_go", "DROP TRIGGER seals_grow_with_rows",
                              "DROP TRIGGER seals_never_go; CREATE TRIGGER seals_never_go BEFORE DELETE ON seals BEGIN "
                              "SELECT 1; END",
                              "ALTER TABLE seals ADD COLUMN note TEXT"}) {
    const std::unique_ptr<Place> place = make_sqlite_place();
    ASSERT_TRUE(value_of(Ledger::open(place->where())).create(dataset("city", 1)));
    ASSERT_TRUE(place->sql(changed)) << changed;
    EXPECT_THAT(refusal(Ledger::open(place->where()), ErrorKind::storage), HasSubstr("changed by somebody else"))
        << changed;
  }
}

// A file that is copied while nobody writes is a whole ledger, with or without what lies beside it.
TEST(SqliteFile, HoldsEveryDebitByItselfWhileItIsOpen) {
  const std::unique_ptr<Place> place = make_sqlite_place();
  TemporaryFolder folder;
  Ledger ledger = value_of(Ledger::open(place->where()));
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  for (int i = 0; i < 3; ++i) {
    const DebitReference debit = value_of(ledger.reserve(terms("city"), pure(0.25))).reference();
    const std::string copy = folder.path() + "/copy" + std::to_string(i) + ".db";
    std::filesystem::copy_file(place->where(), copy);
    EXPECT_TRUE(value_of(value_of(Ledger::open(copy)).verify_against(debit)).holds());
  }
}

}  // namespace
}  // namespace chronoveil::ledger::testing
