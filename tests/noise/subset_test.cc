#include "chronoveil/noise/subset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
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

// All subsets of 5, drawn at `drawn`, as often as independent coins of 0.3 make them.
double poisson_subsets_p_value(double drawn, BitSource& bits) {
  const double rate = 0.3;
  std::vector<std::int64_t> counts(32);
  std::vector<double> probabilities(32);
  for (unsigned mask = 0; mask < 32; ++mask) {
    probabilities[mask] = std::pow(rate, std::popcount(mask)) * std::pow(1 - rate, 5 - std::popcount(mask));
  }
  for (int i = 0; i < kDraws; ++i) ++counts[as_mask(*poisson_subset(5, drawn, bits))];
  return chi_squared_p_value(counts, probabilities);
}

TEST(PoissonSubset, EverySubsetHasItsProbability) {
  BitSource bits;
  EXPECT_GT(poisson_subsets_p_value(0.3, bits), kLevel);
}

TEST(PoissonSubset, ATwinWithAnotherRateIsRejected) {
  BitSource bits;
  EXPECT_LT(poisson_subsets_p_value(0.31, bits), kLevel);
}

TEST(PoissonSubset, RateZeroIsEmptyAndRateOneIsAll) {
  BitSource bits;
  EXPECT_TRUE(poisson_subset(100, 0, bits)->empty());
  EXPECT_EQ(poisson_subset(100, 1, bits)->size(), 100u);
  EXPECT_TRUE(poisson_subset(0, 0.5, bits)->empty());
}

TEST(PoissonSubset, RefusesWhatIsNoRate) {
  BitSource bits;
  EXPECT_FALSE(poisson_subset(-1, 0.5, bits));
  EXPECT_FALSE(poisson_subset(1, -0.1, bits));
  EXPECT_FALSE(poisson_subset(1, 1.1, bits));
  EXPECT_FALSE(poisson_subset(1, std::numeric_limits<double>::quiet_NaN(), bits));
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
