#include "chronoveil/temporal/offset_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <limits>

#include "noise/statistics.h"

namespace chronoveil::temporal {
namespace {

// The words in turn, then zeros.
int give(void* context, void* bytes, std::size_t size) {
  auto& words = *static_cast<std::deque<std::uint64_t>*>(context);
  for (std::size_t at = 0; at + 8 <= size; at += 8) {
    const std::uint64_t word = words.empty() ? 0 : words.front();
    if (!words.empty()) words.pop_front();
    std::memcpy(static_cast<char*>(bytes) + at, &word, 8);
  }
  return 0;
}

std::uint32_t offset_for(const OffsetLaw& law, std::deque<std::uint64_t> words) {
  BitSource bits = BitSource::from_callback(&give, &words);
  return law(bits);
}

constexpr std::uint64_t kLastWord = std::numeric_limits<std::uint64_t>::max();

// Of the words that are followed by `rest`, the first whose offset is at least `offset`; offsets must not fall.
std::uint64_t first_word(const OffsetLaw& law, std::uint32_t offset, std::uint64_t rest) {
  std::uint64_t low = 0, high = kLastWord;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (offset_for(law, {middle, rest, rest, rest}) >= offset) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

TEST(OffsetLaw, WordsAreDealtOutEvenlyAndFewAreLeft) {
  for (const std::int64_t window : {2, 3, 4, 80, 1000}) {
    for (const double stay : {0.5, 0.75, 0.9, 1 / 3.0 + 0.2, 1 - 0x1p-20, 0x1.123456789abcdp-1}) {
      const OffsetLaw law(window, stay);
      const auto moves = static_cast<std::uint64_t>(window - 1);
      // With ones to follow, words that are left over move furthest.
      const auto staying = static_cast<std::uint64_t>(std::floor(std::ldexp(stay, 64)));
      ASSERT_EQ(first_word(law, 1, kLastWord), staying);
      const std::uint64_t others = kLastWord - staying + 1;
      const bool fraction = std::ldexp(stay, 64) != std::floor(std::ldexp(stay, 64));
      const std::uint64_t share = (others - (fraction ? 1 : 0)) / moves;
      for (std::uint32_t offset = 2; offset < window; offset += 1 + offset / 8)
        ASSERT_EQ(first_word(law, offset, kLastWord), staying + (offset - 1) * share);
      EXPECT_EQ(offset_for(law, {kLastWord - (others - moves * share), kLastWord}), window - 1);
    }
  }
}

TEST(OffsetLaw, WhatIsLeftOverIsSettledByFurtherWords) {
  // 2^64 (1 - 2^-20) leaves 2^44 words for 3 moves: one is left over, and there is no fraction for staying.
  const OffsetLaw even(4, 1 - 0x1p-20);
  const std::uint64_t third = std::uint64_t{1} << 62;  // a little less than a third of all words
  EXPECT_EQ(offset_for(even, {kLastWord, third}), 1u);
  EXPECT_EQ(offset_for(even, {kLastWord, 2 * third}), 2u);
  EXPECT_EQ(offset_for(even, {kLastWord, 3 * third}), 3u);
  const double stay = 0x1p-13 + 0x1p-65;  // 2^51 words, and half a word
  const OffsetLaw odd(8193, stay);
  const std::uint64_t others = kLastWord - static_cast<std::uint64_t>(0x1p51) + 1;
  ASSERT_EQ((others - 1) / 8192 * 8192, others - 8192);  // 8192 words are left over: the fraction's is one of them
  EXPECT_EQ(offset_for(odd, {kLastWord, 0, 0}), 0u);     // that one, and a coin of 1/2 for it
  EXPECT_EQ(offset_for(odd, {kLastWord, 0, kLastWord, 0}), 1u);            // the coin fails: a move
  EXPECT_EQ(offset_for(odd, {kLastWord, std::uint64_t{1} << 52, 0}), 1u);  // another one: a move
  EXPECT_EQ(offset_for(odd, {kLastWord, std::uint64_t{1} << 52, kLastWord}), 8192u);
}

TEST(OffsetLaw, AllMovesAreLeftOverWhereThereAreMoreThanWords) {
  const OffsetLaw law(std::int64_t{1} << 20, 1 - 0x1p-53);  // 2048 words for 2^20 - 1 moves
  EXPECT_EQ(offset_for(law, {kLastWord - 2048}), 0u);
  EXPECT_EQ(offset_for(law, {kLastWord - 2047, std::uint64_t{1} << 40}), 1u);
  EXPECT_EQ(offset_for(law, {kLastWord, kLastWord}), (1u << 20) - 1);
}

TEST(OffsetLaw, EveryOffsetComesAsOftenAsItShould) {
  for (const auto& [window, stay] : {std::pair<std::int64_t, double>{80, 0.3}, {5, 0.2}, {2, 0.6}}) {
    const OffsetLaw law(window, stay);
    BitSource bits;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(window));
    for (int i = 0; i < 400'000; ++i) ++counts[law(bits)];
    const auto probabilities = [&](double p) {
      std::vector<double> all(counts.size(), (1 - p) / static_cast<double>(counts.size() - 1));
      all[0] = p;
      return all;
    };
    EXPECT_GT(noise::chi_squared_p_value(counts, probabilities(stay)), noise::kLevel);
    EXPECT_LT(noise::chi_squared_p_value(counts, probabilities(stay + 0.03)), noise::kLevel);  // the twin
  }
}

}  // namespace
}  // namespace chronoveil::temporal
