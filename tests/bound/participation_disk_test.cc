// A disk that is full, read-only or loses power at the n-th operation, for every n until nothing fails any more.
#include <gtest/gtest.h>

#include "bound/lives.h"
#include "bound/records.h"
#include "ledger/faulty_disk.h"
#include "support/temporary_folder.h"

namespace chronoveil::bound {
namespace {

using ledger::testing::FaultyDisk;

constexpr std::int64_t kSeries = 2;
constexpr int kMoreThanEnough = 2'000;
const Caps kCaps = user_caps(4, 2);

Life small_life() {
  std::mt19937_64 random(5);
  return random_life(random, 6, kSeries, 12);
}

// Goes on after the last slot that has counts, until an error, which it returns.
Result<void> go_on(const Life& life, const std::string& path, LifeCounts& counts) {
  CV_TRY(std::unique_ptr<Participation> participation, Participation::open(path));
  SlotBounder bounder(kSeries, kCaps, std::move(participation));
  while (counts.size() < life.size()) {
    const auto step = static_cast<std::int64_t>(counts.size());
    CV_TRY(SlotCounts slot, bound_slot(bounder, life[counts.size()], step));
    counts.push_back(std::move(slot));
  }
  return {};
}

class ParticipationOnABadDisk : public ::testing::TestWithParam<FaultyDisk::Fault> {};
INSTANTIATE_TEST_SUITE_P(Faults, ParticipationOnABadDisk,
                         ::testing::Values(FaultyDisk::Fault::full_once, FaultyDisk::Fault::full_from_now,
                                           FaultyDisk::Fault::read_only));

TEST_P(ParticipationOnABadDisk, WhicheverOperationFailsTheCountsAreTheSameAfterwards) {
  const Life life = small_life();
  int errors = 0;
  for (int n = 1; n < kMoreThanEnough; ++n) {
    testing::TemporaryFolder folder;
    FaultyDisk disk;
    disk.fail_at(n, GetParam());
    LifeCounts counts;
    const Result<void> done = go_on(life, folder.path() + "/people", counts);
    const bool failed = disk.has_failed();
    disk.fail_at(0, GetParam());
    if (!done) {
      EXPECT_EQ(done.error().kind, ErrorKind::storage) << done.error().text();
      ++errors;
    }
    EXPECT_TRUE(go_on(life, folder.path() + "/people", counts));
    EXPECT_EQ(counts, naive_life(life, kCaps, kSeries)) << "after a fault at operation " << n;
    if (!failed) {
      EXPECT_TRUE(done);
      EXPECT_GT(errors, 20) << "the faults did not reach the slots";
      return;
    }
  }
  FAIL() << "the operations never ended";
}

// The process dies at the n-th operation, and of each file only what was synced survives.
TEST(ParticipationAfterPowerLoss, TheCountsAreTheSameWheneverThePowerGoes) {
  const Life life = small_life();
  for (int n = 1; n < kMoreThanEnough; ++n) {
    testing::TemporaryFolder folder, survivors;
    FaultyDisk disk;
    disk.fail_at(n, FaultyDisk::Fault::full_from_now);
    LifeCounts counts;
    (void)go_on(life, folder.path() + "/people", counts);
    const bool failed = disk.has_failed();
    disk.fail_at(0, FaultyDisk::Fault::full_once);
    disk.after_power_loss(folder.path(), survivors.path());
    EXPECT_TRUE(go_on(life, survivors.path() + "/people", counts));
    EXPECT_EQ(counts, naive_life(life, kCaps, kSeries)) << "power lost at operation " << n;
    if (!failed) return;
  }
  FAIL() << "the operations never ended";
}

TEST(ParticipationAfterPowerLoss, ADiskThatLiesAboutItsSyncsIsFoundOut) {
  const Life life = small_life();
  testing::TemporaryFolder folder, survivors;
  FaultyDisk disk;
  disk.lie_about_syncs();
  LifeCounts counts;
  ASSERT_TRUE(go_on({life.begin(), life.end() - 2}, folder.path() + "/people", counts));
  disk.after_power_loss(folder.path(), survivors.path());
  ASSERT_TRUE(go_on(life, survivors.path() + "/people", counts));
  EXPECT_NE(counts, naive_life(life, kCaps, kSeries));
}

}  // namespace
}  // namespace chronoveil::bound
