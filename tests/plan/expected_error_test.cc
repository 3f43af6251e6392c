#include "chronoveil/plan/expected_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chronoveil/mechanisms/catalogue.h"

namespace chronoveil::plan {
namespace {

TEST(ExpectedError, ASmallSampleIsTriedWhole) {
  const PublicSample sample{.series = 3, .steps = 2, .counts = {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(thinned(sample).counts, sample.counts);
}

TEST(ExpectedError, ALargeSampleKeepsWholeSeriesFromAllOverIt) {
  PublicSample sample{.series = 3000, .steps = 1000, .counts = {}};
  for (std::int64_t i = 0; i < sample.series * sample.steps; ++i) sample.counts.push_back(i / sample.steps);
  const PublicSample few = thinned(sample);
  EXPECT_EQ(few.series * few.steps, kMostRehearsed);
  EXPECT_EQ(few.counts.size(), static_cast<std::size_t>(kMostRehearsed));
  for (std::int64_t i = 0; i < few.series; ++i) {
    EXPECT_EQ(few.counts[static_cast<std::size_t>(i * few.steps)], 3 * i);
    EXPECT_EQ(few.counts[static_cast<std::size_t>((i + 1) * few.steps - 1)], 3 * i);
  }
}

TEST(ExpectedError, OneLongSeriesStaysWhole) {
  const PublicSample sample{.series = 2,
                            .steps = 2 * kMostRehearsed,
                            .counts = std::vector<std::int64_t>(static_cast<std::size_t>(4 * kMostRehearsed), 7)};
  const PublicSample one = thinned(sample);
  EXPECT_EQ(one.series, 1);
  EXPECT_EQ(one.counts.size(), static_cast<std::size_t>(2 * kMostRehearsed));
}

TEST(ExpectedError, MoreNoiseMeansMoreError) {
  mechanisms::Request request;
  request.shape.steps = 100;
  request.shape.max_steps = 10;
  request.delta = 1e-6;
  const PublicSample sample{.series = 1, .steps = 100, .counts = std::vector<std::int64_t>(100, 1000000)};
  double last = 0;
  for (const double epsilon : {4.0, 1.0, 0.25}) {
    request.epsilon = epsilon;
    const auto plan = (*mechanisms::find_series_mechanism("gaussian"))->prepare(request);
    ASSERT_TRUE(plan);
    const auto error = expected_error(request, *plan, sample, 5);
    ASSERT_TRUE(error && *error);
    EXPECT_GT((*error)->of_cell, 2 * last);
    last = (*error)->of_cell;
  }
}

TEST(ExpectedError, LongerSlotsHoldTheSumsOfShorterOnes) {
  const PublicSample sample{.series = 2, .steps = 5, .counts = {1, 2, 3, 4, 5, 10, 20, 30, 40, 50}};
  const PublicSample longer = in_longer_slots(sample, 2);
  EXPECT_EQ(longer.steps, 2);
  EXPECT_EQ(longer.counts, (std::vector<std::int64_t>{3, 7, 30, 70}));
}

mechanisms::Request of_series(std::int64_t series) {
  mechanisms::Request request;
  request.shape.series = series;
  request.shape.steps = 500;
  request.shape.max_steps = 10;
  request.epsilon = 1;
  request.delta = 1e-6;
  return request;
}

// Of noise alone, far above zero: a sum of S independent draws.
TEST(ExpectedError, ATotalHasTheNoiseOfAllItsSeries) {
  const PublicSample sample{.series = 16, .steps = 500, .counts = std::vector<std::int64_t>(8000, 1000000)};
  for (const std::int64_t series : {16, 64}) {
    const mechanisms::Request request = of_series(series);
    const auto plan = (*mechanisms::find_series_mechanism("gaussian"))->prepare(request);
    ASSERT_TRUE(plan);
    const auto error = expected_error(request, *plan, sample, 20);
    ASSERT_TRUE(error && *error && (*error)->of_total);
    // 10,000 sums: six standard errors are 0.045 of it.
    EXPECT_NEAR(*(*error)->of_total / (*error)->of_cell, std::sqrt(static_cast<double>(series)),
                0.05 * std::sqrt(static_cast<double>(series)));
  }
}

TEST(ExpectedError, ThereAreTotalsOnlyWhereTheyArePublished) {
  const PublicSample one{.series = 1, .steps = 500, .counts = std::vector<std::int64_t>(500, 100)};
  const PublicSample two{.series = 2, .steps = 500, .counts = std::vector<std::int64_t>(1000, 100)};
  const auto has = [](const char* name, const mechanisms::Request& request, const PublicSample& sample, Audience to) {
    const auto plan = (*mechanisms::find_series_mechanism(name))->prepare(request);
    return (*expected_error(request, *plan, sample, 1, to))->of_total.has_value();
  };
  EXPECT_TRUE(has("shrink", of_series(2), two, Audience::any));
  EXPECT_FALSE(has("shrink", of_series(2), one, Audience::any));
  EXPECT_FALSE(has("shrink", of_series(1), two, Audience::any));
  EXPECT_TRUE(has("kalman", of_series(2), two, Audience::live)) << "filtered by itself";
  EXPECT_FALSE(has("gaussian", of_series(2), two, Audience::live));
}

TEST(ExpectedError, NegativeValuesCountAsZero) {
  // An empty series: half of the noise is cut off, so the error is half of the noise's own.
  mechanisms::Request request;
  request.shape.steps = 2000;
  request.shape.max_steps = 10;
  request.epsilon = 1;
  const auto plan = (*mechanisms::find_series_mechanism("laplace"))->prepare(request);
  ASSERT_TRUE(plan);
  const PublicSample empty{.series = 1, .steps = 2000, .counts = std::vector<std::int64_t>(2000, 0)};
  const auto error = expected_error(request, *plan, empty, 20);
  ASSERT_TRUE(error && *error);
  // 40000 draws of max(0, Laplace(b)): mean b/2, standard error 0.0043 b; 6 of them.
  EXPECT_NEAR((*error)->of_cell / plan->scale, 0.5, 0.026);
}

}  // namespace
}  // namespace chronoveil::plan
