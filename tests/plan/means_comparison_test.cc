#include "chronoveil/plan/means_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "chronoveil/mechanisms/catalogue.h"

namespace chronoveil::plan {
namespace {

using mechanisms::CellRequest;

// One cell, bounds [5, 15], so that U = 10 and no figure can depend on the lower bound being 0.
CellRequest one_cell(double epsilon = 1, double delta = 0) {
  CellRequest request;
  request.shape.lower = 5;
  request.shape.upper = 15;
  request.epsilon = epsilon;
  request.delta = delta;
  return request;
}

const MeansCandidate& of(const MeansComparison& comparison, std::string_view name, std::string_view variant = "") {
  static const MeansCandidate missing;
  for (const MeansCandidate& candidate : comparison.candidates)
    if (candidate.mechanism == name && candidate.variant == variant) return candidate;
  ADD_FAILURE() << name << " " << variant << " is not there";
  return missing;
}

std::string refusal_of(const Result<MeansComparison>& got) { return got ? "" : got.error().text(); }

// m_l = 4, 2, 1. Median rule: the 2nd largest, 2. Optimised rule: (Σ min)²/m is 9, 12.5, 12.25 for m = 1, 2, 4.
// Best fit at 2: arrays of 2, 2, 1. Wrap-around: floor(5/2) = 2.
TEST(MeansComparison, GivesTheFactsOfAHandWorkedCell) {
  const auto got = compare_means(one_cell(), {.counts = {1, 4, 2}, .users = {}}, true);
  ASSERT_TRUE(got) << got.error().text();
  EXPECT_EQ(got->counts, (std::vector<std::uint32_t>{4, 2, 1}));
  EXPECT_FALSE(got->from_caps);
  EXPECT_EQ(got->records, 7);
  EXPECT_EQ(got->m_ub_median, 2);
  EXPECT_EQ(got->m_ub_optimised, 2);
  EXPECT_EQ(got->m_ub, 2);
  EXPECT_EQ(got->arrays_best_fit, 3);
  EXPECT_EQ(got->arrays_wrap_around, 2);
  EXPECT_EQ(got->fills, (std::vector<std::uint32_t>{2, 2, 1}));
  const double near = 1e-6;  // U is a whole number of steps of about 2^-30
  EXPECT_NEAR(of(*got, "baseline").facts.sensitivity, 10.0 * 4 / 7, near);
  EXPECT_NEAR(of(*got, "clip_mean").facts.sensitivity, 10.0 * 2 / 5, near);
  EXPECT_NEAR(of(*got, "array_averaging").facts.sensitivity, 10.0 / 3, near);
  EXPECT_NEAR(of(*got, "array_averaging", "wrap_around").facts.sensitivity, 10.0 / 2, near);
  EXPECT_NEAR(of(*got, "levy").facts.sensitivity, 10.0 / 3, near) << "3τ = 27.7 is cut to U";
  EXPECT_NEAR(of(*got, "fixed_quantile").facts.sensitivity, 10.0 / 3, near);
  EXPECT_NEAR(of(*got, "epsilon_quantile").facts.sensitivity, 10.0 / 3, near);
  for (const char* name : {"baseline", "clip_mean", "array_averaging"}) {
    const MeansCandidate& exact = of(*got, name);
    EXPECT_NEAR(exact.facts.scale, exact.facts.sensitivity, 1e-5) << name << " at ε = 1";
    EXPECT_EQ(exact.facts.expected_noise, exact.facts.scale) << name << ": E|Laplace(b)| = b";
  }
  EXPECT_EQ(got->recommended, "array_averaging");
  EXPECT_EQ(got->regime, "few users for the budget");
}

TEST(MeansComparison, LooksAtTheWholeCatalogueInItsOrderAndAtBothGroupings) {
  const auto got = compare_means(one_cell(), {.counts = {3, 3, 2}, .users = {}}, true);
  ASSERT_TRUE(got);
  std::vector<std::string> wanted;
  for (const auto* row : mechanisms::cell_catalogue()) {
    wanted.emplace_back(row->name);
    if (row->name == "array_averaging") wanted.emplace_back(row->name);
  }
  std::vector<std::string> seen;
  for (const MeansCandidate& candidate : got->candidates) {
    seen.push_back(candidate.mechanism);
    EXPECT_NE(candidate.plan.has_value(), !candidate.refusal.text().empty()) << candidate.mechanism;
    if (candidate.plan) {
      EXPECT_EQ(candidate.plan->mechanism, candidate.mechanism);
      EXPECT_LE(candidate.plan->price.epsilon, 1) << candidate.mechanism;
    }
  }
  EXPECT_EQ(seen, wanted);
}

TEST(MeansComparison, TheOrderOfTheCountsDoesNotMatter) {
  std::vector<std::uint32_t> counts = {7, 1, 30, 2, 2, 9, 11, 1, 5};
  const auto once = compare_means(one_cell(), {.counts = counts, .users = {}}, true);
  std::reverse(counts.begin(), counts.end());
  const auto again = compare_means(one_cell(), {.counts = counts, .users = {}}, true);
  ASSERT_TRUE(once && again);
  EXPECT_EQ(once->counts, again->counts);
  EXPECT_EQ(once->fills, again->fills);
  EXPECT_EQ(once->reason, again->reason);
}

TEST(MeansComparison, TheParameterNamesTheCap) {
  const PublicCounts counts{.counts = {9, 4, 3, 1, 1}, .users = {}};
  CellRequest request = one_cell();
  request.parameters["m_ub"] = std::string("median");
  const auto median = compare_means(request, counts, true);
  ASSERT_TRUE(median);
  EXPECT_EQ(median->m_ub, 3);
  EXPECT_EQ(of(*median, "clip_mean").facts.m_ub, 3);
  request.parameters["m_ub"] = std::int64_t{5};
  const auto five = compare_means(request, counts, true);
  ASSERT_TRUE(five) << five.error().text();
  EXPECT_EQ(five->m_ub, 5);
  EXPECT_EQ(five->fills, (std::vector<std::uint32_t>{5, 5, 4})) << "9 cut to 5; 4 and 1 share one; 3 and 1 the next";
  EXPECT_EQ(five->m_ub_median, 3) << "both rules are told whatever is named";
  EXPECT_NEAR(of(*five, "clip_mean").facts.sensitivity, 10.0 * 5 / 14, 1e-6);
}

TEST(MeansComparison, ACapOfZeroIsRefusedByName) {
  CellRequest request = one_cell();
  for (const mechanisms::Value& bad : {mechanisms::Value(std::int64_t{0}), mechanisms::Value(1.5),
                                       mechanisms::Value(true), mechanisms::Value(std::string("mean"))}) {
    request.parameters["m_ub"] = bad;
    const auto got = compare_means(request, {.counts = {3, 2}, .users = {}}, true);
    EXPECT_NE(refusal_of(got).find("m_ub"), std::string::npos) << bad.index() << refusal_of(got);
  }
}

TEST(MeansComparison, WhatNoMechanismKnowsIsRefusedAndWhatOneDoesNotKnowIsLeftOut) {
  const PublicCounts counts{.counts = {3, 2}, .users = {}};
  CellRequest request = one_cell();
  request.parameters["m_up"] = std::int64_t{3};
  EXPECT_NE(refusal_of(compare_means(request, counts, true)).find("m_up"), std::string::npos);
  request.parameters = {{"grouping", std::string("worst_fit")}};
  EXPECT_NE(refusal_of(compare_means(request, counts, true)).find("grouping"), std::string::npos);
  request.parameters = {{"noise", std::string("laplace")}};
  const auto got = compare_means(request, counts, true);
  ASSERT_TRUE(got) << got.error().text();
  EXPECT_TRUE(of(*got, "levy").plan) << "it has no such parameter";
  EXPECT_FALSE(of(*got, "levy").as_asked);
  EXPECT_TRUE(of(*got, "clip_mean").as_asked);
}

TEST(MeansComparison, WrapAroundComesFirstWhereItIsNamedAndClampingRefusesIt) {
  CellRequest request = one_cell();
  request.parameters["grouping"] = std::string("wrap_around");
  const auto got = compare_means(request, {.counts = {4, 2, 1}, .users = {}}, true);
  ASSERT_TRUE(got) << got.error().text();
  const auto first = std::find_if(got->candidates.begin(), got->candidates.end(), [](const MeansCandidate& candidate) {
    return candidate.mechanism == "array_averaging";
  });
  EXPECT_EQ(first->variant, "wrap_around");
  EXPECT_TRUE(of(*got, "array_averaging").plan);
  for (const char* name : {"levy", "fixed_quantile", "epsilon_quantile"}) EXPECT_FALSE(of(*got, name).plan) << name;
  EXPECT_EQ(got->recommended, "array_averaging") << "nothing else takes what was asked for";
  EXPECT_FALSE(of(*got, "clip_mean").as_asked);
}

TEST(MeansComparison, CountsBeyondTheCapAreCutAsReadingCutsThem) {
  CellRequest request = one_cell();
  request.shape.max_records = 3;
  const auto got = compare_means(request, {.counts = {1, 100, 2}, .users = {}}, true);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->counts, (std::vector<std::uint32_t>{3, 2, 1}));
}

TEST(MeansComparison, CapsAloneMakeACellOfTheirOwn) {
  CellRequest request = one_cell();
  request.shape.max_records = 20;
  const auto got = compare_means(request, {.counts = {}, .users = 50}, true);
  ASSERT_TRUE(got) << got.error().text();
  EXPECT_TRUE(got->from_caps);
  EXPECT_EQ(got->counts, std::vector<std::uint32_t>(50, 20));
  EXPECT_EQ(got->m_ub_optimised, 20);
  EXPECT_EQ(got->arrays_best_fit, 50);
  EXPECT_EQ(got->recommended, "clip_mean") << "as little noise as arrays, and every record weighs alike";
  EXPECT_NE(got->reason.find("50 people with 20 records each"), std::string::npos) << got->reason;
}

TEST(MeansComparison, RefusesWhatIsNoCell) {
  CellRequest request = one_cell();
  EXPECT_NE(refusal_of(compare_means(request, {}, true)).find("public counts"), std::string::npos);
  EXPECT_NE(refusal_of(compare_means(request, {.counts = {}, .users = 5}, true)).find("max_records"),
            std::string::npos);
  EXPECT_NE(refusal_of(compare_means(request, {.counts = {3, 0, 1}, .users = {}}, true)).find("number 2 is 0"),
            std::string::npos);
  request.shape.max_records = 5;
  EXPECT_NE(refusal_of(compare_means(request, {.counts = {}, .users = 0}, true)).find("users"), std::string::npos);
  EXPECT_NE(refusal_of(compare_means(request, {.counts = {}, .users = kMostUsers + 1}, true)).find("users"),
            std::string::npos);
  request.shape.max_records = 0;
  EXPECT_NE(refusal_of(compare_means(request, {.counts = {1}, .users = {}}, true)).find("max_records"),
            std::string::npos);
}

TEST(MeansComparison, ARequestThatNobodyCouldFitIsAnError) {
  for (const double epsilon : {0.0, -1.0, std::nan("")}) {
    const auto got = compare_means(one_cell(epsilon), {.counts = {3, 2}, .users = {}}, true);
    ASSERT_FALSE(got) << epsilon;
    EXPECT_EQ(got.error().kind, ErrorKind::usage);
    EXPECT_NE(got.error().text().find("epsilon"), std::string::npos) << got.error().text();
  }
}

TEST(MeansComparison, PrivateCountsLeaveOnlyWhatProtectsThem) {
  CellRequest request = one_cell();
  request.shape.max_records = 4;
  const auto got = compare_means(request, {.counts = {4, 2, 1}, .users = {}}, false);
  ASSERT_TRUE(got) << got.error().text();
  ASSERT_EQ(got->candidates.size(), 2u);
  EXPECT_EQ(got->candidates[0].mechanism, "sum_over_count");
  EXPECT_EQ(got->candidates[1].mechanism, "registered_mean");
  EXPECT_EQ(got->candidates[0].plan->relation, Relation::add_remove);
}

TEST(MeansComparison, SaysWhyNothingFits) {
  const auto got = compare_means(one_cell(), {.counts = {4, 2, 1}, .users = {}}, false);
  EXPECT_NE(refusal_of(got).find("max_records"), std::string::npos) << refusal_of(got);
  EXPECT_NE(refusal_of(got).find("registered"), std::string::npos) << refusal_of(got);
}

TEST(MeansComparison, AMillionUsersAreLookedAtAtOnce) {
  std::vector<std::uint32_t> counts(1'000'000);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<std::uint32_t>(1 + i * 7919 % 1000);
  const std::int64_t records = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const auto got = compare_means(one_cell(), {.counts = std::move(counts), .users = {}}, true);
  ASSERT_TRUE(got) << got.error().text();
  EXPECT_EQ(got->records, records);
  EXPECT_GE(got->arrays_best_fit, got->arrays_wrap_around);
  EXPECT_EQ(got->recommended, "fixed_quantile");
}

}  // namespace
}  // namespace chronoveil::plan
