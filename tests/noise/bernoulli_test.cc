#include "chronoveil/noise/bernoulli.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "noise/statistics.h"

namespace chronoveil::noise {
namespace {

constexpr std::int64_t kTrials = 2'000'000;

template <class Coin>
std::int64_t heads(Coin coin) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < kTrials; ++i) count += coin() ? 1 : 0;
  return count;
}

TEST(Bernoulli, ComesUpWithItsProbability) {
  BitSource bits;
  for (const double p : {1e-5, 0.1, 0.5, 2.0 / 3, 0.999}) {
    EXPECT_GT(binomial_p_value(heads([&] { return bernoulli(p, bits); }), kTrials, p), kLevel) << p;
  }
}

TEST(Bernoulli, ZeroAndNaNNeverAndOneAlways) {
  BitSource bits;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(bernoulli(0, bits));
    EXPECT_FALSE(bernoulli(-1, bits));
    EXPECT_FALSE(bernoulli(std::numeric_limits<double>::quiet_NaN(), bits));
    EXPECT_FALSE(bernoulli(std::numeric_limits<double>::denorm_min(), bits));
    EXPECT_TRUE(bernoulli(1, bits));
    EXPECT_TRUE(bernoulli(2, bits));
  }
}

TEST(Bernoulli, ComparesTheWordDrawnWithEveryDigitOfTheProbability) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const std::uint64_t word = BitSource::with_seed(seed).next_u64();
    if (word % 2048 == 0 || word >> 11 == 0) continue;
    // The doubles next to word / 2^64 on either side, or nearly: only the last bits of the word separate them.
    const double below = std::ldexp(static_cast<double>(word >> 11), -53), above = below + 0x1p-53;
    BitSource a = BitSource::with_seed(seed), b = BitSource::with_seed(seed);
    EXPECT_FALSE(bernoulli(below, a));
    EXPECT_TRUE(bernoulli(above, b));
  }
}

TEST(BernoulliExp, ComesUpWithItsProbability) {
  BitSource bits;
  for (const double x : {0.0, 1e-6, 0.3, 1.0, 1.7, 5.0, 10.25}) {
    EXPECT_GT(binomial_p_value(heads([&] { return bernoulli_exp(x, bits); }), kTrials, std::exp(-x)), kLevel) << x;
  }
}

TEST(BernoulliExp, SumsItsTwoParts) {
  BitSource bits;
  EXPECT_GT(binomial_p_value(heads([&] { return bernoulli_exp(1, 0.5, bits); }), kTrials, std::exp(-1.5)), kLevel);
  EXPECT_GT(binomial_p_value(heads([&] { return bernoulli_exp(0, 1.0, bits); }), kTrials, std::exp(-1.0)), kLevel);
}

TEST(BernoulliExp, ZeroAlwaysAndHugeNever) {
  BitSource bits;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(bernoulli_exp(0, bits));
    EXPECT_FALSE(bernoulli_exp(1e300, bits));
    EXPECT_FALSE(bernoulli_exp(1e6, bits));
    EXPECT_FALSE(bernoulli_exp(std::numeric_limits<double>::infinity(), bits));
  }
}

TEST(BernoulliExp, ASeriesCutShortIsRejected) {
  // The broken twin stops after the quadratic term: 1 - x + x^2 / 2.
  BitSource bits;
  const double x = 0.7;
  const auto twin = [&] { return bernoulli(1 - x + x * x / 2, bits); };
  EXPECT_LT(binomial_p_value(heads(twin), kTrials, std::exp(-x)), kLevel);
}

}  // namespace
}  // namespace chronoveil::noise
