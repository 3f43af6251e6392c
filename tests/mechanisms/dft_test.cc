#include "chronoveil/mechanisms/series/dft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "neighbours.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {
namespace {

Request dft_request(std::int64_t series, std::int64_t steps, std::int64_t frequencies, double delta = 1e-6) {
  Request request = request_for(steps, 0.8, delta);
  request.shape.series = series;
  request.parameters["coefficients"] = frequencies;
  return request;
}

SeriesPlan dft_plan(std::int64_t series, std::int64_t steps, std::int64_t frequencies, double delta = 1e-6) {
  return value_of(dft().prepare(dft_request(series, steps, frequencies, delta)));
}

Counts ragged(std::size_t n) {
  Counts counts(n);
  for (std::size_t i = 0; i < n; ++i) counts[i] = static_cast<std::int64_t>((i * i * 7919 + 13 * i) % 1000);
  return counts;
}

// The basis by its definition: entry (coefficient, step).
std::vector<std::vector<long double>> basis(std::int64_t T, std::int64_t frequencies) {
  std::vector<std::vector<long double>> rows;
  const long double pi = std::numbers::pi_v<long double>;
  for (std::int64_t j = 0; j < frequencies; ++j) {
    const bool single = j == 0 || 2 * j == T;
    const long double norm = sqrtl((single ? 1.0L : 2.0L) / static_cast<long double>(T));
    std::vector<long double> cosine, sine;
    for (std::int64_t t = 0; t < T; ++t) {
      const long double angle =
          2 * pi * static_cast<long double>(j) * static_cast<long double>(t) / static_cast<long double>(T);
      cosine.push_back(norm * cosl(angle));
      sine.push_back(norm * sinl(angle));
    }
    rows.push_back(cosine);
    if (!single) rows.push_back(sine);
  }
  return rows;
}

TEST(Dft, EqualsADirectComputationWithReplayedNoise) {
  for (const auto& [series, steps, frequencies] : std::vector<std::array<std::int64_t, 3>>{
           {1, 1, 1}, {1, 2, 1}, {1, 2, 2}, {2, 3, 2}, {3, 8, 5}, {1, 9, 5}, {2, 100, 30}, {1, 365, 12}}) {
    SCOPED_TRACE(std::to_string(steps) + " steps, " + std::to_string(frequencies) + " frequencies");
    const SeriesPlan plan = dft_plan(series, steps, frequencies);
    const Counts counts = ragged(cells(plan));
    const auto B = basis(steps, frequencies);
    const auto T = static_cast<std::size_t>(steps);
    std::vector<double> noise(static_cast<std::size_t>(series) * B.size());
    // Grid points, so that the rounding of the tape plays no part.
    for (std::size_t i = 0; i < noise.size(); ++i)
      noise[i] = std::floor(std::sin(static_cast<double>(i) + 1) * plan.scale / plan.grid) * plan.grid;
    Draws draws = taped(dft(), plan, noise);
    const Measurement measured = value_of(dft().measure(plan, counts, draws));
    ASSERT_EQ(measured.values.size(), noise.size());
    EXPECT_EQ(plan.measured, static_cast<std::int64_t>(noise.size()));
    const Estimate estimate = value_of(dft().reconstruct(plan, measured));
    for (std::size_t s = 0; s < static_cast<std::size_t>(series); ++s) {
      std::vector<long double> value(T, 0);
      for (std::size_t i = 0; i < B.size(); ++i) {
        long double coefficient = noise[s * B.size() + i];
        for (std::size_t t = 0; t < T; ++t) coefficient += B[i][t] * static_cast<long double>(counts[s * T + t]);
        EXPECT_NEAR(measured.values[s * B.size() + i], static_cast<double>(coefficient), 1e-9);
        for (std::size_t t = 0; t < T; ++t) value[t] += coefficient * B[i][t];
      }
      for (std::size_t t = 0; t < T; ++t) EXPECT_NEAR(estimate.value[s * T + t], static_cast<double>(value[t]), 1e-9);
    }
  }
}

TEST(Dft, AllFrequenciesWithoutNoiseGiveTheSeriesBack) {
  for (const std::int64_t steps : {1, 2, 3, 4, 5, 64, 65}) {
    const SeriesPlan plan = dft_plan(2, steps, 1000);
    EXPECT_EQ(std::get<std::int64_t>(plan.parameters.at("coefficients")), steps / 2 + 1) << "limited to what there is";
    EXPECT_EQ(plan.measured, 2 * steps);
    const Counts counts = ragged(cells(plan));
    Draws draws = taped(dft(), plan, std::vector<double>(cells(plan), 0.0));
    const Estimate estimate = value_of(dft().reconstruct(plan, value_of(dft().measure(plan, counts, draws))));
    for (std::size_t i = 0; i < counts.size(); ++i)
      EXPECT_NEAR(estimate.value[i], static_cast<double>(counts[i]), 1e-8);
  }
}

TEST(Dft, KeepsTwoKLessOneCoefficientsAndOneOfTheHighestFrequency) {
  EXPECT_EQ(dft_plan(1, 100, 30).measured, 59);
  EXPECT_EQ(dft_plan(1, 100, 50).measured, 99);
  EXPECT_EQ(dft_plan(1, 100, 51).measured, 100);
  EXPECT_EQ(dft_plan(1, 101, 51).measured, 101);
  EXPECT_EQ(dft_plan(4, 1, 30).measured, 4);
}

// Δ₂ = c min(√n, n √(m/T)), and next to nothing for rounding.
TEST(Dft, ItsSensitivityIsThatOfTheHeader) {
  for (const std::int64_t cap : {1, 3, 100, 180}) {
    Request request = dft_request(1, 1800, 30);
    request.shape.max_steps = cap;
    request.shape.max_per_slot = 2;
    const double n = static_cast<double>(cap);
    const double expected = 2 * std::min(std::sqrt(n), n * std::sqrt(59.0 / 1800));
    const SeriesPlan plan = value_of(dft().prepare(request));
    EXPECT_GE(plan.sensitivity, expected);
    EXPECT_LE(plan.sensitivity, expected * (1 + 1e-6));
  }
}

// Δ₁ for δ = 0: n c times the largest column, or √M Δ₂ when people are in many slots.
TEST(Dft, ItsPureSensitivityIsTheLessOfTwoBounds) {
  const auto B = basis(60, 10);
  long double column = 0;
  for (std::size_t t = 0; t < 60; ++t) {
    long double sum = 0;
    for (const auto& row : B) sum += fabsl(row[t]);
    column = std::max(column, sum);
  }
  for (const auto& [cap, expected] : std::vector<std::pair<std::int64_t, double>>{
           {1, static_cast<double>(column)}, {2, static_cast<double>(2 * column)}, {60, std::sqrt(19.0 * 60)}}) {
    Request request = dft_request(1, 60, 10, 0);
    request.shape.max_steps = cap;
    const SeriesPlan plan = value_of(dft().prepare(request));
    EXPECT_GE(plan.sensitivity, expected);
    EXPECT_LE(plan.sensitivity, expected * (1 + 1e-6)) << cap;
    EXPECT_EQ(plan.noise, NoiseKind::laplace);
  }
}

// Somebody with c = 4 in one slot can be in four series at once.
TEST(Dft, AnEventThatIsSpreadOverSeriesIsCovered) {
  for (const double delta : {0.0, 1e-6}) {
    Request request = dft_request(4, 6, 2, delta);
    request.shape.unit = Unit::event;
    request.shape.max_per_slot = 4;
    const SeriesPlan plan = value_of(dft().prepare(request));
    EXPECT_LE(Neighbours(request.shape, 3).worst(dft(), plan), 1);
  }
}

TEST(Dft, TheIntervalHoldsTheNoiseAsOftenAsItSays) {
  for (const double delta : {0.0, 1e-6}) {
    Request request = dft_request(100, 40, 4, delta);
    request.level = 0.9;
    const SeriesPlan plan = value_of(dft().prepare(request));
    Draws draws = Draws::seeded(11);
    int held = 0, all = 0;
    for (int release = 0; release < 40; ++release) {
      const Estimate estimate =
          value_of(dft().reconstruct(plan, value_of(dft().measure(plan, Counts(cells(plan), 50), draws))));
      for (std::size_t s = 0; s < 100; ++s, ++all)
        held += estimate.lower[s * 40] <= 50 && 50 <= estimate.upper[s * 40] ? 1 : 0;
    }
    // 4000 independent intervals: the standard deviation is 0.0047; six of them come up less than once in 10^8.
    EXPECT_GT(held, (0.9 - 6 * 0.0048) * all);
    EXPECT_LT(held, (0.9 + 6 * 0.0048 + (delta == 0 ? 0.02 : 0)) * all);
  }
}

TEST(Dft, RefusesWhatMakesNoSense) {
  EXPECT_FALSE(dft().prepare(dft_request(1, 10, 0)));
  EXPECT_FALSE(dft().prepare(dft_request(1, 10, -3)));
  EXPECT_FALSE(dft().prepare(dft_request(1, 0, 3)));
  EXPECT_FALSE(dft().prepare(dft_request(1, (std::int64_t{1} << 27) + 1, 3)));
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
