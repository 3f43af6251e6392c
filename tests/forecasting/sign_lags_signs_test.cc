#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/forecasting/sign_lags/signs.h"
#include "chronoveil/noise/uniform.h"

namespace chronoveil::forecasting {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

// As the header says it, one product after the other.
struct ByHand {
  std::vector<std::int64_t> products, counts;
};
int sign_at(const std::vector<float>& values, std::size_t t, std::size_t season) {
  const float now = values[t], before = values[t - season];
  if (!std::isfinite(now) || !std::isfinite(before)) return 0;
  return now > before ? 1 : now < before ? -1 : 0;
}
ByHand by_hand(const SignLagsConfig& config, const std::vector<std::vector<float>>& all) {
  ByHand made;
  for (const std::int64_t each : config.seasons) {
    const auto season = static_cast<std::size_t>(each);
    for (std::size_t k = 0; k <= static_cast<std::size_t>(config.lags()); ++k) {
      std::int64_t product = 0, count = 0;
      for (const std::vector<float>& values : all) {
        for (std::size_t t = season; t + k < values.size(); ++t) {
          product += sign_at(values, t, season) * sign_at(values, t + k, season);
          ++count;
        }
      }
      made.products.push_back(product);
      made.counts.push_back(count);
    }
  }
  return made;
}

// Walks with ties, gaps and values that are not finite.
std::vector<float> made_up(std::size_t length, BitSource& bits) {
  std::vector<float> values;
  float level = 0;
  for (std::size_t t = 0; t < length; ++t) {
    level += static_cast<float>(noise::uniform_between(-1, 1, bits));
    const std::uint64_t kind = noise::uniform_below(20, bits);
    values.push_back(kind == 0 ? kMissing : kind == 1 ? kInfinite : kind == 2 ? -kInfinite : level);
  }
  return values;
}

SignProducts measured(const SignLagsConfig& config, const std::vector<std::vector<float>>& all) {
  SignProducts products = SignProducts::make(config).value();
  for (const std::vector<float>& values : all) products.add(values);
  return products;
}

const SignLagsConfig kConfig{.forecast = 3, .context = 150, .day = 3, .seasons = {3, 6, 99}};

TEST(SignProducts, AreThoseOfADoubleLoop) {
  BitSource bits = BitSource::with_seed(1);
  std::vector<std::vector<float>> all;
  // Around whole words of 64 signs, and around the seasons.
  for (const std::size_t length : {0, 1, 3, 4, 7, 63, 66, 67, 68, 99, 100, 130, 131, 132, 163, 164, 252, 253, 700})
    all.push_back(made_up(length, bits));
  const ByHand expected = by_hand(kConfig, all);
  const SignProducts products = measured(kConfig, all);
  EXPECT_EQ(products.products(), expected.products);
  EXPECT_EQ(products.counts(), expected.counts);
  EXPECT_LT(*std::min_element(expected.products.begin(), expected.products.end()), 0);
}

TEST(SignProducts, OfOneStepSeasonsAreThoseOfADoubleLoop) {
  BitSource bits = BitSource::with_seed(2);
  const SignLagsConfig config{.forecast = 70, .context = 1, .day = 1, .seasons = {1}};
  const std::vector<std::vector<float>> all = {made_up(65, bits), made_up(500, bits)};
  EXPECT_EQ(measured(config, all).products(), by_hand(config, all).products);
}

TEST(SignProducts, CountAChannelAsASeries) {
  BitSource bits = BitSource::with_seed(3);
  const std::vector<float> one = made_up(200, bits), other = made_up(200, bits);
  PanelSeries both{.key = "both", .start = 0, .length = 200, .values = {}};
  for (std::size_t t = 0; t < 200; ++t) {
    both.values.push_back(one[t]);
    both.values.push_back(other[t]);
  }
  SignProducts joined = SignProducts::make(kConfig).value();
  joined.add(both, 2);
  const SignProducts apart = measured(kConfig, {one, other});
  EXPECT_EQ(joined.products(), apart.products());
  EXPECT_EQ(joined.counts(), apart.counts());
}

TEST(SignProducts, AreTheSameInAnyOrderAndWhenTheyAreMerged) {
  BitSource bits = BitSource::with_seed(4);
  const std::vector<float> a = made_up(300, bits), b = made_up(120, bits), c = made_up(111, bits);
  SignProducts merged = measured(kConfig, {c});
  merged.merge(measured(kConfig, {b, a}));
  EXPECT_EQ(merged.products(), measured(kConfig, {a, b, c}).products());
  EXPECT_EQ(merged.counts(), measured(kConfig, {a, b, c}).counts());
}

TEST(SignProducts, DoNotDependOnUnitsOrOnLevels) {
  BitSource bits = BitSource::with_seed(5);
  const std::vector<float> values = made_up(300, bits);
  std::vector<float> changed = values;
  for (float& value : changed) value = 1024 * value + 512;  // exact
  EXPECT_EQ(measured(kConfig, {changed}).products(), measured(kConfig, {values}).products());
}

TEST(SignProducts, OfConstantAndOfMissingSeriesAreZero) {
  const std::vector<float> constant(300, 7.0F), missing(300, kMissing);
  const SignProducts products = measured(kConfig, {constant, missing});
  for (const std::int64_t product : products.products()) EXPECT_EQ(product, 0);
}

TEST(SignProducts, RefuseAConfigurationThatIsNone) {
  EXPECT_FALSE(SignProducts::make({.forecast = 1, .context = 1, .day = 1, .seasons = {}}));
}

}  // namespace
}  // namespace chronoveil::forecasting
