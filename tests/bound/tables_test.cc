// The small tools under bounding: keyed hash, exact table of strings, sums that end at a maximum.
#include <gtest/gtest.h>
#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "chronoveil/bound/counts.h"
#include "chronoveil/bound/people/siphash.h"
#include "chronoveil/bound/tables/string_table.h"

namespace chronoveil::bound {
namespace {

std::uint64_t sodium_siphash(std::string_view message, std::uint64_t k0, std::uint64_t k1) {
  unsigned char key[crypto_shorthash_KEYBYTES], out[crypto_shorthash_BYTES];
  static_assert(sizeof(key) == 16 && sizeof(out) == 8);
  std::memcpy(key, &k0, 8);
  std::memcpy(key + 8, &k1, 8);
  crypto_shorthash(out, reinterpret_cast<const unsigned char*>(message.data()), message.size(), key);
  std::uint64_t hash = 0;
  std::memcpy(&hash, out, 8);
  return hash;
}

TEST(SipHash, IsThatOfLibsodiumForEveryLength) {
  BitSource bits = BitSource::with_seed(1);
  for (std::size_t size = 0; size < 300; ++size) {
    std::string message(size, ' ');
    for (char& byte : message) byte = static_cast<char>(bits.next_u64());
    const std::uint64_t k0 = bits.next_u64(), k1 = bits.next_u64();
    EXPECT_EQ(SipHash(k0, k1)(message), sodium_siphash(message, k0, k1)) << size;
  }
}

TEST(SipHash, OfTwoWordsIsThatOfTheirBytes) {
  BitSource bits = BitSource::with_seed(2);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t words[] = {bits.next_u64(), bits.next_u64()};
    const SipHash hash = SipHash::with_key_from(bits);
    EXPECT_EQ(hash(words[0], words[1]), hash({reinterpret_cast<const char*>(words), 16}));
  }
}

TEST(StringTable, NumbersStringsByFirstAppearance) {
  StringTable table;
  const SipHash hash(1, 2);
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < 10'000; ++i) {
      const std::string text = "person " + std::to_string(i);
      EXPECT_EQ(table.find_or_add(text, hash(text)), i);
    }
  }
  EXPECT_EQ(table.size(), 10'000u);
  EXPECT_EQ(table.find("person 10000", hash("person 10000")), StringTable::kNone);
}

TEST(ShortText, HoldsTextsOfEveryLength) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyz";
  for (std::size_t size = 0; size <= letters.size(); ++size) {
    const std::string text = letters.substr(0, size);
    EXPECT_EQ(ShortText(text).view(), text);
    EXPECT_EQ(ShortText(text), ShortText(std::string(text)));
    EXPECT_EQ(ShortText(text).is_outside(), size > 16);
  }
}

TEST(StringTable, OrdersStringsByTheirBytes) {
  // Few different bytes, so that many strings begin alike; zeros, which pad short ones; and bytes that are negative as
  // signed numbers.
  const SipHash hash(1, 2);
  BitSource bits = BitSource::with_seed(3);
  for (const std::size_t longest : {3u, 12u, 17u, 40u}) {
    StringTable table;
    std::vector<std::string> texts;
    for (int i = 0; i < 3000; ++i) {
      std::string text(bits.next_u64() % (longest + 1), '\0');
      for (char& byte : text) byte = "\0\0\0a\xff"[bits.next_u64() % 5];
      if (table.find_or_add(text, hash(text)) == texts.size()) texts.push_back(text);
    }
    std::vector<std::string> ordered;
    for (const std::uint32_t number : table.by_text()) ordered.push_back(texts[number]);
    std::sort(texts.begin(), texts.end());
    EXPECT_EQ(ordered, texts);
  }
}

TEST(StringTable, StringsWithTheSameHashStayApart) {
  StringTable table;
  const std::string_view texts[] = {"a",
                                    "b",
                                    "",
                                    "ab",
                                    std::string_view("a\0", 2),
                                    std::string_view("a\0c", 3),
                                    "sixteen letters!",
                                    "sixteen letters?",
                                    "seventeen letters",
                                    "seventeen letterz"};
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < std::size(texts); ++i) EXPECT_EQ(table.find_or_add(texts[i], 42), i);
  }
  EXPECT_EQ(table.find("c", 42), StringTable::kNone);
}

TEST(StringTable, KeepsACopyOfTextsOfEveryLength) {
  StringTable table;
  for (std::uint32_t i = 0; i < 60; ++i) {
    std::string text(std::size_t{i} * 5000, static_cast<char>('a' + i % 26));
    EXPECT_EQ(table.find_or_add(text, i), i);
    std::fill(text.begin(), text.end(), '#');
  }
  for (std::uint32_t i = 0; i < 60; ++i) {
    EXPECT_EQ(table.find(std::string(std::size_t{i} * 5000, static_cast<char>('a' + i % 26)), i), i);
  }
}

TEST(Counts, EndAtTheMaximumHoweverLargeTheSum) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  Counts counts(3, 10);
  for (const std::int64_t amount : {kMost, kMost, std::int64_t{3}}) counts.add(0, amount);
  for (const std::int64_t amount : {4, 6}) counts.add(1, amount);
  std::int64_t clamped = 0;
  EXPECT_EQ(std::move(counts).take(clamped), (std::vector<std::int64_t>{10, 10, 0}));
  EXPECT_EQ(clamped, 1);
}

TEST(Counts, AddingUpStopsExactlyAtTheLimit) {
  EXPECT_EQ(add_up_to(10, 4, 5), 9);
  EXPECT_EQ(add_up_to(10, 4, 6), 10);
  EXPECT_EQ(add_up_to(10, 4, 7), 10);
  EXPECT_EQ(add_up_to(10, 10, 0), 10);
}

}  // namespace
}  // namespace chronoveil::bound
