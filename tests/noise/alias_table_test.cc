#include "chronoveil/noise/alias_table.h"

#include <gtest/gtest.h>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/noise/uniform.h"

namespace chronoveil::noise {
namespace {

constexpr std::uint64_t kFull = std::uint64_t{1} << kAliasCoinBits;

// How many of all pairs of column and coin lead to each outcome.
std::vector<std::uint64_t> outcomes(const std::vector<AliasColumn>& table) {
  std::vector<std::uint64_t> counts(table.size());
  for (std::size_t column = 0; column < table.size(); ++column) {
    counts[column] += table[column].threshold;
    counts[table[column].other] += kFull - table[column].threshold;
  }
  return counts;
}

TEST(AliasTable, GivesEveryOutcomeExactlyItsWeight) {
  BitSource bits = BitSource::with_seed(4);
  for (int trial = 0; trial < 50; ++trial) {
    const std::size_t size = std::size_t{1} << (trial % 11);
    std::vector<std::uint64_t> weights(size);
    std::uint64_t left = size * kFull;
    for (std::size_t i = 0; i + 1 < size; ++i) {
      // From all on a few to about even.
      weights[i] = uniform_below((left >> (trial % 5 == 0 ? 0 : 8)) + 1, bits);
      left -= weights[i];
    }
    weights[size - 1] = left;
    EXPECT_EQ(outcomes(make_alias_table(weights)), weights);
  }
}

TEST(AliasTable, HandlesEvenWeightsAndASingleCandidate) {
  const std::vector<std::uint64_t> even(8, kFull);
  EXPECT_EQ(outcomes(make_alias_table(even)), even);
  const std::vector<std::uint64_t> one = {0, 0, 4 * kFull, 0};
  EXPECT_EQ(outcomes(make_alias_table(one)), one);
}

}  // namespace
}  // namespace chronoveil::noise
