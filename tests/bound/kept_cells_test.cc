// The list of what stays, against a plain model, and in how little memory.
#include "chronoveil/bound/kept_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

namespace chronoveil::bound {
namespace {

using Key = std::pair<std::uint64_t, std::uint32_t>;  // priority, cell

// The definition: everything is remembered, sorted and cut once, at the end.
std::map<std::uint32_t, std::int64_t> model(const std::map<Key, std::int64_t>& offered, const KeptCells::Rule& rule) {
  std::map<std::uint32_t, std::int64_t> kept;
  std::int64_t left = rule.keep == Keep::cells ? rule.limit : rule.cap;
  for (const auto& [key, amount] : offered) {
    if (left == 0) break;
    const std::int64_t stays = std::min(amount, rule.keep == Keep::cells ? rule.cap : left);
    kept[key.second] = stays;
    left -= rule.keep == Keep::cells ? 1 : stays;
  }
  return kept;
}

TEST(KeptCells, AreThoseOfTheDefinition) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 300; ++i) {
    KeptCells::Rule rule;
    rule.keep = i % 2 == 0 ? Keep::cells : Keep::amount;
    rule.limit = static_cast<std::int64_t>(1 + random() % 30);
    rule.cap = static_cast<std::int64_t>(1 + random() % 30);
    const std::uint64_t cells = 1 + random() % 100;
    const std::uint64_t priorities = 1 + random() % 50;  // few, so that many tie
    constexpr std::uint32_t kOwners = 3;
    KeptCells kept(rule);
    std::map<Key, std::int64_t> offered[kOwners];
    for (int n = 0; n < 600; ++n) {
      const auto owner = static_cast<std::uint32_t>(n) % kOwners;
      const auto cell = static_cast<std::uint32_t>(random() % cells);
      const std::uint64_t priority = (cell * 0x9E3779B97F4A7C15ULL >> 20) % priorities;
      const auto amount = static_cast<std::int64_t>(1 + random() % 3);
      kept.offer(owner, cell, priority, amount);
      offered[owner][{priority, cell}] += amount;
    }
    for (std::uint32_t owner = 0; owner < kOwners; ++owner) {
      std::map<std::uint32_t, std::int64_t> found;
      for (const KeptCells::Entry& entry : kept.kept(owner)) found[entry.cell] = entry.amount;
      EXPECT_EQ(found, model(offered[owner], rule));
    }
  }
}

TEST(KeptCells, OfAMillionRecordsTakeTheMemoryOfTheCap) {
  std::mt19937_64 random(6);
  for (const Keep keep : {Keep::cells, Keep::amount}) {
    KeptCells kept({keep, 20, 20});
    std::uint32_t most = 0;
    for (std::uint32_t record = 0; record < 1'000'000; ++record) {
      kept.offer(0, record, random(), 1);
      most = std::max(most, kept.entries_of(0));
    }
    EXPECT_LT(most, 40u);
    EXPECT_LE(kept.entries_in_memory(), 40u);
    EXPECT_EQ(kept.kept(0).size(), 20u);
  }
}

TEST(KeptCells, OfOnePairTakeTheMemoryOfOne) {
  KeptCells kept({Keep::cells, 1'000'000, 5});
  for (int record = 0; record < 1'000'000; ++record) kept.offer(0, 3, 77, 1);
  EXPECT_LE(kept.entries_in_memory(), 8u);
  ASSERT_EQ(kept.kept(0).size(), 1u);
  EXPECT_EQ(kept.kept(0).front().amount, 5);
}

TEST(KeptCells, EntriesThatFallOutAreUsedAgainByOthers) {
  KeptCells kept({Keep::cells, 4, 1});
  for (std::uint32_t owner = 0; owner < 1000; ++owner) {
    for (std::uint32_t cell = 0; cell < 100; ++cell) kept.offer(owner, cell, 100 - cell, 1);
  }
  EXPECT_LE(kept.entries_in_memory(), 8000u);
  EXPECT_EQ(kept.owners(), 1000u);
}

TEST(KeptCells, TheLargestPriorityIsStillOne) {
  KeptCells kept({Keep::cells, 2, 1});
  constexpr std::uint64_t kLast = ~std::uint64_t{0};
  for (std::uint32_t cell = 10; cell > 0; --cell) kept.offer(0, cell, kLast, 1);
  ASSERT_EQ(kept.kept(0).size(), 2u);
  EXPECT_EQ(kept.kept(0)[0].cell, 1u);
  EXPECT_EQ(kept.kept(0)[1].cell, 2u);
}

}  // namespace
}  // namespace chronoveil::bound
