// The causal filter against dense conditioning, at its edges, and that its intervals hold what they say.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "causal_directly.h"
#include "chronoveil/post/causal/filter.h"

namespace chronoveil::post {
namespace {

using Values = std::vector<std::optional<double>>;

std::vector<CausalValue> run(CausalFilter& filter, const Values& values) {
  std::vector<CausalValue> out;
  for (const std::optional<double>& value : values) out.push_back(value ? filter.update(*value) : filter.predict());
  return out;
}

std::vector<CausalValue> run(const CausalSpec& spec, const Values& values) {
  CausalFilter filter(spec);
  return run(filter, values);
}

// Random walks, slopes, seasons, jumps and gaps one after the other, so that every model has its turn.
Values eventful(std::mt19937_64& random, double level, double noise, std::int64_t length, double missing) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Values values;
  double slope = 0;
  for (std::int64_t t = 0; t < length; ++t) {
    const std::int64_t part = 5 * t / length;
    if (part == 1) level += 0.3 * noise * normal(random);
    if (part == 2) level += slope += 0.1 * noise * normal(random);
    if (part == 3 && t % 17 == 0) level += 40 * noise * normal(random);
    if (part == 4) level *= 1 + 0.05 * normal(random);
    const double season = part == 0 ? 2 * noise * std::sin(2 * std::numbers::pi * static_cast<double>(t) / 12) : 0;
    const double value = level + season + noise * normal(random);
    values.push_back(uniform(random) < missing ? std::nullopt : std::optional(value));
  }
  return values;
}

void expect_equal(const CausalSpec& spec, const Values& values) {
  const std::vector<CausalValue> ours = run(spec, values), truth = causal_directly(spec, values);
  ASSERT_EQ(ours.size(), truth.size());
  const double deviation = std::sqrt(spec.noise_variance);
  for (std::size_t t = 0; t < truth.size(); ++t) {
    EXPECT_NEAR(ours[t].mean, truth[t].mean, 1e-9 * (deviation + std::abs(truth[t].mean))) << t;
    if (std::isinf(truth[t].variance))
      EXPECT_TRUE(std::isinf(ours[t].variance)) << t;
    else
      EXPECT_NEAR(ours[t].variance, truth[t].variance, 1e-9 * truth[t].variance) << t;
  }
}

TEST(CausalFilter, EqualsDenseConditioning) {
  std::mt19937_64 random(1);
  expect_equal({.noise_variance = 100}, eventful(random, 1000, 10, 200, 0));
}

TEST(CausalFilter, EqualsDenseConditioningWithMissingSteps) {
  std::mt19937_64 random(2);
  expect_equal({.noise_variance = 4}, eventful(random, 30, 2, 150, 0.3));
  expect_equal({.noise_variance = 1e6}, eventful(random, 3, 1000, 60, 0.8));
}

TEST(CausalFilter, EqualsDenseConditioningNearNothing) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Values values(100);
  for (auto& value : values) value = 5 + 1000 * normal(random);
  expect_equal({.noise_variance = 1e6}, values);
}

TEST(CausalFilter, EqualsDenseConditioningWithASeason) {
  std::mt19937_64 random(4);
  for (const std::int64_t season : {2, 3, 7, 12, 52})
    expect_equal({.noise_variance = 9, .season = season}, eventful(random, 100, 3, 90, season == 7 ? 0.3 : 0));
}

TEST(CausalFilter, TheSeasonCountsStepsBeforeTheFirstValue) {
  std::mt19937_64 random(5);
  Values values = eventful(random, 100, 3, 60, 0);
  values.insert(values.begin(), 5, std::nullopt);
  expect_equal({.noise_variance = 9, .season = 12}, values);
}

TEST(CausalFilter, BeforeTheFirstValueNothingIsKnown) {
  CausalFilter filter({.noise_variance = 4, .season = 7});
  for (int i = 0; i < 3; ++i) {
    const CausalValue value = filter.predict();
    EXPECT_EQ(value.mean, 0);
    EXPECT_TRUE(std::isinf(value.variance));
  }
}

TEST(CausalFilter, TheFirstValueIsItselfWithItsNoise) {
  for (const std::int64_t season : {0, 12}) {
    CausalFilter filter({.noise_variance = 4, .season = season});
    const CausalValue value = filter.update(-17.5);
    EXPECT_EQ(value.mean, -17.5);
    EXPECT_EQ(value.variance, 4);
  }
}

TEST(CausalFilter, ASeasonBelowTwoIsNone) {
  std::mt19937_64 random(6);
  const Values values = eventful(random, 1000, 10, 80, 0.1);
  const std::vector<CausalValue> none = run({.noise_variance = 100}, values);
  for (const std::int64_t season : {-3, 1}) {
    const std::vector<CausalValue> one = run({.noise_variance = 100, .season = season}, values);
    for (std::size_t t = 0; t < values.size(); ++t) EXPECT_EQ(one[t].mean, none[t].mean);
  }
}

TEST(CausalFilter, StepsWithoutAValueWidenTheVariance) {
  std::mt19937_64 random(7);
  CausalFilter filter({.noise_variance = 100});
  run(filter, eventful(random, 1000, 10, 100, 0));
  double before = 0;
  for (int i = 0; i < 200; ++i) {
    const CausalValue value = filter.predict();
    EXPECT_GT(value.variance, before);
    before = value.variance;
  }
}

TEST(CausalFilter, AStillSeriesIsAveraged) {
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  CausalFilter filter({.noise_variance = 1});
  CausalValue value;
  for (int t = 0; t < 10000; ++t) value = filter.update(100 + normal(random));
  EXPECT_LT(value.variance, 0.01);
  EXPECT_NEAR(value.mean, 100, 6 * std::sqrt(value.variance));
}

// Noise of deviation 1 cannot move a value by a thousand; so the series did, however long it stood still.
TEST(CausalFilter, AJumpIsFollowedAtOnce) {
  for (const double height : {1e3, 1e6, 1e9, 1e15}) {
    CausalFilter filter({.noise_variance = 1});
    for (int t = 0; t < 10000; ++t) filter.update(50);
    const CausalValue value = filter.update(height);
    EXPECT_NEAR(value.mean, height, 0.2);
    EXPECT_NEAR(value.variance, 1, 0.1);
  }
}

TEST(CausalFilter, ExtremesOfScaleGiveFiniteValues) {
  for (const double noise : {1e-12, 1.0, 1e24})
    for (const std::int64_t season : {0, 24}) {
      CausalFilter filter({.noise_variance = noise, .season = season});
      std::mt19937_64 random(9);
      for (int t = 0; t < 500; ++t) {
        const double value = t % 3 == 0 ? 1e15 : static_cast<double>(random() % 7) * (t % 2 == 0 ? 1 : -1e14);
        const CausalValue out = t % 11 == 10 ? filter.predict() : filter.update(value);
        ASSERT_TRUE(std::isfinite(out.mean));
        ASSERT_TRUE(std::isfinite(out.variance));
        ASSERT_GT(out.variance, 0);
      }
    }
}

TEST(CausalFilter, ALoadedFilterContinuesBitByBit) {
  std::mt19937_64 random(10);
  for (const std::int64_t season : {0, 2, 7, 288})
    for (const std::size_t cut : {0, 1, 2, 100}) {
      const CausalSpec spec{.noise_variance = 100, .season = season};
      const Values all = eventful(random, 1000, 10, 160, 0.2);
      CausalFilter first(spec), second(spec);
      run(first, Values(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(cut)));
      StateWriter writer;
      first.save(writer);
      const std::vector<std::uint64_t> words = std::move(writer).take();
      StateReader reader(words);
      second.update(12345);  // what it was before must not matter
      second.load(reader);
      EXPECT_TRUE(reader.complete());
      const Values rest(all.begin() + static_cast<std::ptrdiff_t>(cut), all.end());
      const std::vector<CausalValue> a = run(first, rest), b = run(second, rest);
      for (std::size_t t = 0; t < rest.size(); ++t) {
        EXPECT_EQ(a[t].mean, b[t].mean);
        EXPECT_EQ(a[t].variance, b[t].variance);
      }
    }
}

}  // namespace
}  // namespace chronoveil::post
