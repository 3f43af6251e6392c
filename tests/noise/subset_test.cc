#include "chronoveil/noise/subset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>

#include "noise/statistics.h"

namespace chronoveil::noise {
namespace {

constexpr int kDraws = 300'000;

unsigned as_mask(const std::vector<std::int64_t>& subset) {
  unsigned mask = 0;
  for (const std::int64_t index : subset) mask |= 1u << index;
  return mask;
}

// All subsets of 5, as often as independent coins of `rate` make them.
template <class Draw>
double poisson_subsets_p_value(double rate, Draw draw) {
  std::vector<std::int64_t> counts(32);
  std::vector<double> probabilities(32);
  for (unsigned mask = 0; mask < 32; ++mask) {
    probabilities[mask] = std::pow(rate, std::popcount(mask)) * std::pow(1 - rate, 5 - std::popcount(mask));
  }
  for (int i = 0; i < kDraws; ++i) ++counts[as_mask(draw())];
  return chi_squared_p_value(counts, probabilities);
}

TEST(PoissonSubset, EverySubsetHasItsProbability) {
  BitSource bits;
  EXPECT_GT(poisson_subsets_p_value(0.3, [&] { return *poisson_subset(5, 0.3, bits); }), kLevel);
  EXPECT_GT(poisson_subsets_p_value(0.3, [&] { return *poisson_subset(5, 3, 10, bits); }), kLevel);
  EXPECT_GT(poisson_subsets_p_value(1.0 / 3, [&] { return *poisson_subset(5, 1, 3, bits); }), kLevel);
}

TEST(PoissonSubset, ATwinWithAnotherRateIsRejected) {
  BitSource bits;
  EXPECT_LT(poisson_subsets_p_value(0.3, [&] { return *poisson_subset(5, 0.31, bits); }), kLevel);
  EXPECT_LT(poisson_subsets_p_value(0.3, [&] { return *poisson_subset(5, 3, 11, bits); }), kLevel);
}

// A source of zeros but for the words that are given.
struct Scripted {
  std::vector<std::uint64_t> words;
  std::size_t next = 0;
  static int fill(void* context, void* bytes, std::size_t size) {
    auto* script = static_cast<Scripted*>(context);
    for (std::size_t at = 0; at + 8 <= size; at += 8) {
      const std::uint64_t word = script->next < script->words.size() ? script->words[script->next++] : 0;
      std::memcpy(static_cast<char*>(bytes) + at, &word, 8);
    }
    return 0;
  }
};

TEST(PoissonSubset, WhereTheFirstDigitsDoNotDecideTheRestOfTheRatioDoesExactly) {
  // 1/3 = (21845 + 1/3) / 2^16: digits of 21844 are below, 21846 above, and 21845 asks for one of three outcomes, of
  // which the lowest third of a word is taken.
  const auto taken = [](std::uint64_t digits, std::uint64_t word) {
    Scripted script{{digits, word}};
    BitSource bits = BitSource::from_callback(&Scripted::fill, &script);
    return poisson_subset(1, 1, 3, bits)->size() == 1;
  };
  const std::uint64_t third = std::numeric_limits<std::uint64_t>::max() / 3;
  EXPECT_TRUE(taken(21844, ~0ull));
  EXPECT_FALSE(taken(21846, 1));
  EXPECT_TRUE(taken(21845, third - 1));
  EXPECT_FALSE(taken(21845, third + 2));
}

TEST(PoissonSubset, ARatioOfHugeNumbersDoesNotOverflow) {
  BitSource bits;
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  std::int64_t chosen = 0;
  for (int i = 0; i < 1000; ++i) chosen += std::ssize(*poisson_subset(1000, huge / 2, huge, bits));
  EXPECT_GT(binomial_p_value(chosen, 1'000'000, 0.5), kLevel);
  EXPECT_EQ(poisson_subset(1000, huge, huge, bits)->size(), 1000u);
}

TEST(PoissonSubset, RateZeroIsEmptyAndRateOneIsAll) {
  BitSource bits;
  EXPECT_TRUE(poisson_subset(100, 0, bits)->empty());
  EXPECT_EQ(poisson_subset(100, 1, bits)->size(), 100u);
  EXPECT_TRUE(poisson_subset(0, 0.5, bits)->empty());
  EXPECT_TRUE(poisson_subset(100, 0, 7, bits)->empty());
  EXPECT_EQ(poisson_subset(101, 7, 7, bits)->size(), 101u);
  EXPECT_TRUE(poisson_subset(0, 1, 2, bits)->empty());
}

TEST(PoissonSubset, RefusesWhatIsNoRate) {
  BitSource bits;
  EXPECT_FALSE(poisson_subset(-1, 0.5, bits));
  EXPECT_FALSE(poisson_subset(1, -0.1, bits));
  EXPECT_FALSE(poisson_subset(1, 1.1, bits));
  EXPECT_FALSE(poisson_subset(1, std::numeric_limits<double>::quiet_NaN(), bits));
  EXPECT_FALSE(poisson_subset(-1, 1, 2, bits));
  EXPECT_FALSE(poisson_subset(1, 0, 0, bits));
  EXPECT_FALSE(poisson_subset(1, -1, 2, bits));
  EXPECT_FALSE(poisson_subset(1, 3, 2, bits));
}

// All subsets of `size` out of n equally often.
template <class Draw>
double even_subsets_p_value(std::int64_t n, std::int64_t size, Draw draw) {
  std::map<std::vector<std::int64_t>, std::int64_t> seen;
  for (int i = 0; i < kDraws; ++i) ++seen[draw(n, size)];
  double subsets = 1;
  for (std::int64_t i = 0; i < size; ++i) subsets = subsets * static_cast<double>(n - i) / static_cast<double>(i + 1);
  EXPECT_EQ(static_cast<double>(seen.size()), subsets);
  std::vector<std::int64_t> counts;
  for (const auto& [subset, count] : seen) counts.push_back(count);
  return chi_squared_p_value(counts, std::vector<double>(counts.size(), 1 / subsets));
}

TEST(FixedSizeSubset, EverySubsetIsEquallyLikelyByEitherAlgorithm) {
  BitSource bits;
  const auto draw = [&](std::int64_t n, std::int64_t size) { return *fixed_size_subset(n, size, bits); };
  EXPECT_GT(even_subsets_p_value(6, 3, draw), kLevel);   // dense
  EXPECT_GT(even_subsets_p_value(16, 2, draw), kLevel);  // sparse
  EXPECT_GT(even_subsets_p_value(9, 1, draw), kLevel);
}

TEST(FixedSizeSubset, ATwinThatMovesOnFromATakenIndexIsRejected) {
  BitSource bits;
  const auto twin = [&](std::int64_t n, std::int64_t size) {
    std::vector<std::int64_t> subset;
    while (static_cast<std::int64_t>(subset.size()) < size) {
      std::int64_t index = fixed_size_subset(n, 1, bits)->front();
      while (std::find(subset.begin(), subset.end(), index) != subset.end()) index = (index + 1) % n;
      subset.push_back(index);
    }
    std::sort(subset.begin(), subset.end());
    return subset;
  };
  EXPECT_LT(even_subsets_p_value(6, 3, twin), kLevel);
}

TEST(FixedSizeSubset, IsSortedWithoutRepetitionAndWithinRange) {
  BitSource bits;
  const std::int64_t n = std::int64_t{1} << 62;
  const auto subset = fixed_size_subset(n, 1000, bits).value();
  ASSERT_EQ(subset.size(), 1000u);
  EXPECT_TRUE(std::adjacent_find(subset.begin(), subset.end(), std::greater_equal<>()) == subset.end());
  EXPECT_GE(subset.front(), 0);
  EXPECT_LT(subset.back(), n);
}

TEST(FixedSizeSubset, NoneAndAll) {
  BitSource bits;
  EXPECT_TRUE(fixed_size_subset(10, 0, bits)->empty());
  EXPECT_EQ(*fixed_size_subset(3, 3, bits), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_TRUE(fixed_size_subset(0, 0, bits)->empty());
}

TEST(FixedSizeSubset, RefusesMoreThanThereAre) {
  BitSource bits;
  EXPECT_FALSE(fixed_size_subset(3, 4, bits));
  EXPECT_FALSE(fixed_size_subset(3, -1, bits));
  EXPECT_FALSE(fixed_size_subset(-3, 0, bits));
}

}  // namespace
}  // namespace chronoveil::noise
