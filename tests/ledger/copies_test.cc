// Backups, and moves from one store to another, from and to every store.
#include <gmock/gmock.h>

#include <filesystem>

#include "backend.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

using ::testing::HasSubstr;

class LedgerCopies : public OnEveryStore {
 protected:
  Ledger open(Options options = {}) { return value_of(Ledger::open(place_->where(), std::move(options))); }
};
CHRONOVEIL_ON_EVERY_STORE(LedgerCopies);

TEST_P(LedgerCopies, ABackupGoesOnWithTheSameChainAndCanBeRestored) {
  TemporaryFolder folder;
  DebitReference reference;
  const std::string backup = folder.path() + "/backup.db";
  std::vector<Entry> rows;
  {
    Ledger ledger = open();
    ASSERT_TRUE(ledger.create(dataset("city", 1)));
    ASSERT_TRUE(ledger.create(dataset("town", 1)));
    reference = value_of(ledger.reserve(terms("city"), pure(0.5))).reference();
    ok(ledger.back_up(backup));
    refusal(ledger.back_up(backup), ErrorKind::usage);
    rows = value_of(ledger.entries("city"));
  }
  Ledger copy = value_of(Ledger::open(backup));
  std::vector<Entry> copied = value_of(copy.entries("city"));
  EXPECT_EQ(copied.back().kind, "opened");
  copied.pop_back();
  EXPECT_EQ(copied, rows);
  Ledger restored = value_of(Ledger::open(folder.path() + "/new.db"));
  ok(restored.restore(backup));
  refusal(restored.restore(backup), ErrorKind::usage);
  EXPECT_TRUE(value_of(restored.verify()).holds());
  EXPECT_TRUE(value_of(restored.verify_against(reference)).holds());
  refusal(restored.reserve(terms("city"), pure(0.75)), ErrorKind::over_budget);
  EXPECT_TRUE(restored.reserve(terms("city"), pure(0.5)));
}

TEST_P(LedgerCopies, AMoveKeepsTheChainThereAndBackAndClosesTheOldPlace) {
  TemporaryFolder folder;
  const std::string other = folder.path() + "/other.db";
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  const DebitReference reference = value_of(ledger.reserve(terms("city"), pure(0.5))).reference();
  ok(ledger.move(other));
  EXPECT_THAT(refusal(ledger.reserve(terms("city"), pure(0.1)), ErrorKind::usage), HasSubstr("moved"));
  ok(ledger.move(other));  // done before: nothing left to do
  Ledger there = value_of(Ledger::open(other));
  refusal(there.reserve(terms("city"), pure(0.75)), ErrorKind::over_budget);
  ASSERT_TRUE(there.reserve(terms("city"), pure(0.25)));
  EXPECT_TRUE(value_of(there.verify_against(reference)).holds());

  const std::unique_ptr<Place> fresh = GetParam() == "sqlite" ? make_sqlite_place() : make_postgres_place();
  ok(there.move(fresh->where()));
  Ledger back = value_of(Ledger::open(fresh->where()));
  EXPECT_TRUE(value_of(back.verify_against(reference)).holds());
  refusal(back.reserve(terms("city"), pure(0.5)), ErrorKind::over_budget);
  EXPECT_TRUE(back.reserve(terms("city"), pure(0.25)));
  EXPECT_TRUE(value_of(ledger.verify()).holds());
  EXPECT_TRUE(value_of(there.verify()).holds());
  EXPECT_TRUE(value_of(back.verify()).holds());
}

TEST_P(LedgerCopies, WhatWasMovedIsNeverOpenedInTwoPlaces) {
  TemporaryFolder folder;
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  ok(ledger.move(folder.path() + "/a.db"));
  EXPECT_THAT(refusal(ledger.move(folder.path() + "/b.db"), ErrorKind::usage), HasSubstr("moved elsewhere"));
  ok(ledger.back_up(folder.path() + "/backup.db"));
  Ledger restored = value_of(Ledger::open(folder.path() + "/restored.db"));
  EXPECT_THAT(refusal(restored.restore(folder.path() + "/backup.db"), ErrorKind::usage), HasSubstr("moved elsewhere"));
  EXPECT_TRUE(value_of(Ledger::open(folder.path() + "/a.db")).reserve(terms("city"), pure(1)));
}

// As a crash between closing here and opening there leaves it.
TEST_P(LedgerCopies, AnInterruptedMoveIsFinishedByRunningItAgain) {
  TemporaryFolder folder;
  const std::string there = folder.path() + "/there.db";
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  ASSERT_TRUE(ledger.create(dataset("town", 1)));
  ok(ledger.move(there));
  std::vector<Entry> closed = value_of(ledger.entries("city"));
  EXPECT_EQ(closed.back().kind, "arrived");
  closed.pop_back();
  const std::unique_ptr<Place> half = GetParam() == "sqlite" ? make_sqlite_place() : make_postgres_place();
  put_rows(half->where(), closed);
  std::filesystem::remove(there);
  Ledger interrupted = value_of(Ledger::open(half->where()));
  refusal(interrupted.reserve(terms("city"), pure(0.5)), ErrorKind::usage);
  ok(interrupted.move(there));
  EXPECT_TRUE(value_of(Ledger::open(there)).reserve(terms("city"), pure(0.5)));
  ok(interrupted.move(there));  // done before
  EXPECT_TRUE(value_of(interrupted.verify()).holds());
}

// As a crash leaves it that came after opening there and before that was noted here.
TEST_P(LedgerCopies, AMoveThatCameAsFarAsOpeningIsFinishedByRunningItAgain) {
  TemporaryFolder folder;
  const std::string there = folder.path() + "/there.db";
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  ok(ledger.move(there));
  std::vector<Entry> closed = value_of(ledger.entries("city"));
  closed.pop_back();
  const std::unique_ptr<Place> half = GetParam() == "sqlite" ? make_sqlite_place() : make_postgres_place();
  put_rows(half->where(), closed);
  Ledger interrupted = value_of(Ledger::open(half->where()));
  ok(interrupted.move(there));
  EXPECT_EQ(value_of(interrupted.entries("city")).back().kind, "arrived");
  EXPECT_EQ(value_of(value_of(Ledger::open(there)).entries("city")).size(), closed.size() + 1);
}

// The ledger that it was moved to was renamed, or its disk is not mounted.
TEST_P(LedgerCopies, WhatHasArrivedIsNotOpenedASecondTime) {
  TemporaryFolder folder;
  const std::string there = folder.path() + "/there.db", renamed = folder.path() + "/renamed.db";
  Terms job = terms("city");
  job.job = "0123456789abcdef";
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  const DebitId debit = value_of(ledger.reserve(job, pure(0.5))).reference().id;
  ok(ledger.move(there));
  std::filesystem::rename(there, renamed);
  EXPECT_THAT(refusal(ledger.move(there), ErrorKind::usage), HasSubstr("has arrived there before"));
  // Nor out of a backup of what was left behind.
  ok(ledger.back_up(folder.path() + "/backup.db"));
  EXPECT_THAT(refusal(value_of(Ledger::open(folder.path() + "/backup.db")).move(there), ErrorKind::usage),
              HasSubstr("has arrived there before"));
  EXPECT_EQ(value_of(value_of(Ledger::open(renamed)).reserve(job, pure(0.5))).reference().id, debit);
  // Earlier versions did not note that it arrived: it is opened, and nothing is drawn for what was reserved before.
  std::vector<Entry> closed = value_of(ledger.entries("city"));
  closed.pop_back();
  const std::unique_ptr<Place> earlier = GetParam() == "sqlite" ? make_sqlite_place() : make_postgres_place();
  put_rows(earlier->where(), closed);
  std::filesystem::remove(there);
  ok(value_of(Ledger::open(earlier->where())).move(there));
  Ledger second = value_of(Ledger::open(there));
  EXPECT_FALSE(value_of(second.to_take_up(job, pure(0.5))));
  EXPECT_TRUE(value_of(second.history("city"))[0].from_backup);
  EXPECT_TRUE(value_of(second.verify()).holds());
}

TEST_P(LedgerCopies, AnotherDatasetOfTheSameNameIsNotTakenForOneThatArrived) {
  TemporaryFolder folder;
  const std::string there = folder.path() + "/there.db";
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  ok(ledger.move(there));
  std::vector<Entry> closed = value_of(ledger.entries("city"));
  closed.pop_back();
  const std::unique_ptr<Place> half = GetParam() == "sqlite" ? make_sqlite_place() : make_postgres_place();
  put_rows(half->where(), closed);
  std::filesystem::remove(there);
  ASSERT_TRUE(value_of(Ledger::open(there)).create(dataset("city", 7)));
  Ledger interrupted = value_of(Ledger::open(half->where()));
  EXPECT_THAT(refusal(interrupted.move(there), ErrorKind::usage), HasSubstr("exists there already"));
  EXPECT_EQ(value_of(interrupted.entries("city")).back().kind, "moved");
}

TEST_P(LedgerCopies, AMoveDoesNotWriteOverADatasetOfTheSameName) {
  TemporaryFolder folder;
  const std::string other = folder.path() + "/other.db";
  ASSERT_TRUE(value_of(Ledger::open(other)).create(dataset("city", 7)));
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  refusal(ledger.move(other), ErrorKind::usage);
  EXPECT_TRUE(ledger.reserve(terms("city"), pure(0.1)));
}

}  // namespace
}  // namespace chronoveil::ledger::testing
