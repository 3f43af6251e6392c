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
  EXPECT_TRUE(got) << got.error().text();
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
  EXPECT_EQ(got.regime, "many records per user");
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

// 149 arrays: 6τ/U = 6 √(ln(1490) / (2 m)) is 0.90 for m = 162 and 0.73 for m = 250.
TEST(MeansRecommendation, AGuessMustWinClearly) {
  const MeansComparison slightly = compared(buses(), std::vector<std::uint32_t>(149, 162));
  EXPECT_NEAR(of(slightly, "levy").facts.expected_noise / of(slightly, "clip_mean").facts.expected_noise, 0.901, 1e-3);
  EXPECT_EQ(slightly.recommended, "clip_mean");
  const MeansComparison clearly = compared(buses(), std::vector<std::uint32_t>(149, 250));
  EXPECT_NEAR(of(clearly, "levy").facts.expected_noise / of(clearly, "clip_mean").facts.expected_noise, 0.725, 1e-3);
  EXPECT_EQ(clearly.recommended, "levy");
}

// Ten arrays at ε = 0.5: nothing of [0, U] is clearly more likely than the rest.
TEST(MeansRecommendation, ManyRecordsOfFewPeopleDoNotShowWhereTheyAre) {
  CellRequest request = buses();
  request.epsilon = 0.5;
  const MeansComparison got = compared(request, std::vector<std::uint32_t>(10, 100'000));
  EXPECT_LT(of(got, "levy").facts.expected_noise, 0.1 * of(got, "clip_mean").facts.expected_noise);
  EXPECT_EQ(got.recommended, "clip_mean");
}

// Both ranges are found. 700 arrays of 2000 records: 3τ = 0.141 U, and 0.029 U between the quantiles, one of which is
// missed with chance 0.2. With 10 000 of 1000, the quantiles are sure and 3τ = 0.228 U.
TEST(MeansRecommendation, TheBetterOfTwoGuessesIsTaken) {
  const MeansComparison bins = compared(buses(), std::vector<std::uint32_t>(700, 2000));
  EXPECT_LT(of(bins, "fixed_quantile").facts.expected_noise, 0.8 * of(bins, "clip_mean").facts.expected_noise);
  EXPECT_EQ(bins.recommended, "levy");
  const MeansComparison quantiles = compared(buses(), std::vector<std::uint32_t>(10'000, 1000));
  EXPECT_LT(of(quantiles, "levy").facts.expected_noise, 0.8 * of(quantiles, "clip_mean").facts.expected_noise);
  EXPECT_EQ(quantiles.recommended, "fixed_quantile");
}

TEST(MeansRecommendation, OnePersonWithOneRecordIsFew) {
  const MeansComparison got = compared(buses(), {1});
  EXPECT_EQ(got.recommended, "clip_mean");
  EXPECT_EQ(got.regime, "few users for the budget");
  EXPECT_NE(got.reason.find("say nothing"), std::string::npos) << got.reason;
}

TEST(MeansRecommendation, SaysSoWhereNoArrayIsFull) {
  CellRequest request = buses();
  request.parameters = {{"grouping", std::string("wrap_around")}, {"m_ub", std::int64_t{100}}};
  const MeansComparison got = compared(request, {40, 30, 20});
  EXPECT_EQ(got.arrays_wrap_around, 0);
  EXPECT_EQ(got.recommended, "array_averaging");
  EXPECT_NE(got.reason.find("no array of 100 records is full"), std::string::npos) << got.reason;
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
