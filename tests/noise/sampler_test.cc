#include "chronoveil/noise/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "noise/draws.h"
#include "noise/law_checker.h"

namespace chronoveil::noise {
namespace {

std::string test_name(Law law, double scale) {
  std::string text = std::string(name(law)) + "_scale_" + std::to_string(scale);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return text;
}

class EveryLaw : public testing::TestWithParam<std::tuple<Law, double>> {};

TEST_P(EveryLaw, FollowsItsExactLaw) {
  const auto [law, scale] = GetParam();
  const Sampler sampler = Sampler::make(law, scale).value();
  LawChecker checker(law, scale);
  BitSource bits;
  EXPECT_EQ(checker.complaints([&](std::span<std::int64_t> out) { sampler.fill(out, bits); }, kLawDraws), "");
}

TEST_P(EveryLaw, FollowsItByTheWideRouteToo) {
  const auto [law, scale] = GetParam();
  const Sampler sampler = Sampler::make(law, scale, {.route = Route::wide, .reach = {}}).value();
  LawChecker checker(law, scale);
  BitSource bits;
  EXPECT_EQ(checker.complaints([&](std::span<std::int64_t> out) { sampler.fill(out, bits); }, kLawDraws / 20), "");
}

TEST_P(EveryLaw, FollowsItWithStripsThatLeaveMuchToTheTail) {
  const auto [law, scale] = GetParam();
  const Sampler sampler = Sampler::make(law, scale, {.route = Route::quick_then_wide, .reach = 0.8}).value();
  LawChecker checker(law, scale);
  BitSource bits;
  EXPECT_EQ(checker.complaints([&](std::span<std::int64_t> out) { sampler.fill(out, bits); }, kLawDraws / 10), "");
}

TEST_P(EveryLaw, FollowsItOneDrawAtATime) {
  const auto [law, scale] = GetParam();
  const Sampler sampler = Sampler::make(law, scale).value();
  LawChecker checker(law, scale);
  BitSource bits;
  const auto one_by_one = [&](std::span<std::int64_t> out) {
    for (std::int64_t& value : out) value = sampler(bits);
  };
  EXPECT_EQ(checker.complaints(one_by_one, kLawDraws / 10), "");
}

// Far below a step, about a step, where strips are single integers, where they become wider, the scale of the usual
// grid (2^20 to 2^21 steps), and the largest.
INSTANTIATE_TEST_SUITE_P(Scales, EveryLaw,
                         testing::Combine(testing::ValuesIn(kLaws),
                                          testing::Values(0.04, 0.3, 0.7, 3.1, 60.0, 1000.0, 1.37 * 0x1p20, 0x1p40)),
                         [](const auto& test) { return test_name(std::get<0>(test.param), std::get<1>(test.param)); });

TEST(Sampler, FollowsItsLawWhenMuchOfTheTailGoesByTheWideRoute) {
  BitSource bits;
  for (const Law law : {Law::rounded_laplace, Law::rounded_gaussian}) {
    const Sampler sampler = Sampler::make(law, 1000, {.route = Route::wide, .reach = 0.8}).value();
    LawChecker checker(law, 1000);
    EXPECT_EQ(checker.complaints([&](std::span<std::int64_t> out) { sampler.fill(out, bits); }, kLawDraws / 50), "");
  }
}

TEST(Sampler, RefusesScalesOutsideItsRange) {
  for (const Law law : kLaws) {
    EXPECT_TRUE(Sampler::make(law, kSmallestScale));
    EXPECT_TRUE(Sampler::make(law, kLargestScale));
    for (const double scale : {0.0, -1.0, 0x1p-41, 0x1.0000000000001p40, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
      const auto refused = Sampler::make(law, scale);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().kind, ErrorKind::usage);
      EXPECT_NE(refused.error().text().find("scale"), std::string::npos);
    }
  }
}

TEST(Sampler, RefusesATuningOutsideItsRange) {
  for (const double reach : {0.4, 17.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(Sampler::make(Law::rounded_laplace, 1, {.route = Route::wide, .reach = reach}));
  }
}

TEST(Sampler, TheSmallestScaleAddsNothing) {
  // P(N != 0) is at most exp(-2^38).
  BitSource bits;
  std::vector<std::int64_t> draws(100'000);
  for (const Law law : kLaws) {
    Sampler::make(law, kSmallestScale).value().fill(draws, bits);
    EXPECT_TRUE(std::all_of(draws.begin(), draws.end(), [](std::int64_t v) { return v == 0; }));
  }
}

TEST(Sampler, TheSameSeedGivesTheSameDraws) {
  for (const Law law : kLaws) {
    const Sampler sampler = Sampler::make(law, 12345.678).value();
    BitSource a = BitSource::with_seed(1), b = BitSource::with_seed(1);
    std::vector<std::int64_t> first(5000), second(5000);
    sampler.fill(first, a);
    sampler.fill(second, b);
    EXPECT_EQ(first, second);
  }
}

TEST(Sampler, FillsNothingWithoutDrawing) {
  BitSource bits = BitSource::with_seed(1), same = BitSource::with_seed(1);
  Sampler::make(Law::rounded_laplace, 1).value().fill({}, bits);
  EXPECT_EQ(bits.next_u64(), same.next_u64());
}

TEST(AddNoise, SaturatesOnlyAtTheEnd) {
  EXPECT_EQ(add_noise(5, -7), -2);
  EXPECT_EQ(add_noise(kValueLimit, 1), kValueLimit);
  EXPECT_EQ(add_noise(kValueLimit, -1), kValueLimit - 1);
  EXPECT_EQ(add_noise(kValueLimit, kNoiseLimit), kValueLimit);
  EXPECT_EQ(add_noise(-kValueLimit, -kNoiseLimit), -kValueLimit);
  EXPECT_EQ(add_noise(std::numeric_limits<std::int64_t>::max(), -1), kValueLimit - 1);
  EXPECT_EQ(add_noise(std::numeric_limits<std::int64_t>::min(), 1), -kValueLimit + 1);
  // Noise at its limit ends at the limit from any value, so limiting the noise first changed nothing.
  EXPECT_EQ(add_noise(-kValueLimit, kNoiseLimit), kValueLimit);
  EXPECT_EQ(add_noise(kValueLimit, -kNoiseLimit), -kValueLimit);
}

}  // namespace
}  // namespace chronoveil::noise
