// Rényi, zCDP and Gaussian costs: closed forms, quadrature, and never below the main accountant.
#include "chronoveil/accounting/moments.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "accounting/bracketing.h"
#include "accounting/generated.h"
#include "accounting/samples.h"
#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {
namespace {

constexpr double kOrders[] = {1.05, 1.5, 2, 3, 8, 32};

// D_a of N(means)/weights mixtures with unit variance by the trapezoid rule, which converges faster than any power.
double renyi_by_quadrature(const oracle::Normals& p, const oracle::Normals& q, double a) {
  auto log_density = [](const oracle::Normals& mixture, double x) {
    double sum = 0;
    for (std::size_t i = 0; i < mixture.means.size(); ++i) {
      const double d = x - static_cast<double>(mixture.means[i]);
      sum += static_cast<double>(mixture.weights[i]) * std::exp(-d * d / 2);
    }
    return std::log(sum);
  };
  double sum = 0;
  for (double x = -36; x < 36; x += 0.01) {
    const double log_p = log_density(p, x), log_q = log_density(q, x);
    if (std::isfinite(log_p) && std::isfinite(log_q)) sum += std::exp(a * log_p + (1 - a) * log_q) * 0.01;
  }
  return std::log(sum / std::sqrt(2 * M_PI)) / (a - 1);
}

TEST(Moments, ClosedFormsAreTheTextbooks) {
  for (double a : kOrders) {
    const std::span<const double> order(&a, 1);
    EXPECT_NEAR(renyi_cost({Gaussian{2}, 3}, order)->epsilon[0], 3 * a / 8, 1e-9);
    // Laplace noise: ∫ p^a q^{1−a} over its three pieces.
    const double e = 0.5;
    const double laplace = 0.5 * std::exp((a - 1) * e) + 0.5 * std::exp(-a * e) +
                           0.5 * std::exp((a - 1) * e) * (1 - std::exp(-(2 * a - 1) * e)) / (2 * a - 1);
    EXPECT_NEAR(renyi_cost({Laplace{2}, 1}, order)->epsilon[0], std::log(laplace) / (a - 1), 1e-9);
    const double truth = std::exp(0.7) / (1 + std::exp(0.7)), lie = 1 - truth;
    const double pure = std::log(std::pow(truth, a) * std::pow(lie, 1 - a) + std::pow(lie, a) * std::pow(truth, 1 - a));
    EXPECT_NEAR(renyi_cost({Pure{0.7}, 5}, order)->epsilon[0], 5 * pure / (a - 1), 1e-9);
  }
}

// log cosh without loss of digits.
long double log_cosh(long double x) {
  const long double half = std::sinh(x / 2);
  return std::log1p(2 * half * half);
}

// D_a of losses ±ε is (log cosh((2a−1)ε/2) − log cosh(ε/2)) / (a−1). A small ε must not be lost in rounding: an event
// may happen 10^18 times.
TEST(Moments, ATinyEpsilonCostsAsMuchAsItIs) {
  for (const double epsilon : {1e-12, 1e-10, 2e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-4, 1e-3, 1e-2, 0.5}) {
    const Event events[] = {{Pure{epsilon}}, {Approximate{epsilon, 0}}, {RandomizedResponse{epsilon, 2}}};
    for (const double a : renyi_orders()) {
      const long double exact = (log_cosh((2 * a - 1) * epsilon / 2.0L) - log_cosh(epsilon / 2.0L)) / (a - 1.0L);
      for (const Event& event : events) {
        const double cost = renyi_cost(event, {&a, 1})->epsilon[0];
        EXPECT_GE(cost, static_cast<double>(exact)) << name(event) << " " << epsilon << " " << a;
        EXPECT_LE(cost, a * epsilon * epsilon / 2 * 1.001) << name(event) << " " << epsilon << " " << a;
      }
    }
    const Event laplace{Laplace{1 / epsilon}}, discrete{DiscreteLaplace{1 / epsilon, 1}};
    for (const double a : {1.05, 2.0, 22.0}) {
      if (a * epsilon > 1e-2) continue;
      // aε²/2 (1 − ε/3 + O(a²ε²)), by expanding [Mironov17, Prop. 6].
      const double expansion = a * epsilon * epsilon / 2 * (1 - epsilon / 3 - 2 * a * a * epsilon * epsilon);
      EXPECT_GE(renyi_cost(laplace, {&a, 1})->epsilon[0], expansion) << epsilon << " " << a;
      EXPECT_GE(renyi_cost(discrete, {&a, 1})->epsilon[0], expansion) << epsilon << " " << a;
    }
    // 2 Φ⁻¹(1/(1 + e^−ε)) = ε √(2π)/2 (1 − O(ε²)).
    if (epsilon <= 1e-4) {
      EXPECT_GE(*gaussian_cost({Pure{epsilon}}), epsilon * 1.2533141373155 * (1 - epsilon * epsilon));
    }
  }
}

// Means that hardly differ: ad²/2 for one mean on each side, which no grid resolves, and no more for any mixture.
TEST(Moments, MeansThatHardlyDifferCostHardlyAnything) {
  for (const double distance : {1e-8, 1e-12, 1e-16, 1e-30, 1e-100}) {
    const Event plain{Mixture{{{distance}, {1}}, {{0}, {1}}, 1}};
    const Event mixed{Mixture{{{0, distance}, {0.5, 0.5}}, {{0}, {1}}, 1}};
    for (const double a : {1.5, 22.0, 1024.0}) {
      for (const Event& event : {plain, mixed}) {
        const auto cost = renyi_cost(event, {&a, 1});
        ASSERT_TRUE(cost);
        EXPECT_EQ(cost->delta, 0);
        EXPECT_GE(cost->epsilon[0], a * distance * distance / 2);
        EXPECT_LE(cost->epsilon[0], a * distance * distance / 2 * 1.001);
      }
    }
  }
}

TEST(Moments, MixturesAreBoundedFromAboveAndCloselyByQuadrature) {
  const oracle::Normals p{{0, 0.5}, {0.9, 0.1}}, q{{0}, {1}};
  const Event event{Mixture{{{0, 1}, {0.9, 0.1}}, {{0}, {1}}, 2}, 1};
  const auto cost = renyi_cost(event, kOrders);
  ASSERT_TRUE(cost);
  // The pair is symmetrised, so the bound is not tight; from order 10 on, losses of 1e-40 of the mass matter, which are
  // set aside.
  for (std::size_t j = 0; kOrders[j] < 10; ++j) {
    const double exact = std::max(renyi_by_quadrature(p, q, kOrders[j]), renyi_by_quadrature(q, p, kOrders[j]));
    EXPECT_GE(cost->epsilon[j], exact * (1 - 1e-9)) << kOrders[j];
    EXPECT_LE(cost->epsilon[j], exact * 1.35) << kOrders[j];
  }
  EXPECT_LE(cost->delta, 1e-38);
}

TEST(Moments, DiscreteLaplaceIsBoundedFromAboveAndCloselyByItsSum) {
  const auto loss = oracle::discrete_laplace(Real(7), 3);
  const auto cost = renyi_cost({DiscreteLaplace{7, 3}, 1}, kOrders);
  ASSERT_TRUE(cost);
  for (std::size_t j = 0; j < std::size(kOrders); ++j) {
    Real sum = 0;
    for (std::size_t k = 0; k < loss.mass.size(); ++k)
      sum += loss.mass[k] * exp((Real(kOrders[j]) - 1) * loss.spacing * (loss.first + static_cast<long>(k)));
    const auto exact = static_cast<double>(log(sum) / (Real(kOrders[j]) - 1));
    EXPECT_GE(cost->epsilon[j], exact * (1 - 1e-9));
    EXPECT_LE(cost->epsilon[j], exact * 1.01);
  }
}

TEST(Moments, TheMainAccountantNeverExceedsTheMoments) {
  for (const Event& sample : sample_events())
    for (std::int64_t count : {1, 7, 400}) {
      const Event event{sample.kind, count};
      const auto renyi = renyi_cost(event, renyi_orders());
      ASSERT_TRUE(renyi) << to_text(event) << renyi.error().text();
      for (double delta : {1e-3, 1e-8}) {
        const auto price = epsilon_at(event, *Delta::make(delta + renyi->delta));
        ASSERT_TRUE(price) << to_text(event) << price.error().text();
        const double by_moments = epsilon_from_renyi(renyi_orders(), renyi->epsilon, *Delta::make(delta));
        EXPECT_LE(price->epsilon, by_moments * (1 + 1e-3) + 1e-6) << to_text(event) << " at " << delta;
        if (const auto zcdp = zcdp_cost(event)) {
          // A little below the price, ρ is no longer enough: the price is no larger than what ρ implies. For bounded
          // range the profile is the largest over all pairs at each α, so its composition may lie above ρ = ε²/8.
          const double room = std::holds_alternative<Exponential>(event.kind) ? 0.15 : 1e-3;
          const double below = price->epsilon * (1 - room) - 1e-6;
          if (below > 0) {
            EXPECT_LE(zcdp_budget(*Epsilon::make(below), *Delta::make(delta)), zcdp->rho * (1 + 1e-6))
                << to_text(event) << " at " << delta;
          }
        }
        if (const auto mu = gaussian_cost(event)) {
          const auto dominating = epsilon_at({Gaussian{1 / *mu}, 1}, *Delta::make(delta));
          EXPECT_LE(price->epsilon, dominating->epsilon * (1 + 1e-3) + 1e-6) << to_text(event) << " at " << delta;
        }
      }
    }
}

TEST(Moments, ABudgetIsTheLargestCostThatKeepsWithinIt) {
  for (double epsilon : {0.01, 0.5, 3.0, 20.0})
    for (double delta : {1e-3, 1e-9, 1e-25}) {
      const double mu = gaussian_budget(*Epsilon::make(epsilon), *Delta::make(delta));
      EXPECT_LE(oracle::gaussian(Real(mu), Real(epsilon)), Real(delta));
      EXPECT_GT(oracle::gaussian(Real(mu) * (1 + Real(1e-8)), Real(epsilon)), Real(delta));
      // ρ = μ²/2 of a Gaussian never says more than the Gaussian itself.
      const double rho = zcdp_budget(*Epsilon::make(epsilon), *Delta::make(delta));
      EXPECT_LE(rho, mu * mu / 2);
      EXPECT_GT(rho, mu * mu / 2 * 0.4);
      const auto curve = renyi_budget(renyi_orders(), *Epsilon::make(epsilon), *Delta::make(delta));
      // Where even order 1024 cannot reach ε, only what costs nothing fits.
      const bool within_reach = *std::min_element(curve.begin(), curve.end()) > 0;
      if (within_reach) {
        EXPECT_LE(epsilon_from_renyi(renyi_orders(), curve, *Delta::make(delta)), epsilon * (1 + 1e-12));
      }
    }
}

TEST(Moments, EventsWithoutAGaussianSaySo) {
  const auto mu = gaussian_cost({Approximate{0.1, 1e-9}, 1});
  ASSERT_FALSE(mu);
  EXPECT_EQ(mu.error().kind, ErrorKind::cannot_certify);
  EXPECT_EQ(renyi_cost({Approximate{0.1, 1e-9}, 4}, kOrders)->delta, 4e-9);
  EXPECT_EQ(zcdp_cost({Approximate{0.1, 1e-9}, 4})->delta, 4e-9);
}

// A sample that hardly ever holds anybody has hardly any loss, and is a certain leak when it does: nothing of that is
// lost, however small, since a count may make it large.
TEST(Moments, WhatHardlyEverHappensIsCharged) {
  for (const double rate : {1e-39, 1e-41, 1e-60}) {
    const Event event{DpSgd{rate, 0.001}, 9'000'000'000'000'000'000};
    const auto cost = renyi_cost(event, renyi_orders());
    ASSERT_TRUE(cost) << cost.error().text();
    // As a leak, or as a finite loss beyond any budget.
    const bool finite = std::all_of(cost->epsilon.begin(), cost->epsilon.end(), [](double each) { return each > 1e6; });
    EXPECT_TRUE(finite || cost->delta >= 9e18 * rate * (1 - 1e-9)) << rate << " " << cost->delta;
  }
}

// Squares of numbers below about 1e-154 underflow. Events that cost nothing at all are told apart.
TEST(Moments, NextToNothingIsNotNothing) {
  const Mixture near{{{0}, {1}}, {{1e-30}, {1}}, 1e150};
  for (const Event& event : {Event{Pure{1e-200}, 1}, Event{Approximate{1e-200, 1e-9}, 1}, Event{Exponential{1e-200}, 1},
                             Event{RandomizedResponse{1e-200, 3}, 1}, Event{near, 1}}) {
    const auto renyi = renyi_cost(event, kOrders);
    ASSERT_TRUE(renyi) << to_text(event) << ": " << renyi.error().text();
    for (const double epsilon : renyi->epsilon) EXPECT_GT(epsilon, 0) << to_text(event);
    EXPECT_GT(zcdp_cost(event).value().rho, 0) << to_text(event);
    if (!std::holds_alternative<Approximate>(event.kind)) {
      EXPECT_GT(gaussian_square(event, 0).value(), 0) << to_text(event);
    }
  }
  const RenyiCost nothing = renyi_cost({Pure{0}, 1}, kOrders).value();
  for (const double epsilon : nothing.epsilon) EXPECT_EQ(epsilon, 0);
  EXPECT_EQ(zcdp_cost({Pure{0}, 1})->rho, 0);
}

}  // namespace
}  // namespace chronoveil::accounting
