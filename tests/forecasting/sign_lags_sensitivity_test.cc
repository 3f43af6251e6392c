#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "chronoveil/forecasting/sign_lags/sensitivity.h"
#include "chronoveil/forecasting/sign_lags/signs.h"
#include "support/thoroughness.h"

namespace chronoveil::forecasting {
namespace {

using Values = std::vector<float>;
using Bound = std::function<double(const SignLagsConfig&, std::int64_t)>;  // of the squared change

double right(const SignLagsConfig& config, std::int64_t changed) {
  return static_cast<double>(squared_sensitivity(config, changed).value());
}

std::vector<std::int64_t> products_of(const SignLagsConfig& config, const std::vector<Values>& all) {
  SignProducts products = SignProducts::make(config).value();
  for (const Values& values : all) products.add(values);
  return products.products();
}

double squared_distance(const std::vector<std::int64_t>& one, const std::vector<std::int64_t>& other) {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) sum += static_cast<double>((one[i] - other[i]) * (one[i] - other[i]));
  return sum;
}

// The largest squared change over what the bound allows, over all pairs of data sets that differ in exactly `changed`
// values: series of these lengths, every value one of the alphabet.
double largest_ratio(const SignLagsConfig& config, const std::vector<std::size_t>& lengths, const Values& alphabet,
                     std::int64_t changed, const Bound& bound) {
  std::size_t places = 0, sets = 1;
  for (const std::size_t length : lengths) places += length;
  std::vector<std::size_t> unit(places);  // what a place counts for in the number of a data set
  for (std::size_t& each : unit) {
    each = sets;
    sets *= alphabet.size();
  }
  std::vector<std::vector<std::int64_t>> measured;
  for (std::size_t set = 0; set < sets; ++set) {
    std::vector<Values> all;
    std::size_t place = 0;
    for (const std::size_t length : lengths) {
      Values values;
      for (std::size_t t = 0; t < length; ++t) values.push_back(alphabet[set / unit[place++] % alphabet.size()]);
      all.push_back(std::move(values));
    }
    measured.push_back(products_of(config, all));
  }
  double largest = 0;
  const std::function<void(std::size_t, std::size_t, std::size_t, std::int64_t)> change =
      [&](std::size_t from, std::size_t to, std::size_t first, std::int64_t left) {
        if (left == 0) {
          largest = std::max(largest, squared_distance(measured[from], measured[to]) / bound(config, changed));
          return;
        }
        for (std::size_t place = first; place < places; ++place) {
          const std::size_t now = to / unit[place] % alphabet.size();
          for (std::size_t other = 0; other < alphabet.size(); ++other)
            if (other != now) change(from, to - now * unit[place] + other * unit[place], place + 1, left - 1);
        }
      };
  for (std::size_t set = 0; set < sets; ++set) change(set, set, 0, changed);
  return largest;
}

// Blocks of a season, in turns 0 and 1: signs turn around after every season and are symmetric about the middle of each
// block, which is the worst case for a change there. Odd seasons have a middle.
Values turning(std::int64_t season, std::size_t length) {
  Values values;
  for (std::size_t t = 0; t < length; ++t)
    values.push_back(t / static_cast<std::size_t>(season) % 2 == 0 ? 0.0F : 1.0F);
  return values;
}
constexpr std::int64_t kSeason = 25;
std::size_t middle(std::size_t block) { return block * kSeason + kSeason / 2; }
const std::vector<std::size_t> kFarApart = {middle(48), middle(96), middle(144), middle(192)};
// The squared change over the bound when the values at `places` move from one side of both neighbours to the other.
double ratio_of_turning(const SignLagsConfig& config, const std::vector<std::size_t>& places, const Bound& bound) {
  const Values before = turning(kSeason, middle(240));
  Values after = before;
  for (const std::size_t place : places) after[place] = before[place] == 0 ? 2.0F : -1.0F;
  return squared_distance(products_of(config, {before}), products_of(config, {after})) /
         bound(config, std::ssize(places));
}

SignLagsConfig small(std::int64_t forecast, std::int64_t context, std::vector<std::int64_t> seasons) {
  return {.forecast = forecast, .context = context, .day = 1, .seasons = std::move(seasons)};
}
const Values kAlphabet = {0, 1, 2, kMissing};

TEST(SignLagsSensitivity, IsTheFormulaExactly) {
  const SignLagsConfig config = small(24, 336, {24, 168, 336});
  EXPECT_EQ(squared_sensitivity(config, 1).value(), 3 * 4 * (1 + 16 * 360));
  EXPECT_EQ(squared_sensitivity(config, 8).value(), 3 * 4 * 64 * (1 + 16 * 360));
}

TEST(SignLagsSensitivity, IsRoundedUp) {
  for (const std::int64_t changed : {1, 2, 3, 7, 1000, 5'000'001}) {
    for (const std::int64_t context : {1, 2, 60, 336}) {
      const SignLagsConfig config = small(1, context, {1});
      const auto square = static_cast<long double>(squared_sensitivity(config, changed).value());
      const long double up = sensitivity(config, changed).value();
      EXPECT_GE(up * up, square);
      const long double below = std::nextafter(sensitivity(config, changed).value(), 0.0);
      EXPECT_LT(below * below, square * (1 + 1e-15L)) << "and no further than it must";
    }
  }
}

TEST(SignLagsSensitivity, RefusesWhatNoNoiseCouldCover) {
  const SignLagsConfig config = small(24, 336, {24});
  EXPECT_EQ(squared_sensitivity(config, 0).error().parameter, "protected_values");
  EXPECT_EQ(squared_sensitivity(config, std::int64_t{1} << 40).error().parameter, "protected_values");
  EXPECT_EQ(squared_sensitivity(config, std::int64_t{1} << 24).error().kind, ErrorKind::usage);
  EXPECT_TRUE(squared_sensitivity(config, 1'000'000));
}

TEST(SignLagsSensitivity, HoldsForAllShortSeriesWithOneValueChanged) {
  for (const SignLagsConfig& config : {small(1, 2, {1}), small(2, 4, {1}), small(1, 1, {2}), small(2, 3, {2, 3})}) {
    const double ratio = largest_ratio(config, {kSanitized ? 5U : 7U}, kAlphabet, 1, right);
    EXPECT_LE(ratio, 1);
    EXPECT_GT(ratio, 0.05);
  }
}

TEST(SignLagsSensitivity, HoldsForAllShortSeriesWithSeveralValuesChanged) {
  for (const std::int64_t changed : {2, 3, 5}) {
    EXPECT_LE(largest_ratio(small(1, 2, {1}), {5}, kAlphabet, changed, right), 1);
    EXPECT_LE(largest_ratio(small(1, 2, {1, 2}), {5}, kAlphabet, changed, right), 1);
  }
}

TEST(SignLagsSensitivity, HoldsForValuesSpreadOverSeries) {
  for (const std::int64_t changed : {1, 2, 3}) {
    EXPECT_LE(largest_ratio(small(1, 2, {1}), {3, 4}, {0, 1, kMissing}, changed, right), 1);
    EXPECT_LE(largest_ratio(small(1, 1, {1}), {1, 2, 3}, {0, 1, kMissing}, changed, right), 1);
  }
}

TEST(SignLagsSensitivity, IsReachedWithinOnePercentByTheWorstCase) {
  const double ratio = std::sqrt(ratio_of_turning(small(24, 336, {kSeason}), {middle(48)}, right));
  EXPECT_LE(ratio, 1);
  EXPECT_GT(ratio, 0.99);
  // Both seasons turn at once if one is an odd number of times the other.
  const double both = std::sqrt(ratio_of_turning(small(24, 336, {kSeason, 7 * kSeason}), {middle(48)}, right));
  EXPECT_LE(both, 1);
  EXPECT_GT(both, 0.97);
}

TEST(SignLagsSensitivity, GrowsAsFastAsTheNumberOfValuesThatLieFarApart) {
  const double ratio = std::sqrt(ratio_of_turning(small(24, 336, {kSeason}), kFarApart, right));
  EXPECT_LE(ratio, 1);
  EXPECT_GT(ratio, 0.99);
}

// The checks above must catch a constant that is too small.
TEST(SignLagsSensitivity, BrokenTwinsAreCaught) {
  const SignLagsConfig config = small(24, 336, {kSeason});
  const auto twin = [](double of_zero, double of_lag) -> Bound {
    return [=](const SignLagsConfig& each, std::int64_t w) {
      return static_cast<double>(w * w * std::ssize(each.seasons)) *
             (of_zero + of_lag * static_cast<double>(each.lags()));
    };
  };
  // A sign in one product instead of two; a product that changes by 1; a value in one sign instead of two.
  for (const double of_lag : {16.0, 32.0, 60.0}) {
    EXPECT_GT(ratio_of_turning(config, {middle(48)}, twin(4, of_lag)), 1) << of_lag;
  }
  EXPECT_GT(largest_ratio(small(1, 2, {1}), {6}, kAlphabet, 1, twin(4, 16)), 1);
  // w instead of w².
  const Bound too_slow = [](const SignLagsConfig& each, std::int64_t w) {
    return right(each, 1) * static_cast<double>(w);
  };
  EXPECT_GT(ratio_of_turning(config, kFarApart, too_slow), 1);
  // Seasons that share one sensitivity.
  const Bound one_season = [](const SignLagsConfig& each, std::int64_t w) {
    return right(each, w) / static_cast<double>(std::ssize(each.seasons));
  };
  EXPECT_GT(ratio_of_turning(small(24, 336, {kSeason, 7 * kSeason}), {middle(48)}, one_season), 1);
}

}  // namespace
}  // namespace chronoveil::forecasting
