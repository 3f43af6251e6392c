#include "chronoveil/temporal/key_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "chronoveil/base/staircase.h"
#include "noise/statistics.h"
#include "temporal/sort_reference.h"

namespace chronoveil::temporal {
namespace {

constexpr int kDraws = 200'000;

double p_value(const std::vector<double>& law, const std::function<std::int64_t()>& draw) {
  const auto reach = static_cast<std::int64_t>(law.size() / 2);
  std::vector<std::int64_t> counts(law.size() + 1);
  for (int i = 0; i < kDraws; ++i) {
    const std::int64_t x = draw();
    ++counts[std::abs(x) > reach ? law.size() : static_cast<std::size_t>(x + reach)];
  }
  std::vector<double> probabilities = law;
  probabilities.push_back(0);
  return counts.back() > 0 ? 0 : noise::chi_squared_p_value(counts, probabilities);
}

double kernel_p_value(const NoisySortLaw& law, int reach) {
  BitSource bits;
  const auto sampler = KeySampler::make(law).value();
  const std::vector<double> exact = shift_law(law, reach);
  std::vector<std::int64_t> drawn(kDraws);
  sampler.fill(drawn, bits);
  auto next = drawn.begin();
  return std::min(p_value(exact, [&] { return sampler(bits); }), p_value(exact, [&] { return *next++; }));
}

NoisySortLaw law_of(std::int64_t window, double epsilon, KeyLaw law, std::optional<std::int64_t> max_shift = {}) {
  return {window, epsilon, law, max_shift};
}

// The reach is 40 scales of 2(k-1)/ε: a probability below e^-39 lies beyond, and none of it is ever drawn.
TEST(KeySampler, ShiftsOfBothLawsHaveTheirProbabilities) {
  for (const KeyLaw law : {KeyLaw::laplace, KeyLaw::staircase}) {
    EXPECT_GT(kernel_p_value(law_of(2, 3, law), 27), noise::kLevel);
    EXPECT_GT(kernel_p_value(law_of(5, 1, law), 320), noise::kLevel);
    EXPECT_GT(kernel_p_value(law_of(5, 1.5, law), 220), noise::kLevel);  // levels fall by more than a half
    EXPECT_GT(kernel_p_value(law_of(9, 4, law), 160), noise::kLevel);
    EXPECT_GT(kernel_p_value(law_of(40, 12, law), 300), noise::kLevel);
  }
}

TEST(KeySampler, ShiftsWithinALimitHaveTheirProbabilities) {
  for (const KeyLaw law : {KeyLaw::laplace, KeyLaw::staircase}) {
    for (const int limit : {1, 3, 7, 8, 9, 20, 60}) {  // a flat piece of the law, and more than its scale
      EXPECT_GT(kernel_p_value(law_of(5, 1, law, limit), limit), noise::kLevel);
      EXPECT_GT(kernel_p_value(law_of(5, 4, law, limit), limit), noise::kLevel);
    }
  }
}

NoisySortLaw stairs_of(std::int64_t window, double epsilon, std::int64_t plateau,
                       std::optional<std::int64_t> max_shift = {}) {
  return {window, epsilon, KeyLaw::staircase, max_shift, plateau};
}

TEST(KeySampler, ShiftsOfAGivenPlateauHaveTheirProbabilities) {
  for (const std::int64_t plateau : {1, 3, 5}) {  // that of the rule is 3 and 2
    EXPECT_GT(kernel_p_value(stairs_of(6, 0.8, plateau), 500), noise::kLevel);
    EXPECT_GT(kernel_p_value(stairs_of(6, 5, plateau), 80), noise::kLevel);  // steep
    for (const int limit : {1, 4, 12}) {
      EXPECT_GT(kernel_p_value(stairs_of(6, 0.8, plateau, limit), limit), noise::kLevel);
      EXPECT_GT(kernel_p_value(stairs_of(6, 5, plateau, limit), limit), noise::kLevel);
    }
  }
}

TEST(KeySampler, AnotherPlateauIsRejected) {
  BitSource bits;
  for (const double epsilon : {0.8, 5.0}) {
    const std::vector<double> exact = shift_law(stairs_of(6, epsilon, 4), 500),
                              near = shift_law(stairs_of(6, epsilon, 4, 12), 12);
    for (const std::int64_t plateau : {3, 5}) {
      const auto twin = KeySampler::make(stairs_of(6, epsilon, plateau)).value();
      EXPECT_LT(p_value(exact, [&] { return twin(bits); }), noise::kLevel) << plateau;
      const auto near_twin = KeySampler::make(stairs_of(6, epsilon, plateau, 12)).value();
      EXPECT_LT(p_value(near, [&] { return near_twin(bits); }), noise::kLevel) << plateau;
    }
  }
}

TEST(KeySampler, WithoutAPlateauItDrawsWithThatOfTheRule) {
  for (const auto& [window, epsilon] : {std::pair<std::int64_t, double>{6, 0.8}, {40, 10}}) {
    BitSource left = BitSource::with_seed(5), right = BitSource::with_seed(5);
    const auto unsaid = KeySampler::make(law_of(window, epsilon, KeyLaw::staircase)).value();
    const auto said = KeySampler::make(stairs_of(window, epsilon, staircase_plateau(window, epsilon))).value();
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(unsaid(left), said(right));
  }
}

TEST(KeySampler, TwinsAreRejected) {
  BitSource bits;
  const auto staircase = KeySampler::make(law_of(5, 1, KeyLaw::staircase)).value();
  const auto laplace = KeySampler::make(law_of(5, 1, KeyLaw::laplace)).value();
  const auto exact = [&](KeyLaw law) { return shift_law(law_of(5, 1, law), 320); };
  EXPECT_GT(p_value(exact(KeyLaw::staircase), [&] { return staircase(bits); }), noise::kLevel);
  // One law for the other.
  EXPECT_LT(p_value(exact(KeyLaw::staircase), [&] { return laplace(bits); }), noise::kLevel);
  EXPECT_LT(p_value(exact(KeyLaw::laplace), [&] { return staircase(bits); }), noise::kLevel);
  // 0 with both signs.
  EXPECT_LT(p_value(exact(KeyLaw::staircase),
                    [&] {
                      std::int64_t x = staircase(bits);
                      while (x < 0) x = staircase(bits);
                      return bits.next_u64() & 1 ? x : -x;
                    }),
            noise::kLevel);
  // Clamped instead of drawn again.
  EXPECT_LT(p_value(shift_law(law_of(5, 1, KeyLaw::laplace, 20), 20),
                    [&] { return std::clamp<std::int64_t>(laplace(bits), -20, 20); }),
            noise::kLevel);
  // ε a little smaller.
  const auto flatter = KeySampler::make(law_of(5, 0.96, KeyLaw::staircase)).value();
  EXPECT_LT(p_value(exact(KeyLaw::staircase), [&] { return flatter(bits); }), noise::kLevel);
}

TEST(KeySampler, ShiftsAreNeverBeyondTheLimitOfNoise) {
  BitSource bits;
  const auto sampler = StaircaseSampler::make(1 << 20, 0x1p-18).value();
  std::vector<std::int64_t> drawn(1000);
  sampler.fill(drawn, bits);
  for (const std::int64_t x : drawn) EXPECT_LE(std::abs(x), noise::kNoiseLimit);
}

TEST(KeySampler, WhatIsNoLawIsRefusedByName) {
  const auto named = [](const NoisySortLaw& law) {
    const auto made = KeySampler::make(law);
    return made ? "" : made.error().text().substr(0, made.error().text().find(':'));
  };
  for (const KeyLaw law : {KeyLaw::laplace, KeyLaw::staircase}) {
    EXPECT_EQ(named(law_of(2, 1, law)), "");
    for (const std::int64_t window : {-1, 0, 1, (1 << 20) + 1}) EXPECT_EQ(named(law_of(window, 1, law)), "window");
    for (const double epsilon :
         {0.0, -1.0, 1e-13, 1e13, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
      EXPECT_EQ(named(law_of(2, epsilon, law)), "epsilon");
    EXPECT_EQ(named(law_of(1 << 20, 0x1p-20, law)), "epsilon");
    EXPECT_EQ(named(law_of(2, 1, law, 0)), "max_shift");
    EXPECT_EQ(named(law_of(2, 1, law, kLargestShift + 1)), "max_shift");
  }
  for (const std::int64_t plateau : {1, 4}) EXPECT_EQ(named(stairs_of(5, 1, plateau)), "");
  for (const std::int64_t plateau : {-1, 0, 5}) EXPECT_EQ(named(stairs_of(5, 1, plateau)), "plateau");
  EXPECT_EQ(named({5, 1, KeyLaw::laplace, {}, 2}), "plateau");
  EXPECT_FALSE(StaircaseSampler::make(5, 1, 5).has_value());
}

}  // namespace
}  // namespace chronoveil::temporal
