#include "chronoveil/post/shrink/shrink.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>

#include "post/shrink_directly.h"

namespace chronoveil::post {
namespace {

constexpr double kHalfWidth = 1.959963984540054;  // of a level of 0.95, in deviations

std::vector<double> with_noise(const std::vector<double>& truth, double sigma, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, sigma);
  std::vector<double> values = truth;
  for (double& value : values) value += noise(random);
  return values;
}

Estimate shrunk(const std::vector<double>& values, std::size_t steps, double sigma, std::int64_t season = 0) {
  return shrink(values, {static_cast<std::int64_t>(steps), sigma, kHalfWidth * sigma, season});
}

std::vector<double> made(std::size_t steps, const std::function<double(double)>& value) {
  std::vector<double> truth;
  for (std::size_t t = 0; t < steps; ++t) truth.push_back(value(static_cast<double>(t)));
  return truth;
}
double wave(double t, double period) { return std::sin(2 * std::numbers::pi * t / period); }

std::vector<double> random_walk(std::size_t steps, double deviation, std::mt19937_64& random) {
  std::normal_distribution<double> step(0, deviation);
  std::vector<double> truth(steps);
  std::partial_sum(truth.begin(), truth.end(), truth.begin(), [&](double last, double) { return last + step(random); });
  return truth;
}

struct Quality {
  double mean_square = 0;  // of the error, over that of the measured values
  double coverage = 0;
  double width = 0;  // over that of a measured value
};
Quality quality(const std::vector<double>& truth, double sigma, std::size_t runs, std::int64_t season = 0) {
  std::mt19937_64 random(17);
  Quality sum;
  const std::size_t steps = truth.size();
  std::vector<double> values;
  for (std::size_t run = 0; run < runs; ++run) {
    const auto one = with_noise(truth, sigma, random);
    values.insert(values.end(), one.begin(), one.end());
  }
  const Estimate e = shrunk(values, steps, sigma, season);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = truth[i % steps], off = (e.value[i] - x) / sigma;
    sum.mean_square += off * off;
    sum.coverage += e.lower[i] <= x && x <= e.upper[i];
    sum.width += (e.upper[i] - e.lower[i]) / (2 * kHalfWidth * sigma);
  }
  const double n = static_cast<double>(values.size());
  return {sum.mean_square / n, sum.coverage / n, sum.width / n};
}

TEST(Shrink, AgreesWithItsFormulasWrittenOut) {
  std::mt19937_64 random(1);
  for (const std::size_t steps : {1, 2, 3, 5, 8, 21, 48, 53, 64})
    for (const std::size_t season : {0, 6}) {
      if (season > steps) continue;
      for (const double sigma : {0.5, 20.0, 300.0}) {
        std::vector<double> truth = made(steps, [](double t) { return 100 + 60 * wave(t, 6) + 40 * (t > 30); });
        const std::vector<double> values = with_noise(truth, sigma, random);
        const Estimate quick = shrunk(values, steps, sigma, static_cast<std::int64_t>(season));
        const direct::Result slow = direct::shrink(values, sigma, kHalfWidth * sigma, season);
        for (std::size_t t = 0; t < steps; ++t) {
          EXPECT_NEAR(quick.value[t], static_cast<double>(slow.value[t]), 1e-9 * (1 + sigma)) << steps << " " << t;
          EXPECT_NEAR(quick.upper[t] - quick.value[t], static_cast<double>(slow.half_width[t]), 1e-9 * (1 + sigma));
          EXPECT_NEAR(quick.value[t] - quick.lower[t], static_cast<double>(slow.half_width[t]), 1e-9 * (1 + sigma));
          EXPECT_EQ(quick.sampled[t], 1);
        }
      }
    }
}

TEST(Shrink, ManySeriesAreShrunkOneByOne) {
  std::mt19937_64 random(2);
  constexpr std::size_t kSteps = 30, kSeries = 70;  // more than two batches
  const std::vector<double> values = with_noise(made(kSteps * kSeries, [](double t) { return t; }), 50, random);
  const Estimate all = shrunk(values, kSteps, 50);
  ASSERT_EQ(all.value.size(), values.size());
  for (std::size_t s = 0; s < kSeries; ++s) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(s * kSteps);
    const Estimate one = shrunk({begin, begin + kSteps}, kSteps, 50);
    for (std::size_t t = 0; t < kSteps; ++t) {
      EXPECT_NEAR(all.value[s * kSteps + t], one.value[t], 1e-9);
      EXPECT_NEAR(all.upper[s * kSteps + t], one.upper[t], 1e-9);
    }
  }
}

TEST(Shrink, OneStepIsTheMeasuredValueWithItsOwnInterval) {
  const Estimate e = shrunk({-7.25}, 1, 3);
  EXPECT_EQ(e.value, std::vector<double>{-7.25});
  EXPECT_NEAR(e.upper[0], -7.25 + 3 * kHalfWidth, 1e-12);
  EXPECT_NEAR(e.lower[0], -7.25 - 3 * kHalfWidth, 1e-12);
}

TEST(Shrink, AConstantStays) {
  for (const std::size_t steps : {1, 2, 3, 10, 101, 744})
    for (const double level : {0.0, -3.5, 1e9}) {
      const Estimate e = shrunk(std::vector<double>(steps, level), steps, 10);
      for (const double value : e.value) EXPECT_NEAR(value, level, 1e-12 * (10 + std::abs(level)));
    }
}

TEST(Shrink, TheMeanIsThatOfTheMeasuredValues) {
  std::mt19937_64 random(3);
  for (const std::size_t steps : {2, 3, 17, 128, 500}) {
    const auto values = with_noise(made(steps, [](double t) { return 50 * (t > 9) + t; }), 20, random);
    const Estimate e = shrunk(values, steps, 20);
    EXPECT_NEAR(std::accumulate(e.value.begin(), e.value.end(), 0.0),
                std::accumulate(values.begin(), values.end(), 0.0), 1e-9 * static_cast<double>(steps));
  }
}

// Bounds stand well off what is measured (over a hundred standard errors for the large series), so that a sound
// shrinker fails them with a probability far below 1e-6 even under another seed.
TEST(Shrink, IsNeverMuchWorseThanTheMeasuredValues) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const double sigma : {1e-3, 1.0, 10.0, 1e3}) {
    const auto check = [&](const char* what, const std::vector<double>& truth, std::size_t runs, double bound) {
      const Quality q = quality(truth, sigma, runs);
      EXPECT_LT(q.mean_square, bound) << what << " " << truth.size() << " " << sigma;
      EXPECT_LE(q.width, 1 + 1e-9) << what;
    };
    check("white", made(400, [&](double) { return 30 * uniform(random); }), 8, 1.1);
    check("steps", made(400, [](double t) { return 30 * std::floor(t / 70); }), 8, 1.1);
    check("spike", made(400, [](double t) { return t == 200 ? 1000 : 0; }), 8, 1.1);
    check("alternating", made(400, [](double t) { return 30 * std::cos(std::numbers::pi * t); }), 8, 1.1);
    check("zero", made(400, [](double) { return 0; }), 8, 1.1);
    check("two", {0, 10}, 4000, 1.35);
    check("three", {0, 10, 0}, 4000, 1.35);
    check("seven", {0, 10, 0, 0, 3, 5, 0}, 2000, 1.35);
  }
}

TEST(Shrink, TakesMostOfTheNoiseOffSmoothSeasonalSteppedAndDriftingSeries) {
  EXPECT_LT(quality(made(744, [](double) { return 20; }), 10, 12).mean_square, 0.03);
  EXPECT_LT(quality(made(744, [](double t) { return 20 * wave(t, 300); }), 10, 12).mean_square, 0.12);
  EXPECT_LT(quality(made(744, [](double t) { return 40 * wave(t, 24); }), 20, 12).mean_square, 0.20);
  EXPECT_LT(quality(made(744, [](double t) { return 300 * (t > 311) - 200 * (t > 555); }), 20, 12).mean_square, 0.12);
  EXPECT_LT(quality(made(744, [](double t) { return t == 311 ? 500 : 0; }), 20, 12).mean_square, 0.12);
  std::mt19937_64 random(5);
  EXPECT_LT(quality(random_walk(744, 2, random), 20, 12).mean_square, 0.20);
}

TEST(Shrink, APublicSeasonHelpsWhereThereIsOne) {
  // A profile of a day with a sharp peak: many harmonics, each below the noise.
  const auto truth = made(744, [](double t) { return 40 * std::exp(-std::pow(std::fmod(t, 24) - 8, 2) / 3); });
  EXPECT_LT(quality(truth, 40, 16, 24).mean_square, 0.7 * quality(truth, 40, 16).mean_square);
}

TEST(Shrink, ATrendCountsRoughnessOfTheSeriesAsNoise) {
  std::mt19937_64 random(8);
  for (const std::size_t steps : {1, 2, 3, 4, 45, 64}) {
    const auto truth = made(steps, [](double t) { return 100 + 50 * wave(t, 40); });
    const auto rough = with_noise(truth, 30, random);  // the series, of which the truth is the trend
    for (const double sigma : {4.0, 4000.0}) {
      const auto values = with_noise(rough, sigma, random);
      direct::Real squares = 0, count = 0;
      for (std::size_t k = steps / 2 + 1; k < steps; ++k) {
        direct::Real c = 0;
        for (std::size_t t = 0; t < steps; ++t) c += values[t] * direct::phi(k, t, steps);
        squares += c * c;
        ++count;
      }
      const double roughness = count == 0 ? 0 : static_cast<double>(std::sqrt(squares / count));
      const double noise = std::max(sigma, roughness);
      const Estimate trend =
          shrink(values, {static_cast<std::int64_t>(steps), sigma, kHalfWidth * sigma, 0, /*trend=*/true});
      const Estimate same = shrunk(values, steps, noise);
      for (std::size_t t = 0; t < steps; ++t) {
        EXPECT_NEAR(trend.value[t], same.value[t], 1e-9 * noise);
        EXPECT_NEAR(trend.upper[t], same.upper[t], 1e-9 * noise);
      }
    }
  }
}

// Average coverage over steps and runs. The bound is two points below the level; see the next test for a checker's
// check.
TEST(Shrink, IntervalsHoldTheTruthAsOftenAsTheySay) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const std::vector<double> truths[] = {
      made(372, [](double t) { return 100 + 50 * wave(t, 300); }),
      made(372, [](double t) { return 100 + 80 * wave(t, 24) + 40 * wave(t, 12); }),
      random_walk(372, 5, random),
      made(372, [](double t) { return 100 * (t > 150); }),
      made(372, [&](double) { return 50 * uniform(random); }),
      made(60, [](double t) { return 50 + t; }),
  };
  for (const auto& truth : truths)
    for (const double sigma : {5.0, 50.0, 400.0}) {
      const Quality q = quality(truth, sigma, 16);
      EXPECT_GT(q.coverage, 0.93) << sigma;
      EXPECT_LE(q.width, 1 + 1e-9);
    }
  EXPECT_LT(quality(truths[0], 100, 16).width, 0.5);
}

TEST(Shrink, TheCoverageTestRejectsIntervalsThatForgetTheBias) {
  // Rough series below the noise are smoothed away. An interval from the posterior variance alone would miss it; its
  // width is at most that of a series which really is constant.
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto rough = made(744, [&](double) { return 50 * uniform(random); });
  const double forgetful = 0.13;  // widths of a constant series, without Stein's term
  const auto values = with_noise(rough, 60, random);
  const Estimate e = shrunk(values, 744, 60);
  double held = 0, held_by_forgetful = 0;
  for (std::size_t t = 0; t < 744; ++t) {
    held += e.lower[t] <= rough[t] && rough[t] <= e.upper[t];
    held_by_forgetful += std::abs(e.value[t] - rough[t]) <= forgetful * kHalfWidth * 60;
  }
  EXPECT_GT(held / 744, 0.93);
  EXPECT_LT(held_by_forgetful / 744, 0.93);
}

}  // namespace
}  // namespace chronoveil::post
