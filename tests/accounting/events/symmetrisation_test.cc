// Neighbours may point either way, and differently at every step: the certified price holds for all of it.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "accounting/bracketing.h"
#include "accounting/composing.h"
#include "accounting/samples.h"

namespace chronoveil::accounting {
namespace {

// The hockey stick of independent outputs, by listing every sequence of outcomes. Each step is a list of (p, q).
using Outcomes = std::vector<std::pair<double, double>>;
double by_listing(const std::vector<const Outcomes*>& steps, double epsilon) {
  double delta = 0;
  std::vector<std::size_t> at(steps.size(), 0);
  for (;;) {
    double p = 1, q = 1;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      p *= (*steps[i])[at[i]].first;
      q *= (*steps[i])[at[i]].second;
    }
    delta += std::max(0.0, p - std::exp(epsilon) * q);
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == steps[i]->size()) at[i++] = 0;
    if (i == at.size()) return delta;
  }
}

Outcomes reversed(Outcomes outcomes) {
  for (auto& [p, q] : outcomes) std::swap(p, q);
  return outcomes;
}

// The outputs of a subsampled Gaussian, read through a partition of the line: what remains is a real pair that the
// event dominates, in both directions.
Outcomes partitioned(double rate, double mu, const std::vector<double>& cuts) {
  auto above = [](double x) { return 0.5 * std::erfc(x / std::sqrt(2)); };
  Outcomes out;
  double before_p = 1, before_q = 1;
  for (double cut : cuts) {
    const double q = above(cut), p = (1 - rate) * q + rate * above(cut - mu);
    out.emplace_back(before_p - p, before_q - q);
    before_p = p;
    before_q = q;
  }
  out.emplace_back(before_p, before_q);
  return out;
}

TEST(Symmetrisation, TheCertifiedDeltaDominatesEveryMixtureOfDirections) {
  const double rate = 0.2, sigma = 0.8;
  StructuredSubsampling e = sample_structured();
  e.length = {30};
  e.context_length = 5;
  e.forecast_length = 1;  // 6 of 30 windows
  e.top_level = StructuredSubsampling::Top::iterate;
  e.noise_multiplier = 2 * sigma;
  const Event structured{e, 6}, mixture{Mixture{{{0, 1}, {1 - rate, rate}}, {{0}, {1}}, sigma}, 6};
  const Outcomes forward = partitioned(rate, 1 / sigma, {-1, 0, 1, 2, 3}), backward = reversed(forward);
  for (double epsilon : {0.1, 0.4, 1.0, 2.0}) {
    double most = 0;
    for (std::size_t turned = 0; turned <= 6; ++turned) {
      std::vector<const Outcomes*> steps(6, &forward);
      std::fill_n(steps.begin(), turned, &backward);
      const double shown = by_listing(steps, epsilon);
      most = std::max(most, shown);
      for (const Event& event : {structured, mixture}) {
        const auto price = delta_at(event, *Epsilon::make(epsilon));
        ASSERT_TRUE(price) << price.error().text();
        EXPECT_GE(price->delta, shown * (1 - 1e-12)) << to_text(event) << " with " << turned << " turned";
      }
    }
    // The partition loses little, so the check is not idle.
    EXPECT_GE(most, 0.3 * delta_at(structured, *Epsilon::make(epsilon))->delta_lower);
  }
}

TEST(Symmetrisation, BothWaysOfWritingOnePairCostTheSame) {
  for (std::int64_t count : {1, 5, 300}) {
    const GaussianMixture wide{{0, 1}, {0.9, 0.1}}, narrow{{0}, {1}};
    const auto one = epsilon_at({Mixture{wide, narrow, 1}, count}, *Delta::make(1e-6));
    const auto other = epsilon_at({Mixture{narrow, wide, 1}, count}, *Delta::make(1e-6));
    ASSERT_TRUE(one && other);
    EXPECT_NEAR(one->epsilon, other->epsilon, 1e-3 * one->epsilon);
    EXPECT_LE(one->epsilon_lower, other->epsilon);
    EXPECT_LE(other->epsilon_lower, one->epsilon);
  }
}

// A pair on a lattice of losses with 3h up and h down: as asymmetric as can be, and exact.
oracle::LatticeLoss lopsided(const Real& h) {
  const Real up = expm1(h) / (exp(h) - exp(-3 * h));
  return {h, -1, {1 - up, Real(0), Real(0), Real(0), up}};
}

TEST(Symmetrisation, OnTheLatticeTheLargerProfileDominatesEveryMixtureOfDirections) {
  const double h = 0.125;
  const auto forward = lopsided(Real(h)), backward = forward.reversed();
  const PositiveLoss symmetric = pointwise_maximum({positive_half(forward, 8), positive_half(backward, 8)});
  const int n = 12;
  for (double delta : {1e-2, 1e-5, 1e-9}) {
    const double certified = composed_epsilon(dominating(symmetric), n, Side::upper, delta);
    for (int turned = 0; turned <= n; ++turned) {
      const auto mixed = convolved(oracle::times(backward, turned), oracle::times(forward, n - turned));
      EXPECT_LE(mixed.delta(Real(certified)), Real(delta)) << turned << " turned at " << delta;
    }
  }
}

TEST(Symmetrisation, WhatNeighboursAttainNeverExceedsTheGuarantee) {
  for (const Event& sample : sample_events())
    for (std::int64_t count : {1, 3, 50}) {
      Options options;
      options.attained = true;
      const Event event{sample.kind, count};
      const auto price = epsilon_at(event, *Delta::make(1e-6), options);
      ASSERT_TRUE(price) << to_text(event) << price.error().text();
      if (price->epsilon_attained) {
        EXPECT_LE(*price->epsilon_attained, price->epsilon) << to_text(event);
        EXPECT_GE(*price->epsilon_attained, 0) << to_text(event);
      }
    }
}

TEST(Symmetrisation, ASubsampledPairAttainsTheLargerDirectionHoweverItIsWritten) {
  // One direction through all uses: less than the certified price, and the same for both ways of writing the event.
  StructuredSubsampling e = sample_structured();
  e.length = {30};
  e.context_length = 5;
  e.forecast_length = 1;
  e.top_level = StructuredSubsampling::Top::iterate;
  e.noise_multiplier = 2;
  Options options;
  options.attained = true;
  const auto structured = epsilon_at({e, 40}, *Delta::make(1e-6), options);
  const auto mixture = epsilon_at({Mixture{{{0, 1}, {0.8, 0.2}}, {{0}, {1}}, 1}, 40}, *Delta::make(1e-6), options);
  ASSERT_TRUE(structured && mixture);
  ASSERT_TRUE(structured->epsilon_attained && mixture->epsilon_attained);
  EXPECT_NEAR(structured->epsilon, mixture->epsilon, 2e-3 * structured->epsilon);
  EXPECT_LT(*structured->epsilon_attained, structured->epsilon_lower * 0.999);
  EXPECT_NEAR(*structured->epsilon_attained, *mixture->epsilon_attained, 5e-3 * *structured->epsilon_attained);
}

}  // namespace
}  // namespace chronoveil::accounting
