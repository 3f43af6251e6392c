#include "chronoveil/post/resample.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chronoveil/post/intervals.h"

namespace chronoveil::post {
namespace {

constexpr Interpolation kAll[] = {Interpolation::linear, Interpolation::nearest, Interpolation::pchip,
                                  Interpolation::smooth};
const std::vector<std::int64_t> kSteps{2, 4, 9, 15};
const std::vector<double> kValues{10, 14, 2, 30};

Estimate resampled(Interpolation how, const std::vector<std::int64_t>& steps, const std::vector<double>& values) {
  return resample({20, steps, values}, {how, 2, 0.9, 0, 1000});
}

TEST(Resample, NoSampleIsZeroAndAnythingIsPossible) {
  for (const auto how : kAll) {
    const Estimate e = resampled(how, {}, {});
    EXPECT_EQ(e.value, std::vector<double>(20, 0.0));
    EXPECT_EQ(e.lower, std::vector<double>(20, 0.0));
    EXPECT_EQ(e.upper, std::vector<double>(20, 1000.0));
    EXPECT_EQ(e.sampled, std::vector<std::uint8_t>(20, 0));
  }
}

TEST(Resample, OneSampleSaysNothingAboutOtherSteps) {
  for (const auto how : kAll)
    for (const double value : {500.0, -3.0, 1001.0}) {
      const Estimate e = resampled(how, {7}, {value});
      const double half_width = 2 * normal_half_width(0.9);
      for (std::size_t t = 0; t < 20; ++t) {
        EXPECT_EQ(e.value[t], value);
        EXPECT_EQ(e.lower[t], t == 7 ? value - half_width : std::min(0.0, value));
        EXPECT_EQ(e.upper[t], t == 7 ? value + half_width : std::max(1000.0, value));
        EXPECT_EQ(e.sampled[t], t == 7);
      }
    }
}

TEST(Resample, AMeasuredStepHasItsValueAndTheIntervalOfItsNoise) {
  for (const auto how : {Interpolation::linear, Interpolation::nearest, Interpolation::pchip}) {
    const Estimate e = resampled(how, kSteps, kValues);
    for (std::size_t k = 0; k < kSteps.size(); ++k) {
      const auto t = static_cast<std::size_t>(kSteps[k]);
      EXPECT_EQ(e.value[t], kValues[k]);
      EXPECT_NEAR(e.upper[t] - e.value[t], 2 * normal_half_width(0.9), 1e-12);
      EXPECT_NEAR(e.value[t] - e.lower[t], 2 * normal_half_width(0.9), 1e-12);
      EXPECT_EQ(e.sampled[t], 1);
    }
  }
}

TEST(Resample, IntervalsHoldTheirValuesAndWidenOutward) {
  for (const auto how : kAll) {
    const Estimate e = resampled(how, kSteps, kValues);
    for (std::size_t t = 0; t < 20; ++t) {
      EXPECT_LT(e.lower[t], e.value[t]);
      EXPECT_GT(e.upper[t], e.value[t]);
    }
    const auto width = [&](std::size_t t) { return e.upper[t] - e.lower[t]; };
    for (std::size_t t = 15; t + 1 < 20; ++t) EXPECT_LT(width(t), width(t + 1));
    for (std::size_t t = 0; t < 2; ++t) EXPECT_GT(width(t), width(t + 1));
  }
}

TEST(Resample, TheIntervalOfPchipHoldsThatOfLinear) {
  const Estimate straight = resampled(Interpolation::linear, kSteps, kValues);
  const Estimate bent = resampled(Interpolation::pchip, kSteps, kValues);
  for (std::size_t t = 0; t < 20; ++t) {
    EXPECT_LE(bent.lower[t], straight.lower[t] + 1e-12);
    EXPECT_GE(bent.upper[t], straight.upper[t] - 1e-12);
  }
}

}  // namespace
}  // namespace chronoveil::post
