#include "chronoveil/plan/temporal_comparison.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "chronoveil/mechanisms/catalogue.h"

namespace chronoveil::plan {
namespace {

using mechanisms::TemporalRequest;

TemporalRequest request(double epsilon, double delta, std::int64_t window = 4) {
  TemporalRequest all;
  all.epsilon = epsilon;
  all.delta = delta;
  all.window = window;
  return all;
}

TemporalComparison compared(const TemporalRequest& request) {
  auto comparison = compare_temporal(request);
  if (!comparison) throw std::runtime_error(comparison.error().text());
  return *std::move(comparison);
}

const TemporalCandidate& candidate(const TemporalComparison& comparison, std::string_view name) {
  for (const TemporalCandidate& each : comparison.candidates)
    if (each.mechanism == name) return each;
  throw std::runtime_error("no such candidate");
}

TEST(TemporalComparison, HasEveryMechanismThatMovesValuesAndAPlanOrAReason) {
  const TemporalComparison comparison = compared(request(2, 0.6));
  std::vector<std::string> names;
  for (const TemporalCandidate& each : comparison.candidates) {
    names.push_back(each.mechanism);
    EXPECT_NE(each.plan.has_value(), !each.refusal.text().empty()) << each.mechanism;
    EXPECT_EQ(each.moves.has_value(), each.plan.has_value());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"ranswitch", "staswitch", "threshold", "noisy_sort"}));
  EXPECT_TRUE(candidate(comparison, "ranswitch").plan);
  EXPECT_TRUE(candidate(comparison, "staswitch").plan);
  EXPECT_FALSE(candidate(comparison, "threshold").plan) << "it has no certified price";
}

TEST(TemporalComparison, RecommendsTheCertifiedOneThatMovesValuesLeast) {
  for (const double delta : {0.0, 1e-6, 0.6}) {
    const TemporalComparison comparison = compared(request(2, delta));
    const TemporalCandidate& chosen = candidate(comparison, comparison.recommended);
    ASSERT_TRUE(chosen.plan);
    for (const TemporalCandidate& each : comparison.candidates)
      EXPECT_TRUE(!each.plan || chosen.moves->cost <= each.moves->cost) << each.mechanism << " at delta " << delta;
    EXPECT_TRUE(comparison.reason.starts_with(comparison.recommended + " moves a value by ")) << comparison.reason;
  }
}

TEST(TemporalComparison, WithoutDeltaOnlySortingIsLeft) {
  const TemporalComparison comparison = compared(request(1, 0, 24));
  EXPECT_EQ(comparison.recommended, "noisy_sort");
  EXPECT_NE(comparison.reason.find("it needs no delta"), std::string::npos) << comparison.reason;
  EXPECT_NE(candidate(comparison, "ranswitch").refusal.text().find("delta"), std::string::npos);
}

TEST(TemporalComparison, AStreamWithoutDeltaCannotBeCertified) {
  TemporalRequest stream = request(1, 0);
  stream.streams = true;
  const auto refused = compare_temporal(stream);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::cannot_certify);
  EXPECT_NE(refused.error().text().find("privacy.delta: 0 is not possible for a stream"), std::string::npos)
      << refused.error().text();
  stream.delta = 1e-6;
  EXPECT_EQ(compared(stream).recommended, "noisy_sort");
}

TEST(TemporalComparison, DoesNotWaitForAStateThatIsTooLarge) {
  const TemporalComparison comparison = compared(request(2, 0.9, kLargestComparedState + 1));
  EXPECT_NE(candidate(comparison, "staswitch").refusal.text().find("not compared beyond a window of"),
            std::string::npos);
}

TEST(TemporalComparison, NeverRecommendsWhatIsOnlyPublishedWhereSomethingIsCertified) {
  TemporalRequest published = request(7, 0.5, 10);
  published.analysis = accounting::Analysis::published;
  const TemporalComparison comparison = compared(published);
  for (const char* name : {"ranswitch", "staswitch", "threshold"}) {
    ASSERT_TRUE(candidate(comparison, name).plan) << candidate(comparison, name).refusal.text();
    EXPECT_EQ(candidate(comparison, name).plan->price.certificate, Certificate::as_published);
  }
  EXPECT_EQ(comparison.recommended, "noisy_sort");
  EXPECT_NE(comparison.reason.find("(as published, not certified)"), std::string::npos) << comparison.reason;
}

TEST(TemporalComparison, AParameterGoesToThoseWhoKnowIt) {
  TemporalRequest given = request(2, 0.6);
  given.parameters["law"] = "laplace";
  const TemporalComparison comparison = compared(given);
  EXPECT_EQ(comparison.recommended, "noisy_sort") << "the others were not asked as the request says";
  EXPECT_FALSE(candidate(comparison, "ranswitch").as_asked);
  given.parameters = {{"luck", 1.0}};
  EXPECT_FALSE(compare_temporal(given));
  given.parameters = {{"law", "uniform"}};
  const auto refused = compare_temporal(given);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().text().starts_with("mechanism.law: ")) << refused.error().text();
}

TEST(TemporalComparison, WhatIsWrongForAllIsSaidOnce) {
  for (const std::int64_t window : {1, 1048577}) {
    const auto refused = compare_temporal(request(2, 0.6, window));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
    EXPECT_EQ(refused.error().text(), "privacy.window: " + std::to_string(window) +
                                          " is not valid; it must be a whole number between 2 and 1048576");
  }
}

}  // namespace
}  // namespace chronoveil::plan
