// The same rows give the same counts, in whatever order and batches they come.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <new>
#include <random>
#include <tuple>

#include "bound/records.h"

namespace chronoveil::bound {
namespace {

const std::vector<std::string> kKeys = {"n", "s", "e", "w"};
constexpr std::int64_t kSteps = 50;

std::vector<Record> busy_week(std::size_t rows) {
  std::mt19937_64 random(3);
  std::vector<Record> records(rows);
  for (Record& record : records) {
    // A few people with very many rows, many with few.
    record.user = "p" + std::to_string(random() % (random() % 2 == 0 ? 3 : 400));
    record.series = kKeys[random() % kKeys.size()];
    record.slot = static_cast<std::int64_t>(random() % kSteps);
    record.value = static_cast<std::int64_t>(random() % 3);
  }
  return records;
}

std::vector<Caps> all_kinds() {
  return {user_caps(1, 1), user_caps(10, 2), user_caps(1000, 5),
          event_caps(1),   event_caps(4),    Caps{Unit::w_event, 0, 3, 7}};
}

TEST(Order, OfRowsDoesNotMatter) {
  std::vector<Record> records = busy_week(5000);
  std::mt19937_64 random(4);
  for (const Caps& caps : all_kinds()) {
    const auto first = bound_with_seed(records, kSteps, kKeys, caps);
    ASSERT_TRUE(first);
    for (int i = 0; i < 4; ++i) {
      std::shuffle(records.begin(), records.end(), random);
      const auto again = bound_with_seed(records, kSteps, kKeys, caps);
      EXPECT_EQ(counts_of(again), counts_of(first));
      EXPECT_EQ(again->left_out().over_caps, first->left_out().over_caps);
      EXPECT_EQ(again->left_out().clamped, first->left_out().clamped);
    }
  }
}

TEST(Order, OfBatchesDoesNotMatter) {
  const std::vector<Record> records = busy_week(5000);
  for (const Caps& caps : all_kinds()) {
    const auto whole = counts_of(bound_with_seed(records, kSteps, kKeys, caps, 1, 5000));
    for (const std::size_t batch : {1u, 7u, 64u, 65u, 4999u}) {
      EXPECT_EQ(counts_of(bound_with_seed(records, kSteps, kKeys, caps, 1, batch)), whole) << batch;
    }
  }
}

TEST(Order, ManyRowsAreReadOnAnotherThreadWithTheSameResult) {
  // In one batch everything is read before the thread starts; in many, nearly nothing.
  std::vector<Record> records = busy_week(60'000);
  for (std::size_t row = 0; row < records.size(); row += 3) records[row].user.insert(0, "a name of many letters, ");
  for (const Caps& caps : {user_caps(10, 2), event_caps(1)}) {
    const auto whole = bound_with_seed(records, kSteps, kKeys, caps, 1, records.size());
    const auto in_batches = bound_with_seed(records, kSteps, kKeys, caps, 1, 1000);
    ASSERT_TRUE(whole);
    EXPECT_EQ(counts_of(in_batches), counts_of(whole));
    EXPECT_EQ(in_batches->left_out().rows, 60'000);
    EXPECT_EQ(in_batches->left_out().over_caps, whole->left_out().over_caps);
  }
}

TEST(Order, ErrorsOfTheOtherThreadArrive) {
  std::vector<Record> records = busy_week(60'000);
  records[50'000].value = -1;
  const auto bounded = bound_with_seed(records, kSteps, kKeys, user_caps(10, 2), 1, 1000);
  ASSERT_FALSE(bounded);
  EXPECT_EQ(bounded.error().text(), "row 50001: the value is negative");
}

TEST(Order, RunningOutOfMemoryOnTheOtherThreadIsAnErrorToo) {
  class Exhausting : public MemorySource {
   public:
    Exhausting() : MemorySource(busy_week(60'000)) {}
    Result<bool> next(data::RecordBatch& batch) override {
      if (++batches_ == 50) throw std::bad_alloc();
      return MemorySource::next(batch);
    }

   private:
    int batches_ = 0;
  } source;
  DrawRight right = DrawRight::seeded(1);
  const auto bounded = bound_records(source, hourly_axis(kSteps), kKeys, user_caps(10, 2), right);
  ASSERT_FALSE(bounded);
  EXPECT_EQ(bounded.error().kind, ErrorKind::storage);
}

TEST(Order, AnotherKeyChoosesOtherPairs) {
  const std::vector<Record> records = busy_week(5000);
  for (const Caps& caps : {user_caps(10, 2), event_caps(1)}) {
    EXPECT_NE(counts_of(bound_with_seed(records, kSteps, kKeys, caps, 1)),
              counts_of(bound_with_seed(records, kSteps, kKeys, caps, 2)));
  }
}

TEST(Order, CapsThatNobodyReachesGiveThePlainCounts) {
  const std::vector<Record> records = busy_week(5000);
  std::vector<std::int64_t> plain(kKeys.size() * kSteps);
  for (const Record& record : records) {
    const auto series = std::find(kKeys.begin(), kKeys.end(), record.series) - kKeys.begin();
    plain[static_cast<std::size_t>(series * kSteps + record.slot)] += record.value;
  }
  EXPECT_EQ(counts_of(bound_with_seed(records, kSteps, kKeys, user_caps(200, 100'000))), plain);
  EXPECT_EQ(counts_of(bound_with_seed(records, kSteps, kKeys, event_caps(100'000))), plain);
}

TEST(Order, CapsAreUsedUp) {
  // What stays is not only at most the caps, but as much as they allow.
  const std::vector<Record> records = busy_week(5000);
  std::map<std::string, std::map<std::pair<std::string, std::int64_t>, std::int64_t>> of_people;
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> of_slots;
  for (const Record& record : records) {
    if (record.value == 0) continue;
    of_people[record.user][{record.series, record.slot}] += record.value;
    of_slots[{record.user, record.slot}] += record.value;
  }
  const auto total = [](const std::vector<std::int64_t>& counts) {
    std::int64_t sum = 0;
    for (const std::int64_t count : counts) sum += count;
    return sum;
  };
  std::int64_t pairs = 0, amounts = 0;
  for (const auto& [person, cells] : of_people) pairs += std::min<std::int64_t>(10, std::ssize(cells));
  for (const auto& [slot, amount] : of_slots) amounts += std::min<std::int64_t>(4, amount);
  EXPECT_EQ(total(counts_of(bound_with_seed(records, kSteps, kKeys, user_caps(10, 1)))), pairs);
  EXPECT_EQ(total(counts_of(bound_with_seed(records, kSteps, kKeys, event_caps(4)))), amounts);
}

}  // namespace
}  // namespace chronoveil::bound
