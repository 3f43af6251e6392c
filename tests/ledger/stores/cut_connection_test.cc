// The connection to the server is cut before and after every message of the protocol: a debit that was reported is
// there, and an error where it may be there says so.
#include <gmock/gmock.h>

#include <optional>

#include "backend.h"
#include "fixtures.h"
#include "support/postgres_proxy.h"
#include "support/thoroughness.h"

namespace chronoveil::ledger::testing {
namespace {

using chronoveil::testing::PostgresProxy;
using ::testing::HasSubstr;
using ::testing::Not;

class CutConnection : public OnEveryStore {
 protected:
  void SetUp() override {
    OnEveryStore::SetUp();
    if (!place_) return;
    server_folder_ = place_->where();
    server_folder_ = server_folder_.substr(server_folder_.find("host=") + 5);
    server_folder_ = server_folder_.substr(0, server_folder_.find('&'));
    direct_.emplace(value_of(Ledger::open(place_->where())));
    ASSERT_TRUE(direct_->create(dataset("city", 1000)));
  }

  std::string through(const PostgresProxy& proxy) const {
    std::string url = place_->where();
    return url.replace(url.find(server_folder_), server_folder_.size(), proxy.folder());
  }

  // A later writer waits for what is left of it in the server, and so finds out what became of it.
  std::int64_t debits_now() {
    EXPECT_TRUE(direct_->reserve(terms("city"), pure(0.001)));
    return static_cast<std::int64_t>(value_of(direct_->history("city")).size());
  }

  std::string server_folder_;
  std::optional<Ledger> direct_;
};
INSTANTIATE_TEST_SUITE_P(Stores, CutConnection, ::testing::Values("postgresql"),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(CutConnection, ADebitIsThereOrNotOrMayBe) {
  for (const PostgresProxy::Cut how : {PostgresProxy::Cut::before, PostgresProxy::Cut::after}) {
    int in_doubt = 0, kept = 0;
    bool cut = true;
    for (int message = 1; cut; ++message) {
      ASSERT_LT(message, 2000) << "the messages never ended";
      const std::int64_t before = debits_now();
      PostgresProxy proxy(server_folder_);
      Ledger ledger = value_of(Ledger::open(through(proxy)));
      ASSERT_TRUE(ledger.check(terms("city"), pure(0.01)));
      proxy.cut_at(message, how);
      const Result<Receipt> receipt = ledger.reserve(terms("city"), pure(0.01));
      cut = proxy.has_cut();
      const std::int64_t made = debits_now() - before - 1;
      if (receipt) {
        EXPECT_EQ(made, 1) << message;
        EXPECT_TRUE(value_of(direct_->verify_against(receipt->reference())).holds());
        continue;
      }
      const std::string said = refusal(receipt, ErrorKind::storage);
      const bool may =
          said.find("the debit may have been made: see chronoveil budget history city") != std::string::npos;
      EXPECT_TRUE(made == 0 || (made == 1 && may)) << message << ": " << said;
      in_doubt += may ? 1 : 0;
      kept += static_cast<int>(made);
      // The connection is gone, and the ledger says so from now on.
      EXPECT_THAT(refusal(ledger.reserve(terms("city"), pure(0.01)), ErrorKind::storage), Not(HasSubstr("may have")));
    }
    EXPECT_TRUE(value_of(direct_->verify()).holds());
    EXPECT_GT(in_doubt, 0);
    EXPECT_GT(kept, 0) << "no cut came between the commit and its answer";
    EXPECT_LT(in_doubt, 6) << "what cannot have been made is not said to be in doubt";
  }
}

// The same while a ledger is opened and made, in full only where there is time.
TEST_P(CutConnection, ALedgerThatIsBeingMadeIsThereOrNot) {
  const int stride = in_torture() ? 1 : 23;
  for (const PostgresProxy::Cut how : {PostgresProxy::Cut::before, PostgresProxy::Cut::after}) {
    bool cut = true;
    for (int message = 1; cut; message += stride) {
      ASSERT_LT(message, 5000) << "the messages never ended";
      place_ = make_postgres_place();
      PostgresProxy proxy(server_folder_);
      proxy.cut_at(message, how);
      bool created = false, settled = false;
      std::optional<DebitReference> debit;
      if (Result<Ledger> ledger = Ledger::open(through(proxy)); ledger) {
        created = ledger->create(dataset("city", 1)).has_value();
        if (const Result<Receipt> receipt = ledger->reserve(terms("city"), pure(0.5)); receipt)
          debit = receipt->reference();
        settled = debit && ledger->settle(debit->id, State::released).has_value();
      }
      cut = proxy.has_cut();
      Ledger direct = value_of(Ledger::open(place_->where()));
      (void)direct.create(dataset("city", 1));  // waits for what is left of the other
      EXPECT_TRUE(value_of(direct.verify()).holds()) << message;
      const std::vector<Debit> history = value_of(direct.history("city"));
      if (debit) {
        EXPECT_TRUE(value_of(direct.verify_against(*debit)).holds()) << message;
      }
      if (settled) {
        EXPECT_EQ(static_cast<int>(history.at(0).state), static_cast<int>(State::released)) << message;
      }
      EXPECT_TRUE(cut || (created && settled));
    }
  }
}

}  // namespace
}  // namespace chronoveil::ledger::testing
