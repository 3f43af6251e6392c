// What verify finds: rows changed, removed, reordered or forged behind the ledger's back.
#include <gmock/gmock.h>

#include <filesystem>

#include "backend.h"
#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/ledger/body.h"
#include "chronoveil/ledger/filters/cost_json.h"
#include "chronoveil/ledger/stores/store.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

using ::testing::HasSubstr;

class Tampering : public OnEveryStore {
 protected:
  // A ledger with every kind of row.
  void fill() {
    Ledger ledger = value_of(Ledger::open(place_->where()));
    ASSERT_TRUE(ledger.create(dataset("city", 1)));
    const DebitId first = value_of(ledger.reserve(terms("city"), pure(0.25))).reference().id;
    ok(ledger.settle(first, State::released));
    DebitId slot = value_of(ledger.reserve_slots(terms("city"), {pure(0.25), pure(0.25)})).id;
    slot.slot = 1;
    ASSERT_TRUE(ledger.open_slot(slot, pure(0.125)));
    const DebitId run = value_of(ledger.reserve_run(terms("city"), pure(0.0625), 52)).id;
    ok(ledger.use_run(run, 0, 17));
    ok(ledger.use_run(run, 17, 7));
    last_ = value_of(ledger.reserve(terms("city"), pure(0.125))).reference();
    rows_ = value_of(ledger.entries("city"));
  }

  Verification verified() { return value_of(value_of(Ledger::open(place_->where())).verify()); }

  // Replaces the rows by a forged chain that is sound as a chain, and dated so that no date gives it away.
  void forge(std::vector<Entry> rows) {
    std::unique_ptr<Place> fresh = GetParam() == "sqlite" ? make_sqlite_place() : make_postgres_place();
    place_ = std::move(fresh);
    std::string previous;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].recorded_at = rows_.back().recorded_at;
      rows[i] = linked(rows[i], static_cast<std::int64_t>(i), previous);
      previous = rows[i].hash;
    }
    put_rows(place_->where(), rows);
  }

  std::string first_finding() {
    const Verification verification = verified();
    return verification.findings.empty() ? "nothing found" : verification.findings.front().message;
  }

  std::vector<Entry> rows_;
  DebitReference last_;
};
CHRONOVEIL_ON_EVERY_STORE(Tampering);

TEST_P(Tampering, AnUntouchedLedgerHolds) {
  fill();
  const Verification verification = verified();
  EXPECT_TRUE(verification.holds());
  EXPECT_EQ(verification.rows, 9);
  EXPECT_EQ(verification.debits, 4);
}

TEST_P(Tampering, AChangeOfAnyColumnOfAnyRowIsFound) {
  fill();
  const std::string table = place_->entries_table();
  for (const Entry& row : rows_) {
    const auto change = [&](const std::string& column, const std::string& value, const std::string& where) {
      return place_->edit("UPDATE " + table + " SET " + column + " = " + value + " WHERE " + where);
    };
    const std::string here = "sequence = " + std::to_string(row.sequence);
    for (const std::string column : {"dataset", "recorded_at", "recorded_by", "kind", "body", "previous", "hash"}) {
      ASSERT_TRUE(change(column, column + " || 'x'", here));
      EXPECT_FALSE(verified().holds()) << column << " of row " << row.sequence;
      ASSERT_TRUE(change(column, "substr(" + column + ", 1, length(" + column + ") - 1)", here));
    }
    ASSERT_TRUE(change("sequence", "sequence + 100", here));
    const bool last_row = row.sequence == rows_.back().sequence;
    EXPECT_FALSE(verified().holds()) << "sequence of row " << row.sequence << (last_row ? " (the last)" : "");
    ASSERT_TRUE(change("sequence", "sequence - 100", "sequence = " + std::to_string(row.sequence + 100)));
    ASSERT_TRUE(verified().holds()) << "the row was not put back";
  }
}

TEST_P(Tampering, ARowTakenOutOfTheMiddleIsFound) {
  fill();
  ASSERT_TRUE(place_->edit("DELETE FROM " + place_->entries_table() + " WHERE sequence = 2"));
  EXPECT_THAT(first_finding(), HasSubstr("missing"));
  Ledger ledger = value_of(Ledger::open(place_->where()));
  refusal(ledger.reserve(terms("city"), pure(0.01)), ErrorKind::storage);
}

TEST_P(Tampering, ACutTailIsFoundByWhatAReleaseCarries) {
  fill();
  EXPECT_TRUE(value_of(value_of(Ledger::open(place_->where())).verify_against(last_)).holds());
  ASSERT_TRUE(place_->edit("DELETE FROM " + place_->entries_table() +
                           " WHERE sequence = " + std::to_string(last_.id.sequence)));
  EXPECT_THAT(first_finding(), HasSubstr("for 9 rows, and 8 are there"));
  // Whoever cuts off the rows and makes a seal that fits them has only the release against him.
  std::vector<Entry> left = rows_;
  left.pop_back();
  const Seal seal = value_of(seal_of(left));
  ASSERT_TRUE(place_->edit("UPDATE " + place_->seals_table() + " SET length = " + std::to_string(seal.length) +
                           ", head = '" + seal.head + "', sums = '" + seal.sums + "'"));
  EXPECT_TRUE(verified().holds());
  EXPECT_FALSE(value_of(value_of(Ledger::open(place_->where())).verify_against(last_)).holds());
}

TEST_P(Tampering, ALedgerThatLosesRowsWhileInUseIsNotWrittenTo) {
  fill();
  Ledger ledger = value_of(Ledger::open(place_->where()));
  ASSERT_TRUE(ledger.check(terms("city"), pure(0.01)));
  ASSERT_TRUE(place_->edit("DELETE FROM " + place_->entries_table() +
                           " WHERE sequence = " + std::to_string(last_.id.sequence)));
  EXPECT_THAT(refusal(ledger.reserve(terms("city"), pure(0.01)), ErrorKind::storage), HasSubstr("gone"));
}

TEST_P(Tampering, AReleaseOfAnotherLedgerIsNotCovered) {
  fill();
  DebitReference other = last_;
  other.chain_head[0] = other.chain_head[0] == '0' ? '1' : '0';
  EXPECT_FALSE(value_of(value_of(Ledger::open(place_->where())).verify_against(other)).holds());
  other = last_;
  other.id.sequence = 1;
  EXPECT_FALSE(value_of(value_of(Ledger::open(place_->where())).verify_against(other)).holds());
  other.id.dataset = "village";
  EXPECT_FALSE(value_of(value_of(Ledger::open(place_->where())).verify_against(other)).holds());
}

// A union has a budget and a price per member: each of them counts.
TEST_P(Tampering, AForgedUnionIsFoundByItsSharesItsBudgetsAndItsPrices) {
  {
    Ledger ledger = value_of(Ledger::open(place_->where()));
    ASSERT_TRUE(ledger.create(dataset("city", 1, 1e-6)));
    ASSERT_TRUE(ledger.reserve(terms("city"), gaussian(30)));
    rows_ = value_of(ledger.entries("city"));
  }
  forge(rows_);
  EXPECT_EQ(first_finding(), "nothing found");
  const Dataset made = value_of(dataset_from_body(rows_[0].body));
  const auto finding_for = [&](const Dataset& forged) {
    std::vector<Entry> rows = rows_;
    rows[0].body = to_body(forged);
    forge(rows);
    return first_finding();
  };
  const DebitBody debit = value_of(debit_from_body(rows_[1].body));
  for (std::size_t i = 0; i < made.filter.shares.size(); ++i) {
    Dataset forged = made;
    forged.filter.budget.values[i] = forged.filter.budget.values[i] + Amount::stated_up(0.001);
    EXPECT_THAT(finding_for(forged), HasSubstr("larger than its total implies")) << i;
    DebitBody cheap = debit;
    cheap.cost.values[i] = Amount::stated_up(1e-5);
    std::vector<Entry> rows = rows_;
    rows[1].body = to_body(cheap);
    forge(rows);
    EXPECT_THAT(first_finding(), HasSubstr("priced again")) << i;
  }
  Dataset greedy = made;
  greedy.filter.shares = {0, 55, 55, 4, 1};
  EXPECT_THAT(finding_for(greedy), HasSubstr("at most 100 in all"));
  greedy = made;
  greedy.filter.budget.delta = Amount::stated_up(2e-7);
  EXPECT_THAT(finding_for(greedy), HasSubstr("larger than its total implies"));
  greedy = made;
  greedy.filter.shares.pop_back();
  EXPECT_THAT(finding_for(greedy), HasSubstr("shares"));
}

TEST_P(Tampering, AForgedChainWithALoweredCostIsFoundByPricingAgain) {
  fill();
  std::vector<Entry> rows = rows_;
  DebitBody debit = value_of(debit_from_body(rows[1].body));
  debit.cost.values[0] = Amount::stated_up(0.01);
  rows[1].body = to_body(debit);
  forge(rows);
  EXPECT_THAT(first_finding(), HasSubstr("priced again"));
}

TEST_P(Tampering, AForgedDebitThatClaimsToTakeEverythingIsFound) {
  fill();
  std::vector<Entry> rows = rows_;
  DebitBody debit = value_of(debit_from_body(rows[1].body));
  debit.events = accounting::event_to_json(pure(50));
  debit.cost = value_of(dataset_from_body(rows[0].body)).filter.budget;
  debit.takes_all = true;
  rows[1].body = to_body(debit);
  forge(rows);
  EXPECT_THAT(first_finding(), HasSubstr("charged the whole budget"));
}

TEST_P(Tampering, AForgedChainThatOverspendsIsFound) {
  fill();
  std::vector<Entry> rows = rows_;
  rows.push_back(rows[1]);
  rows.push_back(rows[1]);
  forge(rows);
  EXPECT_THAT(first_finding(), HasSubstr("over the budget"));
}

TEST_P(Tampering, AForgedBudgetLargerThanItsTotalIsFound) {
  fill();
  std::vector<Entry> rows = rows_;
  Dataset raised = value_of(dataset_from_body(rows[0].body));
  raised.filter.budget.values[0] = Amount::stated_up(2);
  rows[0].body = to_body(raised);
  forge(rows);
  EXPECT_THAT(first_finding(), HasSubstr("larger than its total"));
}

TEST_P(Tampering, AForgedSlotThatRanSomethingDearerIsFound) {
  fill();
  std::vector<Entry> rows = rows_;
  SlotBody slot = value_of(slot_from_body(rows[4].body));
  slot.event = accounting::event_to_json(pure(0.5));
  rows[4].body = to_body(slot);
  forge(rows);
  EXPECT_THAT(first_finding(), HasSubstr("does not dominate"));
}

TEST_P(Tampering, AForgedSecondUseOfASlotIsFound) {
  fill();
  std::vector<Entry> rows = rows_;
  rows.push_back(rows[4]);
  forge(rows);
  EXPECT_THAT(first_finding(), HasSubstr("not used before"));
}

// The rows of the run in fill(): its debit, uses [0, 17) and [17, 24) of 52.
constexpr std::size_t kRunRow = 5, kFirstUseRow = 6, kSecondUseRow = 7;

TEST_P(Tampering, AForgedUseThatDoesNotFollowTheOneBeforeIsFound) {
  fill();
  for (const UseBody& forged : {UseBody{5, 17, 8}, UseBody{5, 16, 7}, UseBody{5, 18, 7}}) {
    std::vector<Entry> rows = rows_;
    rows[kSecondUseRow].body = to_body(forged);
    if (forged.first == 17) {
      // A count alone is allowed where it stands, and found by the next use, which follows what was true.
      rows.push_back(rows[kSecondUseRow]);
      rows.back().body = to_body(UseBody{5, 24, 1});
    }
    forge(rows);
    EXPECT_THAT(first_finding(), HasSubstr("first: ")) << forged.first;
  }
}

TEST_P(Tampering, AForgedChainWithoutOneOfItsUsesIsFound) {
  fill();
  std::vector<Entry> rows = rows_;
  rows.erase(rows.begin() + kFirstUseRow);
  forge(rows);
  EXPECT_THAT(first_finding(), HasSubstr("no more uses of city:5 are written down"));
}

TEST_P(Tampering, AForgedSecondUseOfTheSameIsFound) {
  fill();
  std::vector<Entry> rows = rows_;
  rows.push_back(rows[kSecondUseRow]);
  forge(rows);
  EXPECT_THAT(first_finding(), HasSubstr("are gone"));
}

TEST_P(Tampering, AForgedUseOfMoreThanWasReservedIsFound) {
  fill();
  std::vector<Entry> rows = rows_;
  rows[kSecondUseRow].body = to_body(UseBody{5, 17, 36});
  forge(rows);
  EXPECT_THAT(first_finding(), HasSubstr("35 of its 52 uses left; 36 are asked"));

  rows = rows_;
  DebitBody run = value_of(debit_from_body(rows[kRunRow].body));
  run.uses = 23;
  rows[kRunRow].body = to_body(run);
  forge(rows);
  EXPECT_THAT(first_finding(), HasSubstr("6 of its 23 uses left; 7 are asked"));
}

TEST_P(Tampering, AForgedUseOfNoneOrOfLessThanNoneIsFound) {
  fill();
  for (const std::int64_t count : {0, -7}) {
    std::vector<Entry> rows = rows_;
    rows[kSecondUseRow].body = to_body(UseBody{5, 17, count});
    forge(rows);
    EXPECT_THAT(first_finding(), HasSubstr("count: "));
  }
}

TEST_P(Tampering, AForgedUseOfWhatIsNoRunIsFound) {
  fill();
  for (const std::int64_t debit : {1, 3}) {  // a plain debit, and one with slots
    std::vector<Entry> rows = rows_;
    rows.push_back(rows[kFirstUseRow]);
    rows.back().body = to_body(UseBody{debit, 0, 1});
    forge(rows);
    EXPECT_THAT(first_finding(), HasSubstr("reserved as a run"));
  }
}

TEST_P(Tampering, AForgedUseOfASettledRunIsFound) {
  fill();
  std::vector<Entry> rows = rows_;
  Entry settled = rows[2];
  settled.body = to_body(StateBody{5, std::nullopt, State::released});
  rows.insert(rows.begin() + kSecondUseRow, settled);
  forge(rows);
  EXPECT_THAT(first_finding(), HasSubstr("this one is released"));
}

TEST_P(Tampering, AForgedRunOfNoUsesOrWithSlotsIsFound) {
  fill();
  std::vector<Entry> rows = rows_;
  DebitBody run = value_of(debit_from_body(rows[kRunRow].body));
  run.uses = 0;
  rows[kRunRow].body = to_body(run);
  forge(rows);
  EXPECT_THAT(first_finding(), HasSubstr("'uses'"));

  rows = rows_;
  DebitBody slots = value_of(debit_from_body(rows[3].body));
  slots.uses = 2;
  rows[3].body = to_body(slots);
  forge(rows);
  EXPECT_THAT(first_finding(), HasSubstr("'uses'"));
}

// An earlier release refuses what a later one adds instead of ignoring it: it may have spent budget.
TEST_P(Tampering, ARowOfAnUnknownKindOrWithAnUnknownFieldIsRefused) {
  fill();
  std::vector<Entry> unknown_kind = rows_, unknown_field = rows_;
  unknown_kind[kFirstUseRow].kind = "spend";
  unknown_field[kRunRow].body.insert(unknown_field[kRunRow].body.size() - 1, ",\"weeks\":52");
  for (const auto& [rows, said] : {std::pair(unknown_kind, "kind is unknown"), std::pair(unknown_field, "'weeks'")}) {
    forge(rows);
    EXPECT_THAT(first_finding(), HasSubstr(said));
    Ledger ledger = value_of(Ledger::open(place_->where()));
    EXPECT_THAT(refusal(ledger.reserve(terms("city"), pure(0.01)), ErrorKind::storage), HasSubstr(said));
    EXPECT_THAT(refusal(ledger.view("city"), ErrorKind::storage), HasSubstr(said));
  }
}

TEST(SqliteFile, ATruncatedFileIsNeverTakenForAWholeLedger) {
  const std::unique_ptr<Place> place = make_sqlite_place();
  DebitReference last;
  {
    Ledger ledger = value_of(Ledger::open(place->where()));
    ASSERT_TRUE(ledger.create(dataset("city", 100)));
    for (int i = 0; i < 100; ++i) last = value_of(ledger.reserve(terms("city"), pure(0.25))).reference();
  }
  ASSERT_TRUE(place->sql("PRAGMA wal_checkpoint(TRUNCATE)"));
  const auto size = std::filesystem::file_size(place->where());
  ASSERT_GT(size, 16'384u);
  TemporaryFolder folder;
  for (std::uintmax_t kept = 0; kept < size; kept += 2'048) {
    const std::string path = folder.path() + "/cut" + std::to_string(kept) + ".db";
    std::filesystem::copy_file(place->where(), path);
    std::filesystem::resize_file(path, kept);
    Result<Ledger> ledger = Ledger::open(path);
    if (!ledger) continue;  // SQLite sees it itself
    const Result<Verification> verification = ledger->verify_against(last);
    EXPECT_FALSE(verification && verification->holds()) << kept << " of " << size << " bytes";
  }
}

TEST(SqliteFile, AnotherProgramsDatabaseIsRefused) {
  const std::unique_ptr<Place> place = make_sqlite_place();
  ASSERT_TRUE(place->sql("CREATE TABLE recipes (name TEXT)"));
  EXPECT_THAT(refusal(Ledger::open(place->where()), ErrorKind::storage), HasSubstr("another program"));
}

TEST(SqliteFile, OnlyItsOwnerCanReadIt) {
  const std::unique_ptr<Place> place = make_sqlite_place();
  Ledger ledger = value_of(Ledger::open(place->where()));
  ASSERT_TRUE(ledger.create(dataset("city", 1)));
  for (const std::string suffix : {"", "-wal", "-shm"}) {
    const auto mode = std::filesystem::status(place->where() + suffix).permissions();
    EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write) << suffix;
  }
}

TEST(SqliteFile, FoldersOnTheWayAreMade) {
  TemporaryFolder folder;
  EXPECT_TRUE(Ledger::open(folder.path() + "/a/b/ledger.db"));
  refusal(Ledger::open(folder.path() + "/a/b"), ErrorKind::storage);
  refusal(Ledger::open("mysql://somewhere"), ErrorKind::usage);
}

}  // namespace
}  // namespace chronoveil::ledger::testing
