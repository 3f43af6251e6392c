// The list of what stays, against a plain model, and in how little memory.
#include "chronoveil/bound/cells/kept_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "chronoveil/bound/people/siphash.h"

namespace chronoveil::bound {
namespace {

using Key = std::pair<std::uint64_t, std::uint32_t>;  // priority, cell

// The definition: everything is remembered, sorted and cut once, at the end.
std::map<std::uint32_t, std::int64_t> model(const std::map<Key, std::int64_t>& offered, const KeepRule& rule) {
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

// Few different ones, so that many tie.
struct FewPriorities {
  std::uint64_t count = 1;
  std::uint64_t operator()(std::uint64_t person, std::uint32_t cell) const {
    return ((person + 1) * cell * 0x9E3779B97F4A7C15ULL >> 20) % count;
  }
};

template <class Amount>
void expect_those_of_the_definition(std::int64_t scale) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 300; ++i) {
    KeepRule rule;
    rule.keep = i % 2 == 0 ? Keep::cells : Keep::amount;
    rule.limit = static_cast<std::int64_t>(1 + random() % 30);
    rule.cap = static_cast<std::int64_t>(1 + random() % 30) * scale;
    const std::uint64_t cells = 1 + random() % 100;
    const FewPriorities priority{1 + random() % 50};
    constexpr std::uint32_t kOwners = 3;
    KeptCells<Amount, FewPriorities> kept(rule, priority);
    std::map<Key, std::int64_t> offered[kOwners];
    for (int n = 0; n < 600; ++n) {
      const auto owner = static_cast<std::uint32_t>(n) % kOwners;
      const auto cell = static_cast<std::uint32_t>(random() % cells);
      const auto amount = static_cast<std::int64_t>(1 + random() % 3) * scale;
      kept.offer(owner, owner, cell, amount);
      offered[owner][{priority(owner, cell), cell}] += amount;
    }
    for (std::uint32_t owner = 0; owner < kOwners; ++owner) {
      std::map<std::uint32_t, std::int64_t> found;
      for (const KeptCell& entry : kept.kept(owner)) found[entry.cell] = entry.amount;
      EXPECT_EQ(found, model(offered[owner], rule));
    }
  }
}

TEST(KeptCells, AreThoseOfTheDefinition) { expect_those_of_the_definition<std::uint32_t>(1); }

TEST(KeptCells, OfLargeAmountsAreThoseOfTheDefinition) {
  expect_those_of_the_definition<std::int64_t>(std::int64_t{1} << 48);
}

using Usual = KeptCells<std::uint32_t, SipHash>;

TEST(KeptCells, OfAMillionRecordsTakeTheMemoryOfTheCap) {
  for (const Keep keep : {Keep::cells, Keep::amount}) {
    Usual kept({keep, 20, 20}, SipHash(1, 2));
    std::uint32_t most = 0;
    for (std::uint32_t record = 0; record < 1'000'000; ++record) {
      kept.offer(0, 7, record, 1);
      most = std::max(most, kept.room_of(0));
    }
    EXPECT_LE(most, 40u);
    EXPECT_EQ(kept.kept(0).size(), 20u);
  }
}

TEST(KeptCells, OfOnePairTakeNoMemoryButTheOwners) {
  Usual kept({Keep::cells, 1'000'000, 5}, SipHash(1, 2));
  for (int record = 0; record < 1'000'000; ++record) kept.offer(0, 7, 3, 1);
  EXPECT_EQ(kept.room_of(0), Usual::kInside);
  ASSERT_EQ(kept.kept(0).size(), 1u);
  EXPECT_EQ(kept.kept(0).front().amount, 5);
}

TEST(KeptCells, TakeMemoryAsTheyComeEvenWhenTheCapIsHuge) {
  Usual kept({Keep::cells, std::int64_t{1} << 60, 1}, SipHash(1, 2));
  for (std::uint32_t cell = 0; cell < 1000; ++cell) kept.offer(0, 7, cell, 1);
  EXPECT_LE(kept.room_of(0), 4000u);
  EXPECT_EQ(kept.kept(0).size(), 1000u);
}

TEST(KeptCells, TheLargestPriorityIsStillOne) {
  const auto last = [](std::uint64_t, std::uint32_t) { return ~std::uint64_t{0}; };
  KeptCells<std::uint32_t, decltype(last)> kept({Keep::cells, 2, 1}, last);
  for (std::uint32_t cell = 10; cell > 0; --cell) kept.offer(0, 7, cell, 1);
  ASSERT_EQ(kept.kept(0).size(), 2u);
  EXPECT_EQ(kept.kept(0)[0].cell, 1u);
  EXPECT_EQ(kept.kept(0)[1].cell, 2u);
}

}  // namespace
}  // namespace chronoveil::bound
