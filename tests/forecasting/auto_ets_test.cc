#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "chronoveil/forecasting/baselines/baselines.h"
#include "chronoveil/forecasting/baselines/ets.h"
#include "chronoveil/forecasting/baselines/nelder_mead.h"
#include "chronoveil/forecasting/panel.h"

namespace chronoveil::forecasting {
namespace {

using Trend = EtsKind::Trend;
using Seasons = EtsKind::Season;
using Numbers = std::vector<float>;

float quantile(const Numbers& quantiles, std::size_t step, std::size_t level) { return quantiles[step * 9 + level]; }
double deviation(const Numbers& quantiles, std::size_t step) {
  return (quantile(quantiles, step, 8) - quantile(quantiles, step, 0)) / (2 * kNormalQuantiles[8]);
}

// As many as there should be, finite, and in order at each step.
void expect_sound(const Forecast& forecast, std::int64_t length) {
  EXPECT_EQ(forecast.length, length);
  EXPECT_EQ(forecast.channels, 1);
  ASSERT_EQ(forecast.quantiles.size(), static_cast<std::size_t>(length) * 9);
  for (const float value : forecast.quantiles) EXPECT_TRUE(std::isfinite(value));
  for (auto step = forecast.quantiles.begin(); step != forecast.quantiles.end(); step += 9)
    EXPECT_TRUE(std::is_sorted(step, step + 9));
}

// Values of the local level model ETS(A,N,N).
Numbers local_level(double alpha, std::size_t size, std::uint64_t seed, double level = 0) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  Numbers values;
  for (std::size_t i = 0; i < size; ++i) {
    const double error = normal(engine);
    values.push_back(static_cast<float>(level + error));
    level += alpha * error;
  }
  return values;
}

Numbers noise_around(const std::function<double(std::size_t)>& mean, std::size_t size, double spread = 1) {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal(0, spread);
  Numbers values;
  for (std::size_t i = 0; i < size; ++i) values.push_back(static_cast<float>(mean(i) + normal(engine)));
  return values;
}

TEST(NelderMead, FindsTheMinimumOfAQuadratic) {
  const auto value = [](const std::vector<double>& x) {
    return 3 + std::pow(x[0] - 1, 2) + 10 * std::pow(x[1] + 2, 2) + 0.5 * std::pow(x[2] - x[0], 2);
  };
  const std::vector<double> found = nelder_mead(value, {5, 5, 5}, 0.5, 1000);
  EXPECT_NEAR(found[0], 1, 1e-3);
  EXPECT_NEAR(found[1], -2, 1e-3);
  EXPECT_NEAR(found[2], 1, 1e-3);
}

TEST(NelderMead, FollowsTheValleyOfRosenbrock) {
  const auto value = [](const std::vector<double>& x) {
    return 100 * std::pow(x[1] - x[0] * x[0], 2) + std::pow(1 - x[0], 2);
  };
  const std::vector<double> found = nelder_mead(value, {-1.2, 1}, 0.5, 2000);
  EXPECT_NEAR(found[0], 1, 1e-3);
  EXPECT_NEAR(found[1], 1, 2e-3);
}

TEST(NelderMead, StaysWhereTheValueIsFiniteAndWithinItsCalls) {
  int calls = 0;
  const auto value = [&](const std::vector<double>& x) {
    ++calls;
    return x[0] <= 0 ? std::numeric_limits<double>::infinity() : x[0] - std::log(x[0]);
  };
  EXPECT_NEAR(nelder_mead(value, {0.1}, 0.7, 200)[0], 1, 1e-3);
  EXPECT_LE(calls, 203);
  calls = 0;
  EXPECT_EQ(nelder_mead(value, {-5}, 0.7, 200)[0], -5);
  EXPECT_EQ(calls, 2);
}

TEST(EtsFilter, ALevelAloneFollowsTheErrors) {
  // Forecasts 1, 1.5, 2.75; errors 1, 2.5, 0.25.
  const EtsFit fit = ets_filter({}, {.alpha = 0.5}, {1, 0, {}}, Numbers{2, 4, 3});
  EXPECT_DOUBLE_EQ(fit.squares, 1 + 6.25 + 0.0625);
  EXPECT_DOUBLE_EQ(fit.deviance, 3 * std::log(7.3125));
  EXPECT_DOUBLE_EQ(fit.end.level, 2.875);
  EXPECT_EQ(fit.end.slope, 0);
  EXPECT_EQ(fit.observed, 3);
}

TEST(EtsFilter, ADampedTrendWithAdditiveSeasonsIsAsByHand) {
  const EtsFit fit =
      ets_filter({false, Trend::damped, Seasons::additive}, {.alpha = 0.5, .beta = 0.25, .gamma = 0.1, .phi = 0.9},
                 {10, 1, {2, -2}}, Numbers{13, 9});
  // First: q = 10.9, error 0.1, level 10.95, slope 0.9 + 0.5 · 0.05, season 2.01. Then q = 10.95 + 0.8325.
  EXPECT_NEAR(fit.squares, 0.1 * 0.1 + 0.7825 * 0.7825, 1e-12);
  EXPECT_NEAR(fit.deviance, 2 * std::log(0.62230625), 1e-12);
  EXPECT_NEAR(fit.end.level, 11.39125, 1e-12);
  EXPECT_NEAR(fit.end.slope, 0.636875, 1e-12);
  ASSERT_EQ(fit.end.season.size(), 2u);
  EXPECT_NEAR(fit.end.season[0], 2.01, 1e-12);
  EXPECT_NEAR(fit.end.season[1], -2.07825, 1e-12);
}

TEST(EtsFilter, MultipliedSeasonsAndErrorsPassOverAMissingValue) {
  const EtsFit fit =
      ets_filter({true, Trend::additive, Seasons::multiplicative}, {.alpha = 0.5, .beta = 0.25, .gamma = 0.1},
                 {10, 2, {2, 0.5}}, Numbers{30, kMissing, 40});
  // First: q = 12, forecast 24, level 12 + 0.5 · 3, slope 2 + 0.5 · 1.5, season 2 + 0.1 · 0.5. The missing value moves
  // the level by the slope. Then q = 19, forecast 19 · 2.05.
  EXPECT_EQ(fit.observed, 2);
  EXPECT_NEAR(fit.squares, 0.0625 + std::pow(1.05 / 38.95, 2), 1e-12);
  EXPECT_NEAR(fit.deviance, 2 * std::log(fit.squares) + 2 * std::log(24 * 38.95), 1e-12);
  EXPECT_NEAR(fit.end.level, 19 + 0.5 * (40 / 2.05 - 19), 1e-12);
  EXPECT_NEAR(fit.end.slope, 2.75 + 0.25 * (40 / 2.05 - 19), 1e-12);
  // The next step is the second of its season.
  ASSERT_EQ(fit.end.season.size(), 2u);
  EXPECT_NEAR(fit.end.season[0], 0.5, 1e-12);
  EXPECT_NEAR(fit.end.season[1], 2.05 + 0.1 * (40.0 / 19 - 2.05), 1e-12);
}

TEST(EtsFilter, NothingObservedAndNothingToDivideByAreInfinitelyUnlikely) {
  EXPECT_TRUE(std::isinf(ets_filter({}, {}, {1, 0, {}}, Numbers{kMissing}).deviance));
  EXPECT_TRUE(std::isinf(ets_filter({true, Trend::none, Seasons::none}, {}, {0, 0, {}}, Numbers{1}).deviance));
}

TEST(EtsKinds, MultiplicationNeedsPositiveValuesAndSeasonsNeedASeason) {
  EXPECT_EQ(ets_kinds(false, false).size(), 3u);
  EXPECT_EQ(ets_kinds(false, true).size(), 6u);
  EXPECT_EQ(ets_kinds(true, false).size(), 6u);
  EXPECT_EQ(ets_kinds(true, true).size(), 15u);
  for (const EtsKind& kind : ets_kinds(true, true))
    EXPECT_TRUE(kind.multiplicative_error || kind.season != Seasons::multiplicative);
}

// What an error of 1 at the first step adds to the mean j steps later, by the filter itself.
double response(const EtsModel& model, std::size_t j) {
  const Numbers still = ets_normal_quantiles(model, static_cast<std::int64_t>(j) + 1);
  EtsModel moved = model;
  moved.state = ets_filter(model.kind, model.parameters, model.state, Numbers{quantile(still, 0, 4) + 1}).end;
  return quantile(ets_normal_quantiles(moved, static_cast<std::int64_t>(j)), j - 1, 4) - quantile(still, j, 4);
}

const EtsModel kDampedSeasonal = {{false, Trend::damped, Seasons::additive},
                                  {.alpha = 0.3, .beta = 0.1, .gamma = 0.4, .phi = 0.9},
                                  {4, 0.5, {1, -2, 1}},
                                  0.25};

TEST(EtsQuantiles, TheClosedFormAddsUpHowEachErrorGoesOn) {
  for (const Trend trend : {Trend::none, Trend::additive, Trend::damped}) {
    for (const bool seasonal : {false, true}) {
      EtsModel model = kDampedSeasonal;
      model.kind = {false, trend, seasonal ? Seasons::additive : Seasons::none};
      if (trend != Trend::damped) model.parameters.phi = 1;
      if (trend == Trend::none) model.state.slope = 0;
      if (!seasonal) model.state.season.clear();
      const Numbers quantiles = ets_normal_quantiles(model, 8);
      double sum = 1;
      for (std::size_t h = 0; h < 8; ++h) {
        EXPECT_NEAR(deviation(quantiles, h), std::sqrt(0.25 * sum), 2e-5) << h;
        sum += std::pow(response(model, h + 1), 2);
      }
    }
  }
}

// Whether quantiles of 2000 paths may be those of a law: none further away than 0.22 deviations, 5.7 standard errors of
// the outer ones, which of 72 happens once in a million times.
bool agree(const Numbers& drawn, const Numbers& law) {
  for (std::size_t i = 0; i < law.size(); ++i)
    if (std::abs(drawn[i] - law[i]) > 0.22 * deviation(law, i / 9)) return false;
  return true;
}

TEST(EtsQuantiles, DrawnPathsHaveTheLawOfTheClosedForm) {
  const Numbers drawn = ets_drawn_quantiles(kDampedSeasonal, 8);
  EXPECT_TRUE(agree(drawn, ets_normal_quantiles(kDampedSeasonal, 8)));
  // And not that of models that forget a part.
  for (const auto part : {&EtsParameters::alpha, &EtsParameters::beta, &EtsParameters::gamma}) {
    EtsModel other = kDampedSeasonal;
    other.parameters.*part = 1e-4;
    EXPECT_FALSE(agree(drawn, ets_normal_quantiles(other, 8)));
  }
}

TEST(EtsQuantiles, MultipliedErrorsAreAsWideAsWhatIsExpected) {
  const EtsModel model = {
      {true, Trend::none, Seasons::multiplicative}, {.alpha = 1e-4, .gamma = 1e-4}, {10, 0, {0.5, 1.5}}, 0.01};
  const Numbers quantiles = ets_drawn_quantiles(model, 2);
  EXPECT_NEAR(quantile(quantiles, 0, 4), 5, 0.22 * 0.5);
  EXPECT_NEAR(quantile(quantiles, 1, 4), 15, 0.22 * 1.5);
  EXPECT_NEAR(deviation(quantiles, 0), 0.5, 0.1);
  EXPECT_NEAR(deviation(quantiles, 1), 1.5, 0.3);
}

TEST(EtsQuantiles, PathsThatExplodeStayFinite) {
  const EtsModel wild = {{true, Trend::additive, Seasons::multiplicative},
                         {.alpha = 0.9, .beta = 0.8, .gamma = 0.1},
                         {1e30, 1e30, {1e-5, 2}},
                         100};
  for (const float value : ets_drawn_quantiles(wild, 200)) ASSERT_TRUE(std::isfinite(value));
}

TEST(ChosenEts, FindsTheWeightOfALocalLevel) {
  for (const double alpha : {0.1, 0.3, 0.8}) {
    const EtsModel model = chosen_ets(local_level(alpha, 1500, 3), 1);
    EXPECT_NEAR(model.parameters.alpha, alpha, 0.1);
    EXPECT_NEAR(model.variance, 1, 0.2);
    EXPECT_EQ(model.kind.season, Seasons::none);
  }
}

TEST(ChosenEts, HasSeasonsWhereThereAreAndNoneInNoise) {
  const auto wave = [](std::size_t i) { return std::sin(static_cast<double>(i) * M_PI / 3); };
  EXPECT_EQ(chosen_ets(noise_around([&](std::size_t i) { return 4 * wave(i); }, 120), 6).kind.season,
            Seasons::additive);
  EXPECT_EQ(chosen_ets(noise_around([](std::size_t) { return 20; }, 120), 6).kind.season, Seasons::none);
  const auto growing = [&](std::size_t i) { return (10 + static_cast<double>(i)) * (2 + wave(i)); };
  const EtsModel grown = chosen_ets(noise_around(growing, 120, 0.3), 6);
  EXPECT_EQ(grown.kind.season, Seasons::multiplicative);
  EXPECT_EQ(grown.kind.trend, Trend::additive);
  EXPECT_EQ(grown.state.season.size(), 6u);
}

TEST(AutoEts, ContinuesALineAndASeason) {
  const auto mean = [](std::size_t i) { return 0.5 * static_cast<double>(i) + 10 * (i % 4 == 1); };
  const Forecast forecast = auto_ets(noise_around(mean, 100, 0.1), 4, 8).value();
  expect_sound(forecast, 8);
  for (std::size_t h = 0; h < 8; ++h) {
    EXPECT_NEAR(quantile(forecast.quantiles, h, 4), mean(100 + h), 0.5) << h;
    EXPECT_LT(deviation(forecast.quantiles, h), 0.5);
    EXPECT_GT(deviation(forecast.quantiles, h), 0.05);
  }
}

TEST(AutoEts, WhatNeverChangesIsForecastForCertain) {
  for (const float only : {0.f, 7.f, -3.f}) {
    for (const std::size_t size : {1u, 2u, 50u}) {
      const Forecast forecast = auto_ets(Numbers(size, only), 4, 3).value();
      EXPECT_EQ(forecast.quantiles, Numbers(27, only));
    }
  }
  EXPECT_EQ(auto_ets(Numbers{kMissing, 6, kMissing}, 24, 1).value().quantiles, Numbers(9, 6));
  // Nor does what was observed before a gap as long as all that is read.
  Numbers gap(2500, kMissing);
  gap[3] = 1;
  gap[4] = 2;
  EXPECT_EQ(auto_ets(gap, 24, 1).value().quantiles, Numbers(9, 2));
}

TEST(AutoEts, AFewValuesAreEnough) {
  const Numbers values = {3, 1, 4, 1, 5, 9};
  for (std::size_t size = 1; size <= values.size(); ++size) {
    for (const std::int64_t season : {1, 2, 24}) {
      SCOPED_TRACE(size);
      const auto forecast = auto_ets(std::span(values).first(size), season, 30);
      ASSERT_TRUE(forecast);
      expect_sound(*forecast, 30);
    }
  }
}

TEST(AutoEts, ForecastsNegativeGappyHugeAndTinyValues) {
  Numbers negative = noise_around([](std::size_t i) { return -50 - 5.0 * (i % 3 == 0); }, 60);
  const Forecast below = auto_ets(negative, 3, 7).value();
  expect_sound(below, 7);
  EXPECT_LT(quantile(below.quantiles, 6, 8), -40);
  for (std::size_t i = 0; i < negative.size(); i += 4) negative[i] = kMissing;
  expect_sound(auto_ets(negative, 3, 7).value(), 7);
  for (const float size : {1e-30f, 1e37f}) {
    Numbers scaled;
    for (const float value : local_level(0.5, 60, 4, 5)) scaled.push_back(size * value);
    expect_sound(auto_ets(scaled, 4, 7).value(), 7);
  }
  Numbers apart;
  for (int i = 0; i < 60; ++i) apart.push_back(i % 7 == 0 ? 1e37f : 1e-37f);
  expect_sound(auto_ets(apart, 6, 50).value(), 50);
}

TEST(AutoEts, ASeasonLongerThanTheSeriesIsNone) {
  const Numbers values = local_level(0.5, 40, 9, 10);
  EXPECT_EQ(auto_ets(values, 100, 5).value().quantiles, auto_ets(values, 1, 5).value().quantiles);
}

TEST(AutoEts, ReadsTheLastTwoThousandStepsAlone) {
  Numbers values = local_level(0.5, 2100, 9);
  const Numbers quantiles = auto_ets(values, 1, 3).value().quantiles;
  for (std::size_t i = 0; i < 100; ++i) values[i] += 1000;
  EXPECT_EQ(auto_ets(values, 1, 3).value().quantiles, quantiles);
  values[100] += 1000;
  EXPECT_NE(auto_ets(values, 1, 3).value().quantiles, quantiles);
}

TEST(AutoEts, RefusesWhatItCannotForecast) {
  const Numbers values = {1, 2};
  EXPECT_EQ(auto_ets(values, 0, 1).error().kind, ErrorKind::usage);
  EXPECT_EQ(auto_ets(values, 1, 0).error().kind, ErrorKind::usage);
  EXPECT_EQ(auto_ets({}, 1, 1).error().kind, ErrorKind::bad_data);
  EXPECT_EQ(auto_ets(Numbers{kMissing, kMissing}, 1, 1).error().kind, ErrorKind::bad_data);
}

TEST(AutoEts, FourFifthsOfWhatComesLieBetweenTheOuterQuantiles) {
  // The third step of 400 independent series, by how far it is from the median in units of the outer quantiles.
  std::vector<double> distances;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Numbers values = local_level(0.4, 63, seed);
    const Numbers quantiles = auto_ets(std::span(values).first(60), 1, 3).value().quantiles;
    const float middle = quantile(quantiles, 2, 4);
    const float outer = quantile(quantiles, 2, values[62] < middle ? 0 : 8);
    distances.push_back((values[62] - middle) / (outer - middle));
  }
  const auto within = [&](double factor) {
    return static_cast<double>(
               std::count_if(distances.begin(), distances.end(), [&](double distance) { return distance <= factor; })) /
           static_cast<double>(distances.size());
  };
  // Five standard errors of 0.02 either way; quantiles half or twice as far apart are told from the right ones.
  EXPECT_NEAR(within(1), 0.8, 0.1);
  EXPECT_LT(within(0.5), 0.7);
  EXPECT_GT(within(2), 0.9);
}

}  // namespace
}  // namespace chronoveil::forecasting
