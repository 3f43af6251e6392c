#include "chronoveil/mechanisms/cells/parts/grouping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <tuple>

#include "chronoveil/noise/uniform.h"

namespace chronoveil::mechanisms {
namespace {

using Counts = std::vector<std::uint32_t>;
using noise::Uint128;

// So many users with 1 to `most` records each, most first.
Counts random_counts(std::size_t users, std::uint32_t most, std::mt19937& random) {
  std::uniform_int_distribution<std::uint32_t> records(1, most);
  Counts counts(users);
  for (std::uint32_t& count : counts) count = records(random);
  std::sort(counts.begin(), counts.end(), std::greater<>());
  return counts;
}

TEST(MedianRule, IsTheLaterOfTheHalf) {
  EXPECT_EQ(median_m_ub(Counts{7}), 7);
  EXPECT_EQ(median_m_ub(Counts{7, 3}), 7);
  EXPECT_EQ(median_m_ub(Counts{7, 3, 1}), 3);
  EXPECT_EQ(median_m_ub(Counts{9, 7, 3, 1}), 7);
  EXPECT_EQ(median_m_ub(Counts{4, 4, 4, 4, 4}), 4);
}

// Σ min(m_l, m) / √m at m = 1, ..., 5 for {5, 2, 1}: 3, 5/√2 = 3.54, 6/√3 = 3.46, 7/2 = 3.5, 8/√5 = 3.58.
TEST(OptimisedRule, MatchesHandWorkedCells) {
  EXPECT_EQ(optimised_m_ub(Counts{5, 2, 1}), 5);
  // {4, 2, 1}: 3, 3.54, 3.46, 3.5.
  EXPECT_EQ(optimised_m_ub(Counts{4, 2, 1}), 2);
  EXPECT_EQ(optimised_m_ub(Counts{7}), 7) << "one user";
  EXPECT_EQ(optimised_m_ub(Counts{3, 3, 3}), 3) << "all users equal";
  EXPECT_EQ(optimised_m_ub(Counts{1000, 1, 1}), 1000) << "one user with nearly all records";
}

// 3²/1 = 9 = 6²/4.
TEST(OptimisedRule, ATieGoesToTheSmallest) { EXPECT_EQ(optimised_m_ub(Counts{4, 1, 1}), 1); }

// Every integer between the least and the largest m_l, not those that are one only, compared in whole numbers.
TEST(OptimisedRule, IsTheBestOfAllIntegers) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const Counts counts = random_counts(1 + random() % 8, round % 2 == 0 ? 12 : 90, random);
    std::int64_t best = 0;
    Uint128 best_sum = 0;
    for (std::int64_t m = counts.back(); m <= counts.front(); ++m) {
      Uint128 sum = 0;
      for (const std::uint32_t count : counts) sum += static_cast<Uint128>(std::min<std::int64_t>(count, m));
      if (best == 0 || sum * sum * static_cast<Uint128>(best) > best_sum * best_sum * static_cast<Uint128>(m))
        std::tie(best, best_sum) = std::pair(m, sum);
    }
    ASSERT_EQ(optimised_m_ub(counts), best) << ::testing::PrintToString(counts);
  }
}

TEST(OptimisedRule, LargeCountsAreComparedExactly) {
  // With m and m − 1 records, 4m − 4 + 1/m at m against 4m − 4 at m − 1: doubles would see a tie.
  EXPECT_EQ(optimised_m_ub(Counts{2147483648u, 2147483647u}), 2147483648);
  EXPECT_EQ(optimised_m_ub(Counts(1 << 20, 4000000000u)), 4000000000);
}

TEST(KeptRecords, AreCutAtTheBound) {
  EXPECT_EQ(kept_records(Counts{5, 2, 1}, 2), 5);
  EXPECT_EQ(kept_records(Counts{5, 2, 1}, 9), 8);
  EXPECT_EQ(kept_records(Counts{}, 3), 0) << "nobody has a record";
  EXPECT_EQ(full_arrays(Counts{5, 2, 1}, 2), 2);
  EXPECT_EQ(full_arrays(Counts{5, 2, 1}, 4), 1);
  EXPECT_EQ(full_arrays(Counts{5, 2, 1}, 9), 0) << "not one is full";
}

void expect_packed(const Counts& counts, std::int64_t m_ub, const Counts& array_of, const Counts& fills) {
  const BestFit grouped = best_fit(counts, m_ub);
  EXPECT_EQ(grouped.array_of, array_of) << ::testing::PrintToString(counts) << " at " << m_ub;
  EXPECT_EQ(grouped.fills, fills) << ::testing::PrintToString(counts) << " at " << m_ub;
}

TEST(BestFitGrouping, MatchesHandWorkedCells) {
  expect_packed({10, 6, 5, 4, 3, 2}, 6, {0, 1, 2, 3, 4, 3}, {6, 6, 5, 6, 3});
  // 6 and 6 do not fit into one; 3 and 3 go to each of them, the first of the two first; 2 fits nowhere.
  expect_packed({6, 6, 3, 3, 2}, 10, {0, 1, 0, 1, 2}, {9, 9, 2});
  // 3 goes to the fuller of 7 and 6, which is then full; 1 to the other.
  expect_packed({7, 6, 3, 1}, 10, {0, 1, 0, 1}, {10, 7});
}

TEST(BestFitGrouping, TiesGoToTheLeastIndex) { expect_packed({3, 3, 3, 2, 2, 1}, 5, {0, 1, 2, 0, 1, 2}, {5, 5, 4}); }

TEST(BestFitGrouping, OneUserHasOneArray) {
  expect_packed({7}, 7, {0}, {7});
  expect_packed({7}, 3, {0}, {3});
  expect_packed({7}, 20, {0}, {7});
}

TEST(BestFitGrouping, UsersWhoAreAllEqualHaveOneEach) { expect_packed({4, 4, 4}, 4, {0, 1, 2}, {4, 4, 4}); }

TEST(BestFitGrouping, ABoundBeyondEverybodyFillsArraysWithSeveral) {
  expect_packed({4, 4, 4}, 9, {0, 0, 1}, {8, 4});
  expect_packed({4, 3, 2, 1}, 100, {0, 0, 0, 0}, {10});
}

TEST(BestFitGrouping, OneUserWithNearlyAllRecordsIsCut) {
  expect_packed({1000, 1, 1, 1}, 1, {0, 1, 2, 3}, {1, 1, 1, 1});
  expect_packed({1000, 1, 1, 1}, 1000, {0, 1, 1, 1}, {1000, 3});
}

// The arrays of those who fill one alone are full; nobody is put into them.
TEST(BestFitGrouping, AnArrayOfSomebodyWithEnoughTakesNobodyIn) { expect_packed({6, 6, 1}, 6, {0, 1, 2}, {6, 6, 1}); }

TEST(BestFitGrouping, UsersWithNoRecordAreNotThere) { expect_packed({}, 5, {}, {}); }

// As the rule reads, array by array.
BestFit naive(const Counts& counts, std::int64_t m_ub) {
  BestFit grouped;
  std::vector<bool> shared;
  for (const std::uint32_t count : counts) {
    std::size_t chosen = grouped.fills.size();
    if (count < m_ub)
      for (std::size_t i = 0; i < grouped.fills.size(); ++i)
        if (shared[i] && grouped.fills[i] + count <= m_ub &&
            (chosen == grouped.fills.size() || grouped.fills[i] > grouped.fills[chosen]))
          chosen = i;
    if (chosen == grouped.fills.size()) {
      grouped.fills.push_back(0);
      shared.push_back(count < m_ub);
    }
    grouped.array_of.push_back(static_cast<std::uint32_t>(chosen));
    grouped.fills[chosen] += static_cast<std::uint32_t>(std::min<std::int64_t>(count, m_ub));
  }
  return grouped;
}

TEST(BestFitGrouping, EqualsTheRuleReadArrayByArray) {
  std::mt19937 random(2);
  for (int round = 0; round < 3000; ++round) {
    const auto most = static_cast<std::uint32_t>(1 + random() % 40);
    const Counts counts = random_counts(1 + random() % 60, most, random);
    const std::int64_t m_ub = 1 + static_cast<std::int64_t>(random() % 50);
    const BestFit expected = naive(counts, m_ub);
    expect_packed(counts, m_ub, expected.array_of, expected.fills);
  }
}

// A naive search would look at 10^10 pairs here.
TEST(BestFitGrouping, ManyUsersKeepEveryRecordThatCounts) {
  std::mt19937 random(3);
  const Counts counts = random_counts(300'000, 1000, random);
  const BestFit grouped = best_fit(counts, 999);
  Counts fills(grouped.fills.size(), 0);
  for (std::size_t user = 0; user < counts.size(); ++user)
    fills[grouped.array_of[user]] += std::min<std::uint32_t>(counts[user], 999);
  EXPECT_EQ(fills, grouped.fills);
  EXPECT_LE(*std::max_element(fills.begin(), fills.end()), 999u);
}

}  // namespace
}  // namespace chronoveil::mechanisms
