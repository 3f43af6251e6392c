#include "chronoveil/base/bit_source.h"

#include <gtest/gtest.h>
#include <sodium.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace chronoveil {
namespace {

static_assert(!std::is_copy_constructible_v<BitSource> && !std::is_copy_assignable_v<BitSource>,
              "a copied stream would be used twice");

using Words = std::array<std::uint64_t, 4>;  // two independent streams agree on these with probability 2^-256

Words next_words(BitSource& bits) {
  Words words;
  for (auto& word : words) word = bits.next_u64();
  return words;
}

// What `draw` returns in a forked child.
template <class Draw>
Words words_of_child(Draw draw) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const Words words = draw();
    _exit(write(ends[1], words.data(), sizeof words) == sizeof words ? 0 : 1);
  }
  Words words{};
  EXPECT_EQ(read(ends[0], words.data(), sizeof words), static_cast<ssize_t>(sizeof words));
  int status = 1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(ends[0]);
  close(ends[1]);
  return words;
}

TEST(BitSource, IsChaCha20KeyedByTheHashOfTheSeedWithTheKeyReplacedAtEachRefill) {
  const std::uint64_t seed = 7;
  std::array<unsigned char, 32> key;
  crypto_generichash(key.data(), key.size(), reinterpret_cast<const unsigned char*>(&seed), sizeof seed, nullptr, 0);
  const std::array<unsigned char, crypto_stream_chacha20_NONCEBYTES> nonce{};
  BitSource bits = BitSource::with_seed(seed);
  for (int refill = 0; refill < 3; ++refill) {
    std::vector<std::uint64_t> stream(1024);
    crypto_stream_chacha20(reinterpret_cast<unsigned char*>(stream.data()), stream.size() * 8, nonce.data(),
                           key.data());
    std::memcpy(key.data(), stream.data(), key.size());
    for (std::size_t i = 4; i < stream.size(); ++i) ASSERT_EQ(bits.next_u64(), stream[i]);
  }
}

TEST(BitSource, SameSeedGivesTheSameStreamAndAnotherSeedAnother) {
  BitSource a = BitSource::with_seed(1), b = BitSource::with_seed(1), c = BitSource::with_seed(2);
  const Words words = next_words(a);
  EXPECT_EQ(words, next_words(b));
  EXPECT_NE(words, next_words(c));
}

TEST(BitSource, SaysWhetherItIsSeeded) {
  EXPECT_TRUE(BitSource::with_seed(0).seeded());
  EXPECT_FALSE(BitSource().seeded());
  EXPECT_FALSE(BitSource::for_this_thread().seeded());
}

TEST(BitSource, TwoSourcesOfTheOperatingSystemDiffer) {
  BitSource a, b;
  EXPECT_NE(next_words(a), next_words(b));
}

TEST(BitSource, BulkAndSingleDrawsTakeTheSameStream) {
  BitSource single = BitSource::with_seed(3), bulk = BitSource::with_seed(3);
  for (const std::size_t size : {1u, 0u, 7u, 1019u, 1020u, 1021u, 5000u}) {
    std::vector<std::uint64_t> words(size);
    bulk.fill(words);
    for (const std::uint64_t word : words) ASSERT_EQ(word, single.next_u64());
  }
}

TEST(BitSource, AChildDoesNotShareTheStreamOfItsParent) {
  BitSource bits;
  bits.next_u64();  // fills the buffer that the child inherits
  const Words child = words_of_child([&] { return next_words(bits); });
  const Words sibling = words_of_child([&] { return next_words(bits); });
  const Words parent = next_words(bits);
  EXPECT_NE(child, parent);
  EXPECT_NE(sibling, parent);
  EXPECT_NE(child, sibling);
}

TEST(BitSource, AChildDoesNotShareTheStreamInBulkEither) {
  BitSource bits;
  bits.next_u64();
  const auto draw = [&] {
    Words words;
    bits.fill(words);
    return words;
  };
  EXPECT_NE(words_of_child(draw), draw());
}

TEST(BitSource, AGrandchildDiffersFromItsParentToo) {
  BitSource bits;
  bits.next_u64();
  Words parent{};
  const Words grandchild = words_of_child([&] {
    parent = next_words(bits);
    const Words inner = words_of_child([&] { return next_words(bits); });
    const Words outer = next_words(bits);
    return inner == outer ? Words{} : inner;
  });
  EXPECT_NE(grandchild, Words{});
}

TEST(BitSource, ASeededStreamGoesOnAcrossForkSoThatExperimentsRepeat) {
  BitSource bits = BitSource::with_seed(5), same = BitSource::with_seed(5);
  EXPECT_EQ(next_words(bits), next_words(same));
  EXPECT_EQ(words_of_child([&] { return next_words(bits); }), next_words(same));
}

TEST(BitSource, EveryThreadHasItsOwnStream) {
  constexpr int kThreads = 8;
  std::vector<Words> words(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back(
        [&words, i] { words[static_cast<std::size_t>(i)] = next_words(BitSource::for_this_thread()); });
  }
  for (std::thread& thread : threads) thread.join();
  words.push_back(next_words(BitSource::for_this_thread()));
  EXPECT_EQ(std::set<Words>(words.begin(), words.end()).size(), words.size());
}

TEST(BitSource, MovingHandsTheStreamOnAndLeavesAFreshSourceBehind) {
  BitSource original = BitSource::with_seed(9), same = BitSource::with_seed(9);
  EXPECT_EQ(next_words(original), next_words(same));
  BitSource moved = std::move(original);
  EXPECT_TRUE(moved.seeded());
  const Words next = next_words(same);
  EXPECT_EQ(next_words(moved), next);
  EXPECT_FALSE(original.seeded());
  EXPECT_NE(next_words(original), next);
  original = std::move(moved);
  EXPECT_TRUE(original.seeded());
  EXPECT_EQ(next_words(original), next_words(same));
}

// A callback: counts up, and fails from the call `last` on, having written what it must not.
struct Counting {
  std::uint64_t next = 1;
  int calls = 0;
  int last = 1000;
  static int fill(void* context, void* bytes, std::size_t size) {
    auto& self = *static_cast<Counting*>(context);
    auto* words = static_cast<std::uint64_t*>(bytes);
    for (std::size_t i = 0; i < size / sizeof(std::uint64_t); ++i) words[i] = self.next++;
    return ++self.calls > self.last ? 1 : 0;
  }
};

TEST(BitSource, ACallbackIsHandedOnWordByWordAndIsNoSeed) {
  Counting counting;
  BitSource bits = BitSource::from_callback(&Counting::fill, &counting);
  EXPECT_FALSE(bits.seeded());
  EXPECT_EQ(counting.calls, 0);
  std::vector<std::uint64_t> bulk(77);
  std::uint64_t next = 1;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 45; ++i) ASSERT_EQ(bits.next_u64(), next++);
    bits.fill(bulk);
    for (const std::uint64_t word : bulk) ASSERT_EQ(word, next++);
  }
  EXPECT_FALSE(bits.failed());
}

TEST(BitSource, AFailedCallbackIsNotAskedAgainAndFailsTheSourceForGood) {
  Counting counting;
  counting.last = 1;
  BitSource bits = BitSource::from_callback(&Counting::fill, &counting);
  while (counting.calls < 2) {
    EXPECT_FALSE(bits.failed());
    bits.next_u64();
  }
  std::set<std::uint64_t> words;
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_TRUE(bits.failed());
    words.insert(bits.next_u64());
  }
  EXPECT_EQ(counting.calls, 2);
  EXPECT_EQ(words.size(), 10'000u);          // loops that draw again come to an end
  EXPECT_GT(*words.begin(), counting.next);  // and none of it is what the failed call had written
  BitSource moved = std::move(bits);
  EXPECT_TRUE(moved.failed());
  EXPECT_TRUE(bits.failed());
}

TEST(BitSource, AMovedCallbackGoesOnAndBothDrawBytesOfTheirOwn) {
  Counting counting;
  BitSource original = BitSource::from_callback(&Counting::fill, &counting);
  EXPECT_EQ(original.next_u64(), 1u);
  BitSource moved = std::move(original);
  EXPECT_EQ(moved.next_u64(), 2u);
  const std::uint64_t fresh = original.next_u64();
  EXPECT_EQ(fresh, 33u);
  EXPECT_EQ(moved.next_u64(), 3u);
}

TEST(BitSource, WordsOfACallbackThatWaitAreThrownAwayInAChildOnceForksAreCounted) {
  const BitSource counting_forks;
  Counting counting;
  BitSource bits = BitSource::from_callback(&Counting::fill, &counting);
  EXPECT_EQ(bits.next_u64(), 1u);
  EXPECT_EQ(words_of_child([&] { return next_words(bits); }), (Words{33, 34, 35, 36}));
  EXPECT_EQ(bits.next_u64(), 2u);
}

TEST(BitSource, EveryBitIsSetHalfTheTime) {
  BitSource bits;
  constexpr int kWords = 1 << 18;
  std::array<int, 64> set{};
  for (int i = 0; i < kWords; ++i) {
    const std::uint64_t word = bits.next_u64();
    for (std::size_t bit = 0; bit < 64; ++bit) set[bit] += static_cast<int>((word >> bit) & 1);
  }
  // 7 standard deviations of 256 each: probability 2.6e-12 per bit, below 2e-10 in all.
  for (const int count : set) EXPECT_NEAR(count, kWords / 2, 7 * 256);
}

}  // namespace
}  // namespace chronoveil
