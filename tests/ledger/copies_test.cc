// Backups, and moves from one store to another, from and to every store.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "backend.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

using ::testing::HasSubstr;

class LedgerCopies : public OnEveryStore {
 protected:
  Ledger open(Options options = {}) { return value_of(Ledger::open(place_->where(), std::move(options))); }
  // Another place on the same kind of store, with the rows of one dataset.
  static std::unique_ptr<Place> another(const std::vector<Entry>& rows = {}) {
    std::unique_ptr<Place> made = GetParam() == "sqlite" ? make_sqlite_place() : make_postgres_place();
    if (!rows.empty()) put_rows(made->where(), rows);
    return made;
  }
  // What a move left here, with its first rows alone: as if it had been killed after the last of them.
  static std::vector<Entry> rows_until(const std::string& kind, const std::vector<Entry>& rows) {
    const auto last = std::find_if(rows.begin(), rows.end(), [&](const Entry& row) { return row.kind == kind; });
    return {rows.begin(), std::next(last)};
  }
  // Rows that were closed, as a version closed them that opened the copy before it noted anything.
  static std::vector<Entry> closed_by_earlier_version(std::vector<Entry> rows) {
    rows = rows_until("moved", rows);
    MovedBody body = value_of(moved_from_body(rows.back().body));
    body.noted_first = false;
    rows.back().body = to_body(body);
    rows.back() = linked(rows.back(), rows.back().sequence, rows.back().previous);
    return rows;
  }
  static Entry note(const std::vector<Entry>& rows, const std::string& kind, const std::string& body) {
    Entry row = rows.back();
    row.kind = kind;
    row.body = body;
    return linked(row, rows.back().sequence + 1, rows.back().hash);
  }

  TemporaryFolder folder_;
  std::string there_ = folder_.path() + "/there.db";
};
CHRONOVEIL_ON_EVERY_STORE(LedgerCopies);

TEST_P(LedgerCopies, ABackupGoesOnWithTheSameChainAndCanBeRestored) {
  DebitReference reference;
  const std::string backup = folder_.path() + "/backup.db";
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
  Ledger restored = value_of(Ledger::open(folder_.path() + "/new.db"));
  ok(restored.restore(backup));
  refusal(restored.restore(backup), ErrorKind::usage);
  EXPECT_TRUE(value_of(restored.verify()).holds());
  EXPECT_TRUE(value_of(restored.verify_against(reference)).holds());
  refusal(restored.reserve(terms("city"), pure(0.75)), ErrorKind::over_budget);
  EXPECT_TRUE(restored.reserve(terms("city"), pure(0.5)));
}

TEST_P(LedgerCopies, AMoveKeepsTheChainThereAndBackAndClosesTheOldPlace) {
  const std::string other = folder_.path() + "/other.db";
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

  const std::unique_ptr<Place> fresh = another();
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
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  ok(ledger.move(folder_.path() + "/a.db"));
  EXPECT_THAT(refusal(ledger.move(folder_.path() + "/b.db"), ErrorKind::usage), HasSubstr("moved elsewhere"));
  ok(ledger.back_up(folder_.path() + "/backup.db"));
  Ledger restored = value_of(Ledger::open(folder_.path() + "/restored.db"));
  EXPECT_THAT(refusal(restored.restore(folder_.path() + "/backup.db"), ErrorKind::usage), HasSubstr("moved elsewhere"));
  // Beside an open dataset it is restored as it is: closed, and its name taken.
  ASSERT_TRUE(ledger.create(dataset("town", 1)));
  ok(ledger.back_up(folder_.path() + "/both.db"));
  ok(restored.restore(folder_.path() + "/both.db"));
  EXPECT_TRUE(restored.reserve(terms("town"), pure(1)));
  refusal(restored.create(dataset("city", 1)), ErrorKind::usage);
  EXPECT_THAT(refusal(restored.reserve(terms("city"), pure(1)), ErrorKind::usage), HasSubstr("moved"));
  EXPECT_TRUE(value_of(restored.verify()).holds());
  EXPECT_TRUE(value_of(Ledger::open(folder_.path() + "/a.db")).reserve(terms("city"), pure(1)));
}

// As a crash leaves it after each of its steps.
TEST_P(LedgerCopies, AnInterruptedMoveIsFinishedByRunningItAgain) {
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  ok(ledger.move(there_));
  const std::vector<Entry> left = value_of(ledger.entries("city")),
                           came = value_of(value_of(Ledger::open(there_)).entries("city"));
  struct Step {
    const char *here, *there;  // the last row; nothing there
  };
  for (const auto& [here, there] : {Step{"moved", ""}, Step{"moved", "copied"}, Step{"arrived", "copied"},
                                    Step{"moved", "opened"}, Step{"arrived", "opened"}}) {
    SCOPED_TRACE(std::string(here) + " " + there);
    std::filesystem::remove(there_);
    const std::unique_ptr<Place> half = another(rows_until(here, left));
    if (there != std::string()) put_rows(there_, rows_until(there, came));
    Ledger interrupted = value_of(Ledger::open(half->where()));
    refusal(interrupted.reserve(terms("city"), pure(0.5)), ErrorKind::usage);
    if (there == std::string("copied"))
      refusal(value_of(Ledger::open(there_)).reserve(terms("city"), pure(0.5)), ErrorKind::usage);
    ok(interrupted.move(there_));
    ok(interrupted.move(there_));  // done before
    EXPECT_EQ(value_of(interrupted.entries("city")).size(), left.size());
    EXPECT_TRUE(value_of(interrupted.verify()).holds());
    Ledger finished = value_of(Ledger::open(there_));
    EXPECT_EQ(value_of(finished.entries("city")).size(), came.size());
    EXPECT_TRUE(value_of(finished.verify()).holds());
    EXPECT_TRUE(finished.reserve(terms("city"), pure(0.5)));
  }
}

// A second copy would be opened by running the move again with it.
TEST_P(LedgerCopies, WhatIsOnItsWayIsNeitherBackedUpNorMovedElsewhere) {
  const std::string backup = folder_.path() + "/backup.db";
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  ok(ledger.move(there_));
  const std::unique_ptr<Place> closed = another(rows_until("moved", value_of(ledger.entries("city")))),
                               copied = another(
                                   rows_until("copied", value_of(value_of(Ledger::open(there_)).entries("city"))));
  for (const Place* half : {closed.get(), copied.get()})
    EXPECT_THAT(refusal(value_of(Ledger::open(half->where())).back_up(backup), ErrorKind::usage),
                HasSubstr("was interrupted; run it again first"));
  EXPECT_THAT(refusal(value_of(Ledger::open(copied->where())).move(folder_.path() + "/on.db"), ErrorKind::usage),
              HasSubstr("run that move again"));
  ok(ledger.back_up(backup));
}

// The ledger that it was moved to was renamed, or its disk is not mounted.
TEST_P(LedgerCopies, WhatHasArrivedIsNotOpenedASecondTime) {
  const std::string renamed = folder_.path() + "/renamed.db", backup = folder_.path() + "/backup.db";
  Terms job = terms("city");
  job.job = "0123456789abcdef";
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  const DebitId debit = value_of(ledger.reserve(job, pure(0.5))).reference().id;
  ok(ledger.move(there_));
  std::filesystem::rename(there_, renamed);
  EXPECT_THAT(refusal(ledger.move(there_), ErrorKind::usage), HasSubstr("has arrived there before"));
  // Nor out of a backup of what was left behind, nor in it.
  ok(ledger.back_up(backup));
  EXPECT_THAT(refusal(value_of(Ledger::open(backup)).move(there_), ErrorKind::usage),
              HasSubstr("has arrived there before"));
  std::filesystem::remove(there_);
  std::filesystem::copy(backup, there_);
  EXPECT_THAT(refusal(ledger.move(there_), ErrorKind::usage), HasSubstr("as a backup of what was closed here"));
  // Nor as another copy, which an interrupted move left elsewhere.
  std::filesystem::remove(there_);
  std::vector<Entry> other = rows_until("moved", value_of(ledger.entries("city")));
  other.push_back(note(other, "copied", copied_body("another")));
  put_rows(there_, other);
  EXPECT_THAT(refusal(ledger.move(there_), ErrorKind::usage), HasSubstr("as another copy"));
  EXPECT_EQ(value_of(value_of(Ledger::open(renamed)).reserve(job, pure(0.5))).reference().id, debit);
}

TEST_P(LedgerCopies, WhatAnEarlierVersionMovedIsOpenElsewhereUnlessItIsFound) {
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  ok(ledger.move(there_));
  const std::vector<Entry> rows = closed_by_earlier_version(value_of(ledger.entries("city")));
  const std::unique_ptr<Place> earlier = another(rows);
  Ledger closed = value_of(Ledger::open(earlier->where()));
  std::filesystem::remove(there_);
  EXPECT_THAT(refusal(closed.move(there_), ErrorKind::usage), HasSubstr("by an earlier version"));
  put_rows(there_, rows);  // closed, as only a backup is
  EXPECT_THAT(refusal(closed.move(there_), ErrorKind::usage), HasSubstr("as a backup of what was closed here"));
  std::filesystem::remove(there_);
  std::vector<Entry> opened = rows;
  opened.push_back(note(rows, "opened", to_body(Origin::moved)));
  put_rows(there_, opened);
  ok(closed.move(there_));
  EXPECT_EQ(value_of(closed.entries("city")).back().kind, "arrived");
  EXPECT_TRUE(value_of(Ledger::open(there_)).reserve(terms("city"), pure(1)));
  ok(closed.move(there_));  // done before
  std::filesystem::remove(there_);
  EXPECT_THAT(refusal(closed.move(there_), ErrorKind::usage), HasSubstr("has arrived there before"));
}

TEST_P(LedgerCopies, AnotherDatasetOfTheSameNameIsNotTakenForOneThatArrived) {
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  ok(ledger.move(there_));
  const std::unique_ptr<Place> half = another(rows_until("moved", value_of(ledger.entries("city"))));
  std::filesystem::remove(there_);
  ASSERT_TRUE(value_of(Ledger::open(there_)).create(dataset("city", 7)));
  Ledger interrupted = value_of(Ledger::open(half->where()));
  EXPECT_THAT(refusal(interrupted.move(there_), ErrorKind::usage), HasSubstr("exists there already"));
  EXPECT_EQ(value_of(interrupted.entries("city")).back().kind, "moved");
}

// A store that takes in some of the datasets is a ledger in which the others can be created anew.
TEST_P(LedgerCopies, AStoreTakesInAllDatasetsOrNone) {
  Ledger ledger = open();
  std::vector<Addition> all;
  for (const char* name : {"city", "town", "village"}) {
    ASSERT_TRUE(ledger.create(dataset(name, 1)));
    const std::vector<Entry> rows = value_of(ledger.entries(name));
    all.push_back({rows, value_of(seal_of(rows))});
  }
  const std::unique_ptr<Place> other = another(all[2].rows);
  const auto store = value_of(open_store(other->where(), seal_of));
  EXPECT_THAT(refusal(store->add(all), ErrorKind::usage), HasSubstr("'village' exists there already"));
  EXPECT_EQ(value_of(store->datasets()), std::vector<std::string>{"village"});
  all.pop_back();
  ok(store->add(all));
  EXPECT_EQ(value_of(store->datasets()).size(), 3u);
}

TEST_P(LedgerCopies, AMoveDoesNotWriteOverADatasetOfTheSameName) {
  const std::string other = folder_.path() + "/other.db";
  ASSERT_TRUE(value_of(Ledger::open(other)).create(dataset("city", 7)));
  Ledger ledger = open();
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  refusal(ledger.move(other), ErrorKind::usage);
  EXPECT_TRUE(ledger.reserve(terms("city"), pure(0.1)));
}

}  // namespace
}  // namespace chronoveil::ledger::testing
