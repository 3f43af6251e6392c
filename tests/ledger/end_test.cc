// Datasets that are closed, or deleted and created anew.
#include <gmock/gmock.h>

#include "backend.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

using ::testing::HasSubstr;

// Prices are worked out before the lock is taken, so that one for another promise must not be charged.
TEST(DeletedDataset, IsNotDebitedByWhoKnewItsEarlierPromise) {
  const std::string place = ::testing::TempDir() + "/created_anew.db";
  std::remove(place.c_str());
  Ledger one = value_of(Ledger::open(place)), other = value_of(Ledger::open(place));
  ASSERT_TRUE(one.create(dataset("city", 1)));
  ASSERT_TRUE(one.check(terms("city"), pure(0.5)));
  ok(other.remove("city"));
  DatasetRequest anew = dataset("city", 1, 1e-6);
  anew.promise.relation = Relation::replace;
  ASSERT_TRUE(other.create(anew));
  EXPECT_THAT(refusal(one.reserve(terms("city"), pure(0.5)), ErrorKind::usage), HasSubstr("created anew"));
  ASSERT_TRUE(one.reserve(terms("city"), pure(0.5)));
  const View view = value_of(one.view("city"));
  EXPECT_EQ(view.dataset.promise.relation, Relation::replace);
  EXPECT_EQ(view.debits, 1);
  refusal(other.remove("city"), ErrorKind::usage);
}

// A broken twin of the rule: what it would let through, the rows refuse.
TEST(DeletedDataset, RowsThatDeleteAfterADebitAreNotAllowed) {
  const std::string place = ::testing::TempDir() + "/deleted_after.db";
  std::remove(place.c_str());
  std::vector<Entry> rows;
  {
    Ledger ledger = value_of(Ledger::open(place));
    ASSERT_TRUE(ledger.create(dataset("city", 1)));
    ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.5)));
    rows = value_of(ledger.entries("city"));
  }
  Account account;
  for (const Entry& row : rows) ok(account.apply(row));
  const auto next = [&](const std::string& kind, const std::string& body) {
    return linked(Entry{"city", 0, rows.back().recorded_at, "me", kind, body, "", ""}, 2, rows.back().hash);
  };
  EXPECT_THAT(refusal(account.apply(next("deleted", "{}")), ErrorKind::storage), HasSubstr("has debits"));
  EXPECT_THAT(refusal(account.apply(next("create", rows[0].body)), ErrorKind::storage), HasSubstr("created by"));
}

// Two slots, the second of which a job of another unit or a larger event must not take.
TEST(SlotsForJobs, AreTakenOnlyByWhatTheyWereReservedFor) {
  const std::string place = ::testing::TempDir() + "/slots_for_jobs.db";
  std::remove(place.c_str());
  Ledger ledger = value_of(Ledger::open(place));
  ASSERT_TRUE(ledger.create(dataset("city", 2)));
  Terms all = terms("city");
  all.stated.unit = Unit::user;
  const DebitReference debit = value_of(
      ledger.reserve_slots(all, {pure(0.5), pure(0.5)}, {{"weekly", "0123456789abcdef", {"slots.start"}, 0, 2}}));
  const std::vector<DebitId> slots{{"city", debit.id.sequence, 0}, {"city", debit.id.sequence, 1}};
  Terms job = all;
  job.job = "a";
  Terms other = job;
  other.stated.unit = Unit::w_event;
  EXPECT_FALSE(value_of(ledger.slot_for(other, pure(0.5), slots)));
  EXPECT_FALSE(value_of(ledger.slot_for(job, pure(0.6), slots)));
  ASSERT_EQ(value_of(ledger.slot_for(job, pure(0.5), slots)), slots[0]);
  std::optional<Receipt> first = value_of(ledger.open_slot_for(job, pure(0.5), slots));
  std::optional<Receipt> again = value_of(ledger.open_slot_for(job, pure(0.5), slots));
  ASSERT_TRUE(first && again);
  EXPECT_EQ(again->reference().id, slots[0]);
  EXPECT_TRUE(again->taken_up());
  ASSERT_TRUE(redeem(std::move(*again), pure(0.5)));
  // The slot has one draw, whoever holds a receipt of it.
  refusal(redeem(std::move(*first), pure(0.5)), ErrorKind::usage);
  const BeforeSecond refuse = [](const DebitId&, State) -> Result<void> { return fail(ErrorKind::usage, "again"); };
  refusal(ledger.open_slot_for(job, pure(0.5), slots, refuse), ErrorKind::usage);
  // Nothing is released of a slot that nothing was drawn for.
  Terms next = job;
  next.job = "b";
  ASSERT_EQ(value_of(ledger.open_slot_for(next, pure(0.4), slots))->reference().id, slots[1]);
  refusal(ledger.settle(slots[1], State::released), ErrorKind::usage);
  ok(ledger.settle(slots[0], State::released));
  EXPECT_FALSE(value_of(ledger.slot_for(Terms(all), pure(0.1), slots)));
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

}  // namespace
}  // namespace chronoveil::ledger::testing
