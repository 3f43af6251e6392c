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

}  // namespace
}  // namespace chronoveil::ledger::testing
