#include "chronoveil/temporal/switching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "noise/statistics.h"
#include "temporal/outcomes.h"
#include "temporal/switch_reference.h"

namespace chronoveil::temporal {
namespace {

constexpr std::int64_t kDraws = 250'000;
constexpr std::int64_t kTwinDraws = 100'000;  // the reference is slow, and its mistakes are large

// All lengths: the first steps, those in the middle and the last are in one outcome.
double kernel_p_value(int length, const SwitchLaw& law) {
  BitSource bits;
  auto kernel = Switching<int>::make(law).value();
  return outcomes_p_value(switch_law(length, law), kDraws, [&] {
    Outcome outcome;
    const auto sink = [&](int value) { outcome.add(value); };
    for (int i = 0; i < length; ++i) kernel.push(i, bits, sink);
    kernel.finish(bits, sink);
    return outcome;
  });
}

double twin_p_value(int length, const SwitchLaw& law, SwitchMistake mistake) {
  BitSource bits;
  return outcomes_p_value(switch_law(length, law), kTwinDraws,
                          [&] { return switch_slowly(length, law, mistake, bits); });
}

TEST(Switching, EveryReleaseOfRanSwitchHasItsProbability) {
  EXPECT_GT(kernel_p_value(5, {2, 0.5, false}), noise::kLevel);
  EXPECT_GT(kernel_p_value(6, {3, 0.4, false}), noise::kLevel);
  EXPECT_GT(kernel_p_value(6, {4, 0.25, false}), noise::kLevel);
  EXPECT_GT(kernel_p_value(7, {4, 0.7, false}), noise::kLevel);
}

TEST(Switching, EveryReleaseOfStaSwitchHasItsProbability) {
  EXPECT_GT(kernel_p_value(5, {2, 0.5, true}), noise::kLevel);
  EXPECT_GT(kernel_p_value(6, {3, 1.0 / 3, true}), noise::kLevel);
  EXPECT_GT(kernel_p_value(6, {4, 0.3, true}), noise::kLevel);
  EXPECT_GT(kernel_p_value(7, {4, 0.25, true}), noise::kLevel);
}

TEST(Switching, ASeriesShorterThanTheWindowIsAllEnd) {
  for (const bool stateful : {false, true}) {
    EXPECT_GT(kernel_p_value(3, {4, 0.3, stateful}), noise::kLevel);
    EXPECT_GT(kernel_p_value(2, {4, 0.3, stateful}), noise::kLevel);
    EXPECT_EQ(switch_law(1, {4, 0.3, stateful}).size(), 1u);
    EXPECT_EQ(kernel_p_value(1, {4, 0.3, stateful}), 1);
  }
}

TEST(Switching, TheReferenceItselfPasses) {
  EXPECT_NEAR(total(switch_law(6, {4, 0.3, true})), 1, 1e-12);
  EXPECT_GT(twin_p_value(6, {4, 0.3, true}, SwitchMistake::none), noise::kLevel);
  EXPECT_GT(twin_p_value(6, {4, 0.3, false}, SwitchMistake::none), noise::kLevel);
}

TEST(Switching, TwinsAreRejected) {
  EXPECT_LT(twin_p_value(6, {3, 0.4, true}, SwitchMistake::state_stays_behind), noise::kLevel);
  EXPECT_LT(twin_p_value(6, {4, 0.3, true}, SwitchMistake::state_stays_behind), noise::kLevel);
  EXPECT_LT(twin_p_value(6, {4, 0.3, true}, SwitchMistake::state_is_not_added), noise::kLevel);
  EXPECT_LT(twin_p_value(6, {4, 0.3, true}, SwitchMistake::end_comes_before), noise::kLevel);
  for (const bool stateful : {false, true})
    EXPECT_LT(twin_p_value(6, {3, 0.4, stateful}, SwitchMistake::end_mass_stays), noise::kLevel);
}

TEST(Switching, StayingALittleLessOftenIsRejected) {
  BitSource bits;
  EXPECT_LT(outcomes_p_value(switch_law(5, {3, 0.4, false}), kDraws,
                             [&] {
                               return switch_slowly(5, {3, 0.39, false}, SwitchMistake::none, bits);
                             }),
            noise::kLevel);
}

TEST(Switching, OneLeavesAnArrivalFromTheKthOn) {
  for (const bool stateful : {false, true}) {
    BitSource bits;
    auto kernel = Switching<int>::make({5, 0.3, stateful}).value();
    for (int series = 0; series < 3; ++series) {  // after finish() it is as new
      int left = 0;
      const auto sink = [&](int) { ++left; };
      for (int i = 0; i < 20; ++i) {
        kernel.push(i, bits, sink);
        ASSERT_EQ(left, std::max(0, i + 1 - 4));
      }
      kernel.finish(bits, sink);
      EXPECT_EQ(left, 20);
    }
  }
}

int longest_delay(const SwitchLaw& law, int length) {
  BitSource bits;
  auto kernel = Switching<int>::make(law).value();
  int step = 0, longest = 0;
  const auto sink = [&](int value) { longest = std::max(longest, step++ - value); };
  for (int i = 0; i < length; ++i) kernel.push(i, bits, sink);
  kernel.finish(bits, sink);
  EXPECT_EQ(step, length);
  return longest;
}

TEST(Switching, StaSwitchNeverDelaysAValueByTheWindowAndRanSwitchDoes) {
  EXPECT_EQ(longest_delay({10, 0.1, true}, 100'000), 9);
  EXPECT_GT(longest_delay({10, 0.1, false}, 100'000), 9);
}

TEST(Switching, ValuesThatOwnMemoryComeOutWhole) {
  for (const bool stateful : {false, true}) {
    BitSource bits;
    auto kernel = Switching<std::string>::make({80, 0.1, stateful}).value();
    std::vector<std::string> in, out;
    const auto sink = [&](std::string&& value) { out.push_back(std::move(value)); };
    for (int i = 0; i < 5000; ++i) in.push_back(std::string(30, 'x') + std::to_string(i % 1000));
    for (const std::string& value : in) kernel.push(value, bits, sink);
    kernel.finish(bits, sink);
    EXPECT_NE(in, out);
    std::sort(in.begin(), in.end());
    std::sort(out.begin(), out.end());
    EXPECT_EQ(in, out);
  }
}

}  // namespace
}  // namespace chronoveil::temporal
