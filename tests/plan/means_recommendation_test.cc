#include "chronoveil/plan/means_recommendation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace chronoveil::plan {
namespace {

using mechanisms::CellRequest;

// Buses of the paper: speeds in [0, 65] km/h, ε = 1 for one cell.
CellRequest buses() {
  CellRequest request;
  request.shape.upper = 65;
  request.epsilon = 1;
  return request;
}

// The paper tells Σ m_l = 17166, max m_l = 417 and the median 46, not the list. Quantiles of an exponential law come
// close, and 28 records more among the first make them exact.
std::vector<std::uint32_t> counts_of_the_paper() {
  constexpr int users = 260;
  std::vector<std::uint32_t> counts;
  for (int i = 0; i < users; ++i)
    counts.push_back(static_cast<std::uint32_t>(std::max(1.0, std::round(-66 * std::log((i + 0.5) / users)))));
  counts[0] += 4;
  for (std::size_t i = 1; i <= 24; ++i) ++counts[i];
  return counts;
}

MeansComparison compared(const CellRequest& request, std::vector<std::uint32_t> counts, bool counts_public = true) {
  auto got = compare_means(request, {.counts = std::move(counts), .users = {}}, counts_public);
  EXPECT_TRUE(got) << got.error().message;
  return got ? std::move(*got) : MeansComparison{};
}

const MeansCandidate& of(const MeansComparison& comparison, std::string_view name) {
  return *std::find_if(comparison.candidates.begin(), comparison.candidates.end(),
                       [&](const MeansCandidate& candidate) { return candidate.mechanism == name; });
}

TEST(MeansRecommendation, TheListOfThePaperIsMadeUpRight) {
  const MeansComparison got = compared(buses(), counts_of_the_paper());
  EXPECT_EQ(got.records, 17166);
  EXPECT_EQ(got.counts.front(), 417u);
  EXPECT_EQ(got.m_ub_median, 46);
}

TEST(MeansRecommendation, TheBusesOfThePaperTakeExactNoise) {
  const MeansComparison got = compared(buses(), counts_of_the_paper());
  EXPECT_EQ(got.recommended, "clip_mean") << "149 arrays hold 148.9 arrays' worth of records";
  EXPECT_EQ(got.regime, "few users for the budget");
  EXPECT_LT(3 * of(got, "array_averaging").facts.expected_noise, of(got, "baseline").facts.expected_noise);
}

TEST(MeansRecommendation, TenTimesTheSamplesTakeLevy) {
  std::vector<std::uint32_t> counts = counts_of_the_paper();
  for (std::uint32_t& count : counts) count *= 10;
  const MeansComparison got = compared(buses(), counts);
  EXPECT_EQ(got.recommended, "levy");
  EXPECT_EQ(got.regime, "many records a user");
  EXPECT_NE(got.reason.find("guess"), std::string::npos) << got.reason;
}

TEST(MeansRecommendation, TenTimesTheUsersTakeFixedQuantile) {
  std::vector<std::uint32_t> counts;
  for (const std::uint32_t count : counts_of_the_paper()) counts.insert(counts.end(), 10, count);
  const MeansComparison got = compared(buses(), counts);
  EXPECT_EQ(got.recommended, "fixed_quantile");
  EXPECT_EQ(got.regime, "many users");
  EXPECT_NE(got.reason.find("guess"), std::string::npos) << got.reason;
}

TEST(MeansRecommendation, OnePersonWithAMillionRecordsIsNotGivenToLevy) {
  const MeansComparison got = compared(buses(), {1'000'000});
  EXPECT_LT(of(got, "levy").facts.expected_noise, 1) << "its noise alone would be small";
  EXPECT_EQ(got.recommended, "clip_mean") << "but its bin would be drawn at random";
  EXPECT_EQ(got.regime, "few users for the budget");
  EXPECT_NE(got.reason.find("(its range would hardly be found) and fixed_quantile"), std::string::npos) << got.reason;
  EXPECT_NE(got.reason.find("say nothing"), std::string::npos) << "noise of U on one person: " << got.reason;
}

TEST(MeansRecommendation, OneRecordEachLeavesNothingToClamp) {
  const MeansComparison got = compared(buses(), std::vector<std::uint32_t>(100'000, 1));
  EXPECT_EQ(got.recommended, "clip_mean");
  EXPECT_EQ(got.regime, "many users with few records each");
  EXPECT_NEAR(of(got, "clip_mean").facts.expected_noise, 65e-5, 1e-8);
}

TEST(MeansRecommendation, AThousandCellsSplitTheShare) {
  CellRequest request = buses();
  request.shape.places = 100;
  request.shape.steps = 24;
  request.shape.max_cells = 1000;
  const MeansComparison got = compared(request, counts_of_the_paper());
  EXPECT_NEAR(of(got, "array_averaging").plan->share, 1e-3, 1e-9);
  EXPECT_EQ(got.recommended, "clip_mean");
  EXPECT_GT(of(got, "fixed_quantile").facts.expected_noise, of(got, "clip_mean").facts.expected_noise)
      << "quantiles that nothing holds back may be anywhere";
  EXPECT_NE(got.reason.find("say nothing"), std::string::npos) << got.reason;
}

TEST(MeansRecommendation, ADeltaLowersTheNoiseOfManyCells) {
  CellRequest request = buses();
  request.shape.places = 100;
  request.shape.steps = 24;
  request.shape.max_cells = 1000;
  const MeansComparison pure = compared(request, counts_of_the_paper());
  request.delta = 1e-6;
  const MeansComparison got = compared(request, counts_of_the_paper());
  EXPECT_EQ(of(got, "array_averaging").plan->noise, NoiseKind::gaussian);
  EXPECT_EQ(got.recommended, "clip_mean");
  EXPECT_LT(of(got, "array_averaging").facts.expected_noise, of(pure, "array_averaging").facts.expected_noise / 5);
  EXPECT_LT(of(got, "levy").facts.expected_noise, of(pure, "levy").facts.expected_noise / 5);
}

// Twenty cells: a whole doubling of the share is just out of reach, most of it is not.
TEST(MeansRecommendation, ADeltaRaisesTheShareOfChoicesToo) {
  CellRequest request = buses();
  request.shape.places = 100;
  request.shape.max_cells = 20;
  request.delta = 1e-6;
  const MeansComparison got = compared(request, counts_of_the_paper());
  for (const char* name : {"levy", "fixed_quantile", "epsilon_quantile"}) {
    EXPECT_GT(of(got, name).plan->share, 1.8 / 20) << name;
    EXPECT_LE(of(got, name).plan->price.epsilon, 1) << name;
  }
}

TEST(MeansRecommendation, PrivateCountsAskWhoIsRegistered) {
  CellRequest request = buses();
  request.shape.max_records = 50;
  const MeansComparison anybody = compared(request, counts_of_the_paper(), false);
  EXPECT_EQ(anybody.recommended, "sum_over_count");
  EXPECT_EQ(anybody.regime, "counts are private");
  request.shape.registered = 300;
  const MeansComparison registered = compared(request, counts_of_the_paper(), false);
  EXPECT_EQ(registered.recommended, "registered_mean");
  EXPECT_NEAR(of(registered, "registered_mean").facts.expected_noise, 65.0 / 300, 1e-6);
}

TEST(MeansRecommendation, WhatCannotDoAsAskedIsPassedOver) {
  CellRequest request = buses();
  request.parameters["noise"] = std::string("laplace");
  std::vector<std::uint32_t> counts = counts_of_the_paper();
  for (std::uint32_t& count : counts) count *= 10;
  EXPECT_EQ(compared(request, counts).recommended, "clip_mean") << "levy has no choice of noise";
}

// What is only as published is shown, but never advised where something certified fits.
TEST(MeansRecommendation, WhatIsNotCertifiedIsNotRecommended) {
  CellRequest request = buses();
  request.analysis = accounting::Analysis::published;
  std::vector<std::uint32_t> counts;
  for (const std::uint32_t count : counts_of_the_paper()) counts.insert(counts.end(), 10, count);
  const MeansComparison got = compared(request, counts);
  EXPECT_EQ(of(got, "fixed_quantile").plan->price.certificate, Certificate::as_published);
  EXPECT_EQ(got.recommended, "clip_mean");
}

TEST(MeansRecommendation, EpsilonQuantileIsNeverAdvised) {
  CellRequest request = buses();
  for (const double epsilon : {0.5, 2.0, 20.0}) {
    request.epsilon = epsilon;
    for (const std::size_t users : {10u, 1000u, 100'000u})
      EXPECT_NE(compared(request, std::vector<std::uint32_t>(users, 200)).recommended, "epsilon_quantile");
  }
}

}  // namespace
}  // namespace chronoveil::plan
