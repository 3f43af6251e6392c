#include "chronoveil/temporal/value_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "noise/law_checker.h"
#include "noise/statistics.h"

namespace chronoveil::temporal {
namespace {

constexpr int kDraws = 200'000;
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

std::string named(const Error& error) { return error.text().substr(0, error.text().find(':')); }

// Probabilities of `heavy` things of weight e^ε, then of `light` ones.
std::vector<double> two_weights(double epsilon, std::size_t heavy, std::size_t light) {
  const double ratio = std::exp(-epsilon), all = static_cast<double>(heavy) + static_cast<double>(light) * ratio;
  std::vector<double> law(heavy, 1 / all);
  law.resize(heavy + light, ratio / all);
  return law;
}

double two_weights_p_value(double drawn, double stated, std::size_t heavy, std::size_t light) {
  BitSource bits;
  const TwoWeights choice(drawn, static_cast<std::int64_t>(heavy), static_cast<std::int64_t>(light));
  std::vector<std::int64_t> counts(heavy + light);
  for (int i = 0; i < kDraws; ++i) ++counts[static_cast<std::size_t>(choice(bits))];
  return noise::chi_squared_p_value(counts, two_weights(stated, heavy, light));
}

TEST(TwoWeights, EveryThingHasItsProbability) {
  for (const double epsilon : {0x1p-30, 0.1, std::log(2.0), 1.0, 1.5, 3.0, 7.0, 40.0, 1000.0}) {
    EXPECT_GT(two_weights_p_value(epsilon, epsilon, 1, 4), noise::kLevel) << epsilon;
    EXPECT_GT(two_weights_p_value(epsilon, epsilon, 7, 30), noise::kLevel) << epsilon;
  }
}

TEST(TwoWeights, ATwinWithAnotherRatioIsRejected) {
  EXPECT_LT(two_weights_p_value(1.2, 1, 1, 4), noise::kLevel);
  EXPECT_LT(two_weights_p_value(2.8, 3, 7, 30), noise::kLevel);
}

TEST(TwoWeights, ManyLightThingsKeepTheirShareAgainstALargeEpsilon) {
  BitSource bits;
  const double epsilon = 20;
  const std::int64_t light = std::llround(std::exp(epsilon));
  const TwoWeights choice(epsilon, 1, light);
  std::int64_t heavy = 0;
  for (int i = 0; i < kDraws; ++i) heavy += choice(bits) == 0 ? 1 : 0;
  EXPECT_GT(noise::binomial_p_value(heavy, kDraws, 1 / (1 + static_cast<double>(light) * std::exp(-epsilon))),
            noise::kLevel);
  EXPECT_LT(noise::binomial_p_value(heavy, kDraws, 0.52), noise::kLevel);
}

double response_p_value(double drawn, double stated, std::int64_t truth) {
  BitSource bits;
  const auto response = RandomizedResponse::make(drawn, 5).value();
  std::vector<std::int64_t> counts(5);
  for (int i = 0; i < kDraws; ++i) ++counts[static_cast<std::size_t>(response(truth, bits))];
  std::vector<double> law(5, 1 / (std::exp(stated) + 4));
  law[static_cast<std::size_t>(truth)] *= std::exp(stated);
  return noise::chi_squared_p_value(counts, law);
}

TEST(RandomizedResponse, TheTruthAndAllOthersHaveTheirProbabilities) {
  for (const std::int64_t truth : {0, 2, 4}) {
    EXPECT_GT(response_p_value(1.3, 1.3, truth), noise::kLevel);
    EXPECT_LT(response_p_value(1.35, 1.3, truth), noise::kLevel);  // the twin
  }
}

TEST(RandomizedResponse, WhatItCannotDrawIsRefusedByName) {
  for (const double epsilon : {0.0, -1.0, 1e-10, 1025.0, kNotANumber})
    EXPECT_EQ(named(RandomizedResponse::make(epsilon, 3).error()), "epsilon");
  for (const std::int64_t values : {std::int64_t{-1}, std::int64_t{1}, (std::int64_t{1} << 40) + 1})
    EXPECT_EQ(named(RandomizedResponse::make(1, values).error()), "values");
}

// P(cell | position), from the definition.
std::vector<double> piecewise_law(const Piecewise& mechanism, double epsilon, std::int64_t position) {
  std::vector<double> law(static_cast<std::size_t>(mechanism.cells()), 1);
  for (std::int64_t j = 0; j < mechanism.window(); ++j) law[static_cast<std::size_t>(position + j)] = std::exp(epsilon);
  const double sum = std::accumulate(law.begin(), law.end(), 0.0);
  for (double& probability : law) probability /= sum;
  return law;
}

TEST(Piecewise, EveryCellHasItsProbabilityWhateverThePosition) {
  BitSource bits;
  for (const double epsilon : {0.3, 1.0, 4.0}) {
    const auto mechanism = Piecewise::make(epsilon, 8).value();
    for (std::int64_t position = 0; position <= 8; ++position) {
      std::vector<std::int64_t> counts(static_cast<std::size_t>(mechanism.cells()));
      for (int i = 0; i < kDraws / 4; ++i) ++counts[static_cast<std::size_t>(mechanism.cell(position, bits))];
      const auto p_value = [&](std::int64_t where) {
        return noise::chi_squared_p_value(counts, piecewise_law(mechanism, epsilon, where));
      };
      EXPECT_GT(p_value(position), noise::kLevel);
      EXPECT_LT(p_value(position == 8 ? 7 : position + 1), noise::kLevel);  // the twin beside it
    }
  }
}

TEST(Piecewise, NoAnswerIsMoreThanEToTheEpsilonTimesAsLikelyAsUnderAnotherValue) {
  for (const double epsilon : {0.01, 0.3, 1.0, 4.0, 12.0}) {
    const auto mechanism = Piecewise::make(epsilon, 30).value();
    double largest = 0;
    for (std::int64_t a = 0; a <= 30; ++a) {
      for (std::int64_t b = 0; b <= 30; ++b) {
        const auto one = piecewise_law(mechanism, epsilon, a), other = piecewise_law(mechanism, epsilon, b);
        for (std::size_t j = 0; j < one.size(); ++j) largest = std::max(largest, std::log(one[j] / other[j]));
      }
    }
    EXPECT_LE(largest, epsilon * (1 + 1e-12));
    EXPECT_GE(largest, epsilon * (1 - 1e-12));
  }
}

TEST(Piecewise, AnswersAreUnbiasedAndVaryAsThePaperSays) {
  for (const double epsilon : {0.05, 0.5, 1.0, 3.0, 8.0}) {
    const std::int64_t positions = 1 << 16;
    const auto mechanism = Piecewise::make(epsilon, positions).value();
    const double root = std::exp(epsilon / 2);
    EXPECT_NEAR(mechanism.largest() / ((root + 1) / (root - 1)), 1, 1e-3);
    for (const double value : {-1.0, -0.5, 0.0, 0.125, 1.0}) {
      const auto law = piecewise_law(mechanism, epsilon, mechanism.position(value));
      double mean = 0, square = 0;
      for (std::size_t j = 0; j < law.size(); ++j) {
        const double answer = mechanism.answer(static_cast<std::int64_t>(j));
        mean += law[j] * answer;
        square += law[j] * answer * answer;
      }
      EXPECT_NEAR(mean, value, 1e-9 * mechanism.largest());
      const double variance = value * value / (root - 1) + (root + 3) / (3 * (root - 1) * (root - 1));
      EXPECT_NEAR((square - mean * mean) / variance, 1, 1e-3);
    }
  }
}

TEST(Piecewise, OnItsOwnGridTheMeanOfManyAnswersIsTheValue) {
  BitSource bits;
  for (const double epsilon : {0x1p-30, 1.0, 10.0, 44.0}) {
    const auto mechanism = Piecewise::make(epsilon).value();
    const double value = 0.3;
    double sum = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double answer = mechanism(value, bits);
      ASSERT_LE(std::abs(answer), mechanism.largest());
      sum += answer;
    }
    // By Hoeffding's inequality a mean misses its expectation by more with a probability below 2 e^-24 < 1e-10.
    EXPECT_NEAR(sum / kDraws, value, mechanism.largest() * std::sqrt(2 * 24.0 / kDraws));
    EXPECT_LE(std::abs(static_cast<double>(mechanism.position(value)) - 0.65 * 0x1p32), 0.5);
  }
}

TEST(Piecewise, ValuesBeyondTheBoundsCountAsTheBounds) {
  const auto mechanism = Piecewise::make(1).value();
  EXPECT_EQ(mechanism.position(-1), 0);
  EXPECT_EQ(mechanism.position(-1e300), 0);
  EXPECT_EQ(mechanism.position(kNotANumber), 0);
  EXPECT_EQ(mechanism.position(1), Piecewise::kPositions);
  EXPECT_EQ(mechanism.position(std::numeric_limits<double>::infinity()), Piecewise::kPositions);
  EXPECT_EQ(mechanism.answer(mechanism.cells() - 1), -mechanism.answer(0));
}

TEST(Piecewise, AnEpsilonThatTheGridDoesNotBearIsRefusedByName) {
  for (const double epsilon : {0.0, -1.0, 1e-10, 44.1, kNotANumber})
    EXPECT_EQ(named(Piecewise::make(epsilon).error()), "epsilon");
}

TEST(LocalLaplace, TheNoiseIsRoundedLaplaceOfTheRangeOverEpsilon) {
  BitSource bits;
  const auto complaints = [&](double drawn, double stated, double value, double upper) {
    const auto mechanism = LocalLaplace::make(drawn, 0, upper).value();
    const auto steps = static_cast<double>(mechanism.steps());
    const auto fill = [&](std::span<std::int64_t> out) {
      for (std::int64_t& x : out) x = std::llround((mechanism(value, bits) - value) / upper * steps);
    };
    return noise::LawChecker(noise::Law::rounded_laplace, steps / stated).complaints(fill, kDraws);
  };
  EXPECT_EQ(complaints(1, 1, 0.25, 1), "");
  EXPECT_EQ(complaints(8, 8, 64, 64), "");
  EXPECT_EQ(complaints(0x1p20, 0x1p20, 0, 1), "");
  EXPECT_NE(complaints(1.03, 1, 0.25, 1), "");  // the twin
}

TEST(LocalLaplace, ValuesBeyondTheBoundsCountAsTheBounds) {
  const auto mechanism = LocalLaplace::make(2, -3, 5).value();
  const auto drawn = [&](double value) {
    BitSource bits = BitSource::with_seed(11);
    return mechanism(value, bits);
  };
  EXPECT_EQ(drawn(-3), drawn(-1e300));
  EXPECT_EQ(drawn(-3), drawn(kNotANumber));
  EXPECT_EQ(drawn(5), drawn(std::numeric_limits<double>::infinity()));
  EXPECT_NEAR(drawn(5) - drawn(-3), 8, 1e-12);
  EXPECT_NEAR(drawn(1) - drawn(-3), 4, 1e-8);
}

TEST(LocalLaplace, TheGridIsAsFineAsTheNoiseAllows) {
  EXPECT_EQ(LocalLaplace::make(1, 0, 1)->steps(), 1 << 30);
  EXPECT_EQ(LocalLaplace::make(0x1p-10, 0, 1)->steps(), 1 << 30);
  EXPECT_EQ(LocalLaplace::make(0x1p-11, 0, 1)->steps(), 1 << 29);
  EXPECT_EQ(LocalLaplace::make(0x1p-30, 0, 1)->steps(), 1 << 10);
  EXPECT_TRUE(LocalLaplace::make(0x1.fffffffffffffp-12, 0, 1));
  EXPECT_TRUE(LocalLaplace::make(0x1.0000000000001p-11, 0, 1));
  EXPECT_TRUE(LocalLaplace::make(0x1p30, -0x1p900, 0x1p900));
}

TEST(LocalLaplace, WhatItCannotDrawIsRefusedByName) {
  for (const double epsilon : {0.0, -1.0, 1e-10, 0x1p31, kNotANumber})
    EXPECT_EQ(named(LocalLaplace::make(epsilon, 0, 1).error()), "epsilon");
  for (const double lower : {kNotANumber, -1e300, -std::numeric_limits<double>::infinity()})
    EXPECT_EQ(named(LocalLaplace::make(1, lower, 1).error()), "lower");
  for (const double upper : {kNotANumber, 1e300, 0.0, -1.0})
    EXPECT_EQ(named(LocalLaplace::make(1, 0, upper).error()), "upper");
}

}  // namespace
}  // namespace chronoveil::temporal
