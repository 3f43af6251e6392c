// Several processes and threads that want the same last slice of a budget.
#include <atomic>
#include <thread>

#include "backend.h"
#include "fixtures.h"
#include "processes.h"

namespace chronoveil::ledger::testing {
namespace {

constexpr int kRacers = 8;

class Race : public OnEveryStore {};
CHRONOVEIL_ON_EVERY_STORE(Race);

// Debits until refused; the exit status is the number of debits.
int debit_until_refused(const std::string& where, const std::string& dataset, double epsilon) {
  Result<Ledger> ledger = Ledger::open(where);
  if (!ledger) return 200;
  for (int debits = 0;; ++debits) {
    const Result<Receipt> receipt = ledger->reserve(terms(dataset), pure(epsilon));
    if (!receipt) return receipt.error().kind == ErrorKind::over_budget ? debits : 201;
  }
}

TEST_P(Race, EightProcessesSpendExactlyTheBudget) {
  ASSERT_TRUE(value_of(Ledger::open(place_->where())).create(dataset("city", 4)));
  std::vector<pid_t> children;
  for (int i = 0; i < kRacers; ++i) {
    children.push_back(run_in_child([&] { return debit_until_refused(place_->where(), "city", 0.1); }));
  }
  int debits = 0;
  for (const pid_t child : children) {
    const int status = wait_for(child);
    ASSERT_LE(status, 40) << "a racer failed";
    ASSERT_GE(status, 0);
    debits += status;
  }
  EXPECT_EQ(debits, 40);
  Ledger ledger = value_of(Ledger::open(place_->where()));
  EXPECT_EQ(value_of(ledger.history("city")).size(), 40u);
  EXPECT_TRUE(value_of(ledger.verify()).holds());
}

TEST_P(Race, OneOfEightProcessesGetsTheLastSlice) {
  for (int round = 0; round < 10; ++round) {
    const std::string name = "city" + std::to_string(round);
    {
      Ledger ledger = value_of(Ledger::open(place_->where()));
      ASSERT_TRUE(ledger.create(dataset(name, 1)));
      ASSERT_TRUE(ledger.reserve(terms(name), pure(0.75)));
    }
    std::vector<pid_t> children;
    for (int i = 0; i < kRacers; ++i) {
      children.push_back(run_in_child([&] { return debit_until_refused(place_->where(), name, 0.2); }));
    }
    int winners = 0;
    for (const pid_t child : children) {
      const int status = wait_for(child);
      ASSERT_LE(status, 1);
      ASSERT_GE(status, 0);
      winners += status;
    }
    EXPECT_EQ(winners, 1);
  }
}

// How many of eight processes created the dataset in a ledger that none of them finds there; -1 where one failed.
int creators(const std::string& where) {
  std::vector<pid_t> children;
  for (int i = 0; i < kRacers; ++i) {
    children.push_back(run_in_child([&] {
      Result<Ledger> ledger = Ledger::open(where);
      if (!ledger) return 200;
      const Result<Dataset> created = ledger->create(dataset("city", 1));
      if (created) return 1;
      return created.error().kind == ErrorKind::usage ? 0 : 201;
    }));
  }
  int created = 0;
  for (const pid_t child : children) {
    const int status = wait_for(child);
    created = status < 0 || status > 1 || created < 0 ? -1 : created + status;
  }
  return created;
}

TEST_P(Race, EightProcessesMayCreateTheLedgerAndOneOfThemTheDataset) {
  EXPECT_EQ(creators(place_->where()), 1);
  if (GetParam() != std::string("sqlite")) return;
  // Those who change a new file's journal at once are told that it is busy, one time in fifty or so.
  for (int round = 0; round < 40; ++round) EXPECT_EQ(creators(place_->where() + "." + std::to_string(round)), 1);
}

TEST_P(Race, ThreadsMayShareALedger) {
  Ledger ledger = value_of(Ledger::open(place_->where()));
  ASSERT_TRUE(ledger.create(dataset("city", 2)));
  std::atomic<int> debits = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kRacers; ++i) {
    threads.emplace_back([&] {
      while (ledger.reserve(terms("city"), pure(0.1))) ++debits;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(debits, 20);
}

}  // namespace
}  // namespace chronoveil::ledger::testing
