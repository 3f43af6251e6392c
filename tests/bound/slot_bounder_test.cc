#include "chronoveil/bound/people/slot_bounder.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <limits>

#include "bound/lives.h"
#include "bound/records.h"
#include "support/temporary_folder.h"

namespace chronoveil::bound {
namespace {

constexpr std::int64_t kSeries = 3;
constexpr Stops kAllStops[] = {Stops::none, Stops::after_every_slot, Stops::before_counts_are_used};

SlotCounts bounded(const Slot& slot, std::int64_t series, const Caps& caps) {
  SlotBounder bounder(series, caps, nullptr);
  return value_of(bound_slot(bounder, slot, 0));
}

OpenParticipation in_file(const std::string& path) {
  return [path] { return value_of(Participation::open(path)); };
}

TEST(SlotBounder, UnderUserAPersonsTotalInAPairIsCutAtTheCap) {
  const Slot slot = {{"ann", 0, 2}, {"ben", 0, 1}, {"ann", 0, 2}, {"ann", 1, 9}};
  EXPECT_EQ(bounded(slot, 2, user_caps(5, 3)), (SlotCounts{4, 3}));
}

TEST(SlotBounder, UnderUserThePairsThatCameFirstCount) {
  const Slot slot = {{"ann", 2}, {"ann", 0}, {"ben", 1}, {"ann", 1}, {"ann", 2}, {"ann", 0}};
  EXPECT_EQ(bounded(slot, 3, user_caps(1, 5)), (SlotCounts{0, 1, 2}));
  EXPECT_EQ(bounded(slot, 3, user_caps(2, 5)), (SlotCounts{2, 1, 2}));
  EXPECT_EQ(bounded(slot, 3, user_caps(3, 5)), (SlotCounts{2, 2, 2}));
}

TEST(SlotBounder, UnderEventWhatCameFirstCountsWhicheverSeriesItIsOf) {
  const Slot slot = {{"ann", 2, 2}, {"ben", 1, 1}, {"ann", 0, 3}, {"ann", 1, 3}};
  for (const Unit unit : {Unit::event, Unit::w_event}) {
    Caps caps = event_caps(4);
    caps.unit = unit;
    EXPECT_EQ(bounded(slot, 3, caps), (SlotCounts{2, 1, 2}));
  }
}

TEST(SlotBounder, AnAmountOfZeroIsNoPair) {
  EXPECT_EQ(bounded({{"ann", 0, 0}, {"ann", 1, 1}}, 2, user_caps(1, 1)), (SlotCounts{0, 1}));
}

TEST(SlotBounder, ASlotWithoutRecordsIsAllZeros) {
  EXPECT_EQ(bounded({}, 2, user_caps(1, 1)), (SlotCounts{0, 0}));
  EXPECT_EQ(bounded({}, 2, event_caps(1)), (SlotCounts{0, 0}));
}

TEST(SlotBounder, CountsEndAtTheMaximumHoweverLargeTheAmounts) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  Slot slot;
  for (int i = 0; i < 3000; ++i) slot.push_back({"person " + std::to_string(i), 0, kHuge});
  slot.push_back({"ann", 1, kHuge});
  slot.push_back({"ann", 1, kHuge});
  for (Caps caps : {user_caps(2, kLargestCount), event_caps(kLargestCount)}) {
    EXPECT_EQ(bounded(slot, 2, caps), (SlotCounts{kLargestCount, kLargestCount}));
    caps.maximum = 7;
    EXPECT_EQ(bounded(slot, 2, caps), (SlotCounts{7, 7}));
  }
}

TEST(SlotBounder, EqualsTheDefinitionOnRandomStreamsWhereverItStops) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 12; ++i) {
    const Life life = random_life(random, 12, kSeries);
    for (const Caps& caps : {user_caps(1, 1), user_caps(4, 2), user_caps(7, 3, 4), user_caps(1000, 100), event_caps(1),
                             event_caps(3), event_caps(5, 6)}) {
      for (const Stops stops : kAllStops) {
        testing::TemporaryFolder folder;
        EXPECT_EQ(bound_life(life, caps, kSeries, in_file(folder.path() + "/people"), stops),
                  naive_life(life, caps, kSeries));
      }
    }
  }
}

TEST(SlotBounder, OneThatForgetsOrCountsTwiceIsFoundOut) {
  int forgotten = 0, twice = 0, right = 0;
  std::mt19937_64 random(1);
  for (int i = 0; i < 25; ++i) {
    const Life life = random_life(random, 12, kSeries);
    const Caps caps = user_caps(7, 3);
    const LifeCounts wanted = naive_life(life, caps, kSeries);
    const auto rows = std::make_shared<InMemory::Rows>(), rows_of_twin = std::make_shared<InMemory::Rows>();
    const auto remembers = [&] { return std::make_unique<InMemory>(rows); };
    const auto counts_twice = [&] { return std::make_unique<CountsTwice>(rows_of_twin); };
    right += bound_life(life, caps, kSeries, remembers, Stops::before_counts_are_used) == wanted;
    forgotten += bound_life(life, caps, kSeries, forgets_to_persist(), Stops::after_every_slot) != wanted;
    twice += bound_life(life, caps, kSeries, counts_twice, Stops::before_counts_are_used) != wanted;
  }
  EXPECT_EQ(right, 25);
  // Not in every life does somebody reach the cap.
  EXPECT_GT(forgotten, 20);
  EXPECT_GT(twice, 20);
}

TEST(SlotBounder, WithoutAParticipationMaxStepsHoldsInEachSlotAlone) {
  SlotBounder bounder(2, user_caps(1, 1), nullptr);
  for (std::int64_t step = 0; step < 5; ++step) {
    EXPECT_EQ(value_of(bound_slot(bounder, {{"ann", 1}, {"ann", 0}}, step)), (SlotCounts{0, 1}));
  }
}

TEST(SlotBounder, TextsNeedNotOutliveTheCall) {
  SlotBounder bounder(1, event_caps(1), nullptr);
  const std::unique_ptr<SlotPeople> slot = bounder.new_slot();
  for (const char* person : {"a name that is longer than sixteen bytes", "short", "short"}) {
    std::string text(person);
    slot->add(text, 0, 1);
    std::fill(text.begin(), text.end(), '#');
  }
  EXPECT_EQ(value_of(bounder.close(0, *slot)), SlotCounts{2});
}

TEST(SlotBounder, ASlotThatCannotBeRememberedGivesNoCountsAndCanBeClosedAgain) {
  class Full final : public InMemory {
   public:
    explicit Full(const bool& full) : InMemory(std::make_shared<Rows>()), full_(full) {}
    Result<void> use(std::int64_t step, const People& people, const std::vector<std::int64_t>& pairs) override {
      if (full_) return fail(ErrorKind::storage, "full");
      return InMemory::use(step, people, pairs);
    }

   private:
    const bool& full_;
  };
  bool full = true;
  SlotBounder bounder(2, user_caps(2, 2), std::make_unique<Full>(full));
  const std::unique_ptr<SlotPeople> slot = bounder.new_slot();
  slot->add("ann", 0, 1);
  slot->add("ben", 1, 5);
  const Result<SlotCounts> refused = bounder.close(0, *slot);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::storage);
  full = false;
  EXPECT_EQ(value_of(bounder.close(0, *slot)), (SlotCounts{1, 2}));
  EXPECT_EQ(value_of(bound_slot(bounder, {}, 1)), (SlotCounts{0, 0}));
}

TEST(SlotBounder, RefusesWhatBoundsNothing) {
  for (const Caps& caps : {user_caps(0, 1), user_caps(1, 0), event_caps(0), event_caps(1, 0)}) {
    SlotBounder bounder(1, caps, nullptr);
    const Result<SlotCounts> refused = bound_slot(bounder, {{"ann", 0, 1}}, 0);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  }
  for (const std::int64_t series : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    SlotBounder bounder(series, event_caps(1), nullptr);
    const Result<SlotCounts> refused = bound_slot(bounder, {}, 0);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  }
}

TEST(SlotBounder, RefusesRecordsThatShouldNeverHaveCome) {
  for (const LiveRecord& record : {LiveRecord{"", 0, 1}, {"ann", -1, 1}, {"ann", 2, 1}, {"ann", 0, -1}}) {
    SlotBounder bounder(2, event_caps(1), nullptr);
    const Result<SlotCounts> refused = bound_slot(bounder, {record}, 0);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::internal);
    EXPECT_EQ(refused.error().text().find("ann"), std::string::npos);
  }
  SlotBounder bounder(1, event_caps(1), nullptr);
  ASSERT_FALSE(bound_slot(bounder, {}, -1));
}

std::size_t memory_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(SlotBounder, HoldsThePeopleOfOneSlotOnly) {
  if (memory_in_use() == 0) GTEST_SKIP() << "this allocator does not count";
  testing::TemporaryFolder folder;
  for (const Caps& caps : {user_caps(4, 1), event_caps(1)}) {
    SlotBounder bounder(1, caps, caps.unit == Unit::user ? in_file(folder.path() + "/people")() : nullptr);
    std::size_t one_slot = 0, early = 0, late = 0;
    for (std::int64_t step = 0; step < 60; ++step) {
      const std::size_t before = memory_in_use();
      std::unique_ptr<SlotPeople> slot = bounder.new_slot();
      for (int i = 0; i < 2000; ++i) {
        slot->add("person " + std::to_string(step) + " " + std::to_string(i) + " with a long name", 0, 1);
      }
      one_slot = memory_in_use() - before;
      value_of(bounder.close(step, *slot));
      slot.reset();
      // SQLite's cache of pages is full by the thirtieth.
      (step < 30 ? early : late) = memory_in_use();
    }
    EXPECT_GT(one_slot, 2000u * 40);
    EXPECT_LT(late, early + one_slot);
  }
}

TEST(SlotBounder, HoldsNoPairsThatCannotCount) {
  if (memory_in_use() == 0) GTEST_SKIP() << "this allocator does not count";
  for (const Caps& caps : {user_caps(2, 1), event_caps(2)}) {
    SlotPeople slot(100'000, caps);
    const std::size_t before = memory_in_use();
    for (std::int64_t series = 0; series < 100'000; ++series) slot.add("ann", series, 1);
    EXPECT_LT(memory_in_use() - before, 10'000u);
  }
}

}  // namespace
}  // namespace chronoveil::bound
