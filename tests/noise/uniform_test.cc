#include "chronoveil/noise/uniform.h"

#include <gtest/gtest.h>

#include <limits>

#include "noise/statistics.h"

namespace chronoveil::noise {
namespace {

constexpr std::int64_t kDraws = 2'000'000;

TEST(UniformBelow, IsEvenOverSmallBounds) {
  BitSource bits;
  for (const std::uint64_t bound : {2u, 3u, 10u, 97u}) {
    std::vector<std::int64_t> counts(bound);
    for (std::int64_t i = 0; i < kDraws; ++i) ++counts.at(uniform_below(bound, bits));
    EXPECT_GT(chi_squared_p_value(counts, std::vector<double>(bound, 1.0 / static_cast<double>(bound))), kLevel);
  }
}

template <class Cell>
double even_thirds_p_value(Cell cell) {
  std::vector<std::int64_t> counts(3);
  for (std::int64_t i = 0; i < kDraws; ++i) ++counts.at(cell());
  return chi_squared_p_value(counts, std::vector<double>(3, 1.0 / 3));
}

TEST(UniformBelow, HasNoBiasAtLargeBoundsAndTheTwinsThatHaveItAreRejected) {
  BitSource bits;
  // Without rejection, modulo favours the first third of this range, and the product every third number.
  const std::uint64_t bound = std::uint64_t{3} << 62;
  EXPECT_GT(even_thirds_p_value([&] { return uniform_below(bound, bits) >> 62; }), kLevel);
  EXPECT_GT(even_thirds_p_value([&] { return uniform_below(bound, bits) % 3; }), kLevel);
  EXPECT_LT(even_thirds_p_value([&] { return (bits.next_u64() % bound) >> 62; }), kLevel);
  const auto product = [&] { return static_cast<std::uint64_t>((Uint128{bits.next_u64()} * bound) >> 64); };
  EXPECT_LT(even_thirds_p_value([&] { return product() % 3; }), kLevel);
}

TEST(UniformBelow, OneIsAlwaysZeroAndZeroStandsForTheWholeRange) {
  BitSource bits = BitSource::with_seed(1), same = BitSource::with_seed(1);
  EXPECT_EQ(uniform_below(0, bits), same.next_u64());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(uniform_below(1, bits), 0u);
}

TEST(UniformBetween, IncludesBothEndsAndNothingElse) {
  BitSource bits;
  std::vector<std::int64_t> counts(7);
  for (std::int64_t i = 0; i < kDraws; ++i) ++counts.at(static_cast<std::size_t>(uniform_between(-3, 3, bits) + 3));
  EXPECT_GT(chi_squared_p_value(counts, std::vector<double>(7, 1.0 / 7)), kLevel);
}

TEST(UniformBetween, CoversTheWholeTypeAndSinglePoints) {
  using Limits = std::numeric_limits<std::int64_t>;
  BitSource bits;
  EXPECT_EQ(uniform_between(Limits::max(), Limits::max(), bits), Limits::max());
  EXPECT_EQ(uniform_between(Limits::min(), Limits::min(), bits), Limits::min());
  std::int64_t negative = 0;
  for (std::int64_t i = 0; i < kDraws; ++i) negative += uniform_between(Limits::min(), Limits::max(), bits) < 0 ? 1 : 0;
  EXPECT_GT(binomial_p_value(negative, kDraws, 0.5), kLevel);
}

}  // namespace
}  // namespace chronoveil::noise
