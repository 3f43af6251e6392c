// A disk that is full, read-only or loses power at the n-th operation, for every n until nothing fails any more.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "backend.h"
#include "faulty_disk.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

constexpr int kMoreThanEnough = 2'000;
constexpr std::int64_t kUses = 3;

struct Outcome {
  std::vector<DebitReference> receipts;
  std::int64_t uses = 0;  // of the run, acknowledged
  std::optional<Error> error;
};

// Everything a first day does. Stops at the first error, as the program would.
Outcome first_day(const std::string& path) {
  Outcome outcome;
  const auto run = [&]() -> Result<void> {
    CV_TRY(Ledger ledger, Ledger::open(path));
    CV_CHECK(ledger.create(dataset("city", 1)));
    for (int i = 0; i < 3; ++i) {
      CV_TRY(const Receipt receipt, ledger.reserve(terms("city"), pure(0.1)));
      outcome.receipts.push_back(receipt.reference());
      CV_CHECK(ledger.settle(receipt.reference().id, State::released));
    }
    CV_TRY(const DebitReference slots, ledger.reserve_slots(terms("city"), {pure(0.1), pure(0.1)}));
    outcome.receipts.push_back(slots);
    CV_TRY(const DebitReference long_one, ledger.reserve_run(terms("city"), pure(0.1), kUses));
    outcome.receipts.push_back(long_one);
    while (outcome.uses < kUses) {
      CV_CHECK(ledger.use_run(long_one.id, outcome.uses, 1));
      ++outcome.uses;
    }
    return {};
  };
  if (Result<void> done = run(); !done) outcome.error = done.error();
  return outcome;
}

// How many of the receipts and uses the ledger at a path does not cover; nothing when it cannot even be opened and
// verified. A use that failed may be written down all the same, which costs budget and no privacy.
std::optional<std::int64_t> uncovered(const std::string& path, const Outcome& outcome) {
  Result<Ledger> ledger = Ledger::open(path);
  if (!ledger) return std::nullopt;
  const Result<Verification> whole = ledger->verify();
  if (!whole || !whole->holds()) return std::nullopt;
  std::int64_t missing = 0;
  for (const DebitReference& receipt : outcome.receipts) {
    const Result<Verification> covered = ledger->verify_against(receipt);
    if (!covered || !covered->holds()) ++missing;
  }
  if (outcome.uses > 0) {
    const Result<Run> run = ledger->resume_run(outcome.receipts.back().id);
    missing += run ? std::max<std::int64_t>(outcome.uses - run->used(), 0) : outcome.uses;
  }
  return missing;
}

class DiskFault : public ::testing::TestWithParam<FaultyDisk::Fault> {};
std::string fault_name(const ::testing::TestParamInfo<FaultyDisk::Fault>& parameter) {
  switch (parameter.param) {
    case FaultyDisk::Fault::full_once: return "FullOnce";
    case FaultyDisk::Fault::full_from_now: return "FullFromNow";
    case FaultyDisk::Fault::read_only: return "ReadOnly";
  }
  return "";
}
INSTANTIATE_TEST_SUITE_P(Faults, DiskFault,
                         ::testing::Values(FaultyDisk::Fault::full_once, FaultyDisk::Fault::full_from_now,
                                           FaultyDisk::Fault::read_only),
                         fault_name);

TEST_P(DiskFault, NoReceiptIsLostWhicheverOperationFails) {
  int faults = 0;
  for (int n = 1; n < kMoreThanEnough; ++n) {
    TemporaryFolder folder;
    const std::string path = folder.path() + "/ledger.db";
    FaultyDisk disk;
    disk.fail_at(n, GetParam());
    const Outcome outcome = first_day(path);
    const bool failed = disk.has_failed();
    disk.fail_at(0, GetParam());
    if (outcome.error) {
      EXPECT_EQ(static_cast<int>(outcome.error->kind), static_cast<int>(ErrorKind::storage)) << outcome.error->text();
    }
    EXPECT_EQ(uncovered(path, outcome), 0) << "after a fault at operation " << n;
    if (outcome.error) {
      // With the disk mended the ledger goes on, and still never exceeds its budget.
      Ledger ledger = value_of(Ledger::open(path));
      (void)ledger.create(dataset("city", 1));
      int debits = 0;
      while (ledger.reserve(terms("city"), pure(0.1))) ++debits;
      EXPECT_LE(debits + static_cast<int>(outcome.receipts.size()), 10);
      EXPECT_TRUE(value_of(ledger.verify()).holds());
    }
    if (!failed) {
      EXPECT_FALSE(outcome.error);
      EXPECT_EQ(outcome.receipts.size(), 5u);
      EXPECT_EQ(outcome.uses, kUses);
      EXPECT_GT(faults, 20) << "the faults did not reach the debits";
      return;
    }
    ++faults;
  }
  FAIL() << "the operations never ended";
}

// The process dies at the n-th operation, and of each file only what was synced survives.
TEST(PowerLoss, NoReceiptIsLostWheneverThePowerGoes) {
  for (int n = 1; n < kMoreThanEnough; ++n) {
    TemporaryFolder folder, survivors;
    FaultyDisk disk;
    disk.fail_at(n, FaultyDisk::Fault::full_from_now);
    const Outcome outcome = first_day(folder.path() + "/ledger.db");
    const bool failed = disk.has_failed();
    disk.fail_at(0, FaultyDisk::Fault::full_once);
    disk.after_power_loss(folder.path(), survivors.path());
    EXPECT_EQ(uncovered(survivors.path() + "/ledger.db", outcome), 0) << "power lost at operation " << n;
    if (!failed) return;
  }
  FAIL() << "the operations never ended";
}

TEST(PowerLoss, ADiskThatLiesAboutItsSyncsIsCaught) {
  TemporaryFolder folder, survivors;
  FaultyDisk disk;
  disk.lie_about_syncs();
  const Outcome outcome = first_day(folder.path() + "/ledger.db");
  ASSERT_EQ(outcome.receipts.size(), 5u);
  disk.after_power_loss(folder.path(), survivors.path());
  EXPECT_NE(uncovered(survivors.path() + "/ledger.db", outcome), 0);
}

TEST(ReadOnlyFolder, IsAStorageErrorFromTheStart) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/ledger.db";
  FaultyDisk disk;
  disk.fail_at(1, FaultyDisk::Fault::read_only);
  refusal(Ledger::open(path), ErrorKind::storage);
}

}  // namespace
}  // namespace chronoveil::ledger::testing
