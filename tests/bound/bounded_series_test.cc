// What is counted, what is left out, and what is refused.
#include "chronoveil/bound/bounded_series.h"

#include <gtest/gtest.h>

#include <limits>

#include "bound/records.h"
#include "chronoveil/data/time/slots.h"

namespace chronoveil::bound {
namespace {

using Numbers = std::vector<std::int64_t>;
const std::vector<std::string> kKeys = {"north", "south"};

Result<BoundedSeries> counted(const std::vector<Record>& records, Duplicates duplicates, std::int64_t maximum = 1000,
                              Columns columns = {}) {
  MemorySource source(records, 2, columns);
  return bound_counts(source, hourly_axis(3), kKeys, user_caps(1, 1, maximum), duplicates);
}

std::string message_of(const Result<BoundedSeries>& result) { return result ? "it worked" : result.error().text(); }

TEST(BoundRecords, UnlistedKeysAndRowsOutsideTheSpanAreDroppedAndAbsentOnesAreZero) {
  const auto bounded = bound_with_seed({{"ann", "south", 1, 1},
                                        {"ann", "west", 1, 1},
                                        {"ann", "south", -1, 1},
                                        {"ann", "south", 3, 1},
                                        {"ann", "west", 3, 1},
                                        {"ben", "south", 1, 1}},
                                       3, kKeys, user_caps(5, 5));
  EXPECT_EQ(counts_of(bounded), (Numbers{0, 0, 0, 0, 2, 0}));
  EXPECT_EQ(bounded->series(), 2);
  EXPECT_EQ(bounded->steps(), 3);
  EXPECT_EQ(bounded->basis(), Basis::enforced);
  EXPECT_EQ(bounded->left_out().rows, 6);
  EXPECT_EQ(bounded->left_out().outside_span, 3);
  EXPECT_EQ(bounded->left_out().unlisted_series, 1);
  EXPECT_EQ(bounded->left_out().over_caps, 0);
  EXPECT_EQ(bounded->left_out().clamped, 0);
}

TEST(BoundRecords, DroppedRowsUseUpNoCap) {
  std::vector<Record> records(100, {"ann", "west", 1, 1});
  records.push_back({"ann", "south", 7, 1});
  records.push_back({"ann", "north", 0, 0});
  records.push_back({"ann", "south", 2, 1});
  EXPECT_EQ(counts_of(bound_with_seed(records, 3, kKeys, user_caps(1, 1))), (Numbers{0, 0, 0, 0, 0, 1}));
}

TEST(BoundRecords, NoKeysMeanOneSeriesOfAllRows) {
  const std::vector<Record> records = {{"ann", "x", 0, 1}, {"ben", "y", 0, 1}, {"ben", "z", 2, 1}};
  for (const bool with_column : {false, true}) {
    const auto bounded = bound_with_seed(records, 3, {}, user_caps(9, 9), 1, 2, {true, with_column, true});
    EXPECT_EQ(counts_of(bounded), (Numbers{2, 0, 1}));
    EXPECT_EQ(bounded->series(), 1);
  }
}

TEST(BoundRecords, NoRowsGiveZeros) {
  EXPECT_EQ(counts_of(bound_with_seed({}, 3, kKeys, user_caps(1, 1))), Numbers(6));
}

TEST(BoundRecords, APersonsTotalInAPairIsClampedToTheCap) {
  const std::vector<Record> records = {{"ann", "north", 0, 2},
                                       {"ann", "north", 0, 2},
                                       {"ann", "south", 0, std::numeric_limits<std::int64_t>::max()},
                                       {"ann", "south", 0, std::numeric_limits<std::int64_t>::max()},
                                       {"ben", "south", 0, 1}};
  EXPECT_EQ(counts_of(bound_with_seed(records, 1, kKeys, user_caps(5, 3))), (Numbers{3, 4}));
  const Caps largest = user_caps(5, kLargestCount, kLargestCount);
  EXPECT_EQ(counts_of(bound_with_seed(records, 1, kKeys, largest)), (Numbers{4, kLargestCount}));
}

TEST(BoundRecords, WithoutAValueColumnEveryRowCountsOne) {
  const std::vector<Record> records = {{"ann", "north", 0, 50}, {"ann", "north", 0, -50}};
  EXPECT_EQ(counts_of(bound_with_seed(records, 1, kKeys, user_caps(5, 9), 1, 9, {true, true, false})), (Numbers{2, 0}));
}

TEST(BoundRecords, WhatIsOverTheCapsIsCounted) {
  const std::vector<Record> records = {
      {"ann", "north", 0, 4}, {"ann", "north", 1, 4}, {"ann", "south", 1, 4}, {"ben", "north", 0, 1}};
  const auto user = bound_with_seed(records, 2, kKeys, user_caps(2, 3));
  ASSERT_TRUE(user);
  EXPECT_EQ(user->left_out().over_caps, 13 - 7);
  const auto event = bound_with_seed(records, 2, kKeys, event_caps(3));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->left_out().over_caps, 13 - 7);
}

TEST(BoundRecords, CountsAreClampedToTheMaximum) {
  std::vector<Record> records;
  for (int person = 0; person < 10; ++person) records.push_back({std::to_string(person), "north", 0, 1});
  const auto clamped = bound_with_seed(records, 1, kKeys, user_caps(1, 1, 9));
  EXPECT_EQ(counts_of(clamped), (Numbers{9, 0}));
  EXPECT_EQ(clamped->left_out().clamped, 1);
  const auto not_clamped = bound_with_seed(records, 1, kKeys, user_caps(1, 1, 10));
  EXPECT_EQ(counts_of(not_clamped), (Numbers{10, 0}));
  EXPECT_EQ(not_clamped->left_out().clamped, 0);
}

TEST(BoundRecords, UnderEventThereIsNoCapOnSlots) {
  std::vector<Record> records;
  for (std::int64_t slot = 0; slot < 100; ++slot) records.push_back({"ann", "north", slot, 1});
  Numbers ones(100, 1);
  ones.resize(200);
  EXPECT_EQ(counts_of(bound_with_seed(records, 100, kKeys, event_caps(1))), ones);
}

TEST(BoundRecords, FollowTheClockAcrossDaylightSaving) {
  // The night to 29 March 2026 has no hour from 02:00 to 03:00 in Berlin, the night to 25 October has it twice.
  for (const auto& [start, end, first, hours] :
       {std::tuple("2026-03-29T00:00", "2026-03-30T00:00", std::int64_t{1'774'738'800'000}, std::int64_t{23}),
        std::tuple("2026-10-25T00:00", "2026-10-26T00:00", std::int64_t{1'792'879'200'000}, std::int64_t{25})}) {
    const auto axis = data::make_axis({start, end, "1h", "Europe/Berlin"});
    ASSERT_TRUE(axis);
    ASSERT_EQ(axis->steps(), hours);
    ASSERT_EQ(axis->boundaries.front(), first);
    // One row per hour from one hour before that day to one hour after it, at its very first millisecond.
    class Hourly : public data::RecordSource {
     public:
      Hourly(std::int64_t from, std::int64_t rows) : from_(from), rows_(rows) {}
      Result<bool> next(data::RecordBatch& batch) override {
        batch = {};
        for (std::int64_t row = 0; row < rows_; ++row) {
          batch.user.push_back("ann");
          batch.time.push_back(from_ + row * kSlot);
        }
        return std::exchange(rows_, 0) > 0;
      }

     private:
      std::int64_t from_, rows_;
    } source(first - kSlot, hours + 2);
    DrawRight right = DrawRight::seeded(1);
    const auto bounded = bound_records(source, *axis, {}, user_caps(100, 1), right);
    EXPECT_EQ(counts_of(bounded), Numbers(static_cast<std::size_t>(hours), 1));
    EXPECT_EQ(bounded->left_out().outside_span, 2);
  }
}

TEST(BoundRecords, RefuseRowsThatAreNobodysOrNegativeAndNameThem) {
  const auto nobody = bound_with_seed({{"ann", "north", 0, 1}, {"", "north", 0, 1}}, 1, kKeys, user_caps(1, 1));
  EXPECT_EQ(message_of(nobody), "row 2: the user is empty; every record needs a user");
  EXPECT_EQ(nobody.error().kind, ErrorKind::bad_data);
  const std::vector<Record> below(4, {"ann", "north", 0, 1});
  std::vector<Record> records = below;
  records.push_back({"ann", "north", 0, -5});
  const auto negative = bound_with_seed(records, 1, kKeys, user_caps(1, 1), 1, 2);
  EXPECT_EQ(message_of(negative), "row 5: the value is negative");
  EXPECT_EQ(negative.error().kind, ErrorKind::bad_data);
}

TEST(BoundRecords, RefuseASourceWithoutTheColumnsTheyNeed) {
  const std::vector<Record> records = {{"ann", "north", 0, 1}};
  const auto no_user = bound_with_seed(records, 1, kKeys, user_caps(1, 1), 1, 1, {false, true, true});
  EXPECT_EQ(message_of(no_user).substr(0, 12), "source.user:");
  EXPECT_EQ(no_user.error().kind, ErrorKind::usage);
  const auto no_series = bound_with_seed(records, 1, kKeys, user_caps(1, 1), 1, 1, {true, false, true});
  EXPECT_EQ(message_of(no_series).substr(0, 14), "source.series:");
  EXPECT_EQ(no_series.error().kind, ErrorKind::usage);
}

TEST(BoundRecords, PassOnTheErrorOfTheSource) {
  class Broken : public MemorySource {
   public:
    Broken() : MemorySource({{"ann", "north", 0, 1}}) {}
    Result<bool> next(data::RecordBatch& batch) override {
      if (first_) return first_ = false, MemorySource::next(batch);
      return fail(ErrorKind::bad_data, "row 2: the time is not valid");
    }

   private:
    bool first_ = true;
  };
  Broken records, counts;
  DrawRight right = DrawRight::seeded(1);
  const std::string expected = "row 2: the time is not valid";
  EXPECT_EQ(message_of(bound_records(records, hourly_axis(1), kKeys, user_caps(1, 1), right)), expected);
  EXPECT_EQ(message_of(bound_counts(counts, hourly_axis(1), kKeys, user_caps(1, 1), Duplicates::sum)), expected);
}

TEST(BoundCounts, TakeTheCountsAsTheyAre) {
  const auto bounded = counted({{"", "south", 1, 700}, {"", "north", 2, 0}, {"", "west", 0, 5}, {"", "north", 3, 5}},
                               Duplicates::refuse);
  EXPECT_EQ(counts_of(bounded), (Numbers{0, 0, 0, 0, 700, 0}));
  EXPECT_EQ(bounded->basis(), Basis::declared);
  EXPECT_EQ(bounded->left_out().rows, 4);
  EXPECT_EQ(bounded->left_out().unlisted_series, 1);
  EXPECT_EQ(bounded->left_out().outside_span, 1);
  EXPECT_EQ(bounded->left_out().over_caps, 0);
}

TEST(BoundCounts, ASecondRowForTheSameSlotIsRefusedByItsNumberOrAddedUp) {
  const std::vector<Record> records = {{"", "south", 1, 0}, {"", "north", 1, 3}, {"", "south", 1, 4}};
  const auto refused = counted(records, Duplicates::refuse);
  EXPECT_EQ(message_of(refused),
            "row 3: this series and slot were given before; source.duplicates = \"sum\" adds them up");
  EXPECT_EQ(refused.error().kind, ErrorKind::bad_data);
  EXPECT_EQ(counts_of(counted(records, Duplicates::sum)), (Numbers{0, 3, 0, 0, 4, 0}));
}

TEST(BoundCounts, RowsThatAreDroppedAreNoDuplicates) {
  EXPECT_TRUE(
      counted({{"", "west", 1, 1}, {"", "west", 1, 1}, {"", "north", 9, 1}, {"", "north", 9, 1}}, Duplicates::refuse));
}

TEST(BoundCounts, WithoutAValueColumnRowsAreCounted) {
  const std::vector<Record> records(5, {"", "north", 1, 80});
  EXPECT_EQ(counts_of(counted(records, Duplicates::refuse, 1000, {false, true, false})), (Numbers{0, 5, 0, 0, 0, 0}));
}

TEST(BoundCounts, SumsDoNotOverflowAndEndAtTheMaximum) {
  const std::vector<Record> records(3, {"", "north", 1, std::numeric_limits<std::int64_t>::max()});
  const auto bounded = counted(records, Duplicates::sum, kLargestCount);
  EXPECT_EQ(counts_of(bounded), (Numbers{0, kLargestCount, 0, 0, 0, 0}));
  EXPECT_EQ(bounded->left_out().clamped, 1);
}

TEST(BoundCounts, RefuseNegativeCounts) {
  const auto negative = counted({{"", "north", 0, 1}, {"", "north", 1, -1}}, Duplicates::sum);
  EXPECT_EQ(message_of(negative), "row 2: the value is negative");
  EXPECT_EQ(negative.error().kind, ErrorKind::bad_data);
}

// Both ways in refuse the same parameters, before the first row is read.
TEST(Bounding, RefusesParametersThatBoundNothing) {
  const auto refusal = [](const SlotAxis& axis, const std::vector<std::string>& keys, const Caps& caps) {
    class Unread : public data::RecordSource {
      Result<bool> next(data::RecordBatch&) override { return fail(ErrorKind::internal, "it was read"); }
    } source;
    DrawRight right = DrawRight::seeded(1);
    const auto records = bound_records(source, axis, keys, caps, right);
    const auto counts = bound_counts(source, axis, keys, caps, Duplicates::sum);
    EXPECT_EQ(message_of(records), message_of(counts));
    return records.error().kind == ErrorKind::usage ? message_of(records) : "no usage error: " + message_of(records);
  };
  const SlotAxis axis = hourly_axis(3);
  EXPECT_EQ(refusal(axis, kKeys, user_caps(0, 1)),
            "max_steps: 0 is not valid; it must be a whole number of at least 1");
  EXPECT_EQ(refusal(axis, kKeys, user_caps(1, 0)),
            "max_per_slot: 0 is not valid; it must be a whole number from 1 to 2^53");
  EXPECT_EQ(refusal(axis, kKeys, event_caps(-1)),
            "max_per_slot: -1 is not valid; it must be a whole number from 1 to 2^53");
  EXPECT_EQ(refusal(axis, kKeys, user_caps(1, 1, 0)),
            "maximum: 0 is not valid; it must be a whole number from 1 to 2^53");
  EXPECT_EQ(refusal(axis, kKeys, user_caps(1, 1, kLargestCount + 1)),
            "maximum: 9007199254740993 is not valid; it must be a whole number from 1 to 2^53");
  EXPECT_EQ(refusal(axis, {"a", "b", "a"}, user_caps(1, 1)),
            "series: \"a\" is in the list twice; every key must be there once");
  EXPECT_EQ(refusal(SlotAxis{}, kKeys, user_caps(1, 1)), "slots: there is no slot between start and end");
}

TEST(Bounding, RefusesMoreCountsThanFitInsteadOfRunningOutOfMemory) {
  std::vector<std::string> keys;
  for (int key = 0; key < 1000; ++key) keys.push_back(std::to_string(key));
  MemorySource source({});
  DrawRight right = DrawRight::seeded(1);
  const auto bounded = bound_records(source, hourly_axis(300'000), keys, user_caps(1, 1), right);
  EXPECT_EQ(
      message_of(bounded),
      "slots, series: 1000 series of 300000 slots are too many for one job, which holds at most 268435456 counts; "
      "take longer slots, or several jobs");
}

}  // namespace
}  // namespace chronoveil::bound
