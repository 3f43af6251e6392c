// The cut-off part of a sum is charged to the upper bound and is no part of the lower one, which stays below the truth
// even if the truth is much smaller than what was cut.
#include <algorithm>
#include <cmath>

#include "accounting/bracketing.h"
#include "accounting/composing.h"
#include "accounting/generated.h"
#include "accounting/samples.h"
#include "chronoveil/accounting/grid/loss_model.h"

namespace chronoveil::accounting {
namespace {

// N(μ,1) against N(0,1) at any ε, also without a distance.
Real gaussian_at(const Real& mu, const Real& epsilon) {
  if (mu <= 0) return epsilon < 0 ? Real(-expm1(epsilon)) : Real(0);
  return oracle::gaussian(mu, epsilon);
}

Profile kept_gaussians(std::int64_t participation, double rate, double noise) {
  return [=](const Real& e) {
    Real sum = 0;
    for (std::int64_t k = 1; k <= participation; ++k)
      sum += oracle::binomial_weight(participation, k, Real(rate)) * gaussian_at(sqrt(Real(k)) / Real(noise), e);
    return sum;
  };
}

TEST(LowerBounds, OfAFewStepsHoldNothingThatWasNotCut) {
  const double far = 50.70298534512638, noise = 0.4316580098864666;
  const auto one = delta_at({TimeSubsampling{1, 0.1, noise, {}, {}}, 1}, *Epsilon::make(far));
  ASSERT_TRUE(one);
  EXPECT_TRUE(encloses_delta(one->delta_lower, one->delta, far, kept_gaussians(1, 0.1, noise)));
  EXPECT_LT(one->delta, 1e-97) << "nothing was cut, so that nothing is charged";

  const double delta = 2.6167608506963526e-62;
  const auto two = epsilon_at({TimeSubsampling{2, 0.001, 5.0351812913206855, {}, {}}, 1}, *Delta::make(delta));
  ASSERT_TRUE(two);
  EXPECT_TRUE(encloses_epsilon(two->epsilon_lower, two->epsilon, delta, kept_gaussians(2, 0.001, 5.0351812913206855)));
}

// Of many steps some numbers are so unlikely that they are cut off.
TEST(LowerBounds, OfManyStepsLeaveOutWhatWasCut) {
  const std::int64_t participation = 200;
  const double rate = 0.01, noise = 1;
  for (const double epsilon : {5.0, 60.0, 250.0, 700.0, 1500.0}) {
    const auto price = delta_at({TimeSubsampling{participation, rate, noise, {}, {}}, 1}, *Epsilon::make(epsilon));
    ASSERT_TRUE(price);
    EXPECT_TRUE(encloses_delta(price->delta_lower, price->delta, epsilon, kept_gaussians(participation, rate, noise)))
        << epsilon;
  }
}

TEST(LowerBounds, OfACompositionHoldNothingThatWasNotCut) {
  const double per_step = 0.17759316382092177, rate = 0.5049029632728153, noise = 0.8460521070480799;
  const double epsilon = 63.9581577360451;
  const Profile truth = [&](const Real& e) {
    const Real right = 1 / (1 + exp(-Real(per_step)));
    Real sum = 0;
    for (int kept = 0; kept <= 7; ++kept)
      for (int k = 0; k <= 10; ++k)
        sum += oracle::binomial_weight(7, kept, Real(rate)) * oracle::binomial_weight(10, k, right) *
               gaussian_at(sqrt(Real(kept)) / Real(noise), e - (2 * k - 10) * Real(per_step));
    return sum;
  };
  const Event event{Compose{{{Pure{per_step}, 10}, {TimeSubsampling{1, rate, noise, {}, {}}, 7}}}, 1};
  EXPECT_TRUE(is_certified_delta(event, epsilon, truth));
}

// The profile is known up to the end of a grid, and what it has there falls further on. One step that is kept or not:
// the loss is that of one Gaussian or of none, so that two have a closed form.
TEST(LowerBounds, AfterAFilterLeaveOutWhatIsBeyondTheGrid) {
  const TimeSubsampling e{1, 0.5, 1, 1, 0.02};
  const auto price = delta_at({e, 2}, *Epsilon::make(60));
  ASSERT_TRUE(price) << price.error().text();
  // The bound for one use is at most G(1), that for two at most G(√2): below 1e-381.
  ASSERT_LT(oracle::gaussian(sqrt(Real(2)), Real(60)), Real(1e-190) * Real(1e-190));
  EXPECT_TRUE(encloses_delta(price->delta_lower, 1, 60, [](const Real& at) {
    return oracle::gaussian(sqrt(Real(2)), at);
  })) << price->delta_lower;
}

TEST(LowerBounds, OfDeltaAndOfEpsilonDoNotContradictEachOther) {
  const Event event{
      Compose{{{TimeSubsampling{1, 0.08916879992443848, 31.08234710900458, 1, 0.019849772143683345}, 1'000'000},
               {DiscreteGaussian{15.75166963669803, 2}, 2},
               {Pure{3.166313248792062}, 100},
               {DiscreteGaussian{0.04320355293817035, 2}, 10'000}}},
      1};
  const double delta = 2.57e-103;
  const auto forward = epsilon_at(event, *Delta::make(delta));
  ASSERT_TRUE(forward) << forward.error().text();
  const auto back = delta_at(event, *Epsilon::make(forward->epsilon * (1 + 5e-6)));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_LE(back->delta_lower, delta);
}

// Each of forty windows is drawn once in a thousand times: of MoG(i) against MoG(−i), i ~ Bin(40, 1/1000), components
// below 1e-60 are left out.
TEST(LowerBounds, OfMixturesLeaveOutWhatWasDropped) {
  StructuredSubsampling e{};
  e.series = 10;
  e.length = {1019};
  e.context_length = 19;
  e.forecast_length = 20;
  e.width = 2;
  e.batch_size = 1;
  e.noise_multiplier = 1;
  e.top_level = StructuredSubsampling::Top::iterate;
  e.bottom_level = StructuredSubsampling::Bottom::poisson;
  oracle::Normals p, q;
  for (int i = 0; i <= 40; ++i) {
    const Real weight = oracle::binomial_weight(40, i, Real(1) / 1000);
    p.means.push_back(Real(i));
    q.means.push_back(Real(-i));
    p.weights.push_back(weight);
    q.weights.push_back(weight);
  }
  for (const double epsilon : {3.0, 150.0, 300.0, 400.0, 600.0}) {
    const auto price = delta_at({e, 1}, *Epsilon::make(epsilon));
    ASSERT_TRUE(price) << price.error().text();
    EXPECT_TRUE(encloses_delta(price->delta_lower, price->delta, epsilon, [&](const Real& at) {
      return oracle::mixture(p, q, at);
    })) << epsilon;
  }
}

// A unit drawn with replacement: how often is cut off at 1e-70.
TEST(LowerBounds, OfDrawsLeaveOutWhatWasCut) {
  const std::int64_t population = 1000, batch = 100;
  const auto inner = std::make_shared<const Event>(Event{Gaussian{1}, 1});
  for (const double epsilon : {2.0, 100.0, 500.0, 900.0}) {
    const Profile truth = [&](const Real& at) {
      const Real share = 1 - exp(batch * log1p(-1 / Real(population)));
      const Real inside = log1p(expm1(at) / share);
      Real sum = 0;
      for (std::int64_t k = 1; k <= batch; ++k)
        sum += oracle::binomial_weight(batch, k, 1 / Real(population)) * oracle::gaussian(Real(k), inside);
      return sum;
    };
    const auto price = delta_at({SampledWithReplacement{population, batch, inner}, 1}, *Epsilon::make(epsilon));
    ASSERT_TRUE(price) << price.error().text();
    EXPECT_TRUE(encloses_delta(price->delta_lower, price->delta, epsilon, truth)) << epsilon;
  }
}

// As they come from the engine: a price whose bounds are out of order is refused.
TEST(LowerBounds, OfTheEngineItselfAreBelowTheUpperOnes) {
  Generator generator(173);
  for (const Event& sample : sample_events()) {
    const auto model = make_loss_model(sample);
    ASSERT_TRUE(model) << to_text(sample);
    for (int i = 0; i < cases(4); ++i) {
      const std::int64_t count = generator.log_integer(1, 300);
      const double delta = generator.log_uniform(1e-80, 0.1), top = (*model)->top(1e-90);
      const std::size_t bins = static_cast<std::size_t>(generator.log_integer(8, 3000));
      const double step = top / static_cast<double>(bins);
      const LossGrids grids = (*model)->grids(step, bins, Reading::symmetric);
      const SaddlePoint saddle = saddle_of(grids.upper, count);
      Composition upper({{grids.upper, count}}, Side::upper, saddle);
      Composition lower({{grids.lower, count}}, Side::lower, saddle);
      EXPECT_LE(lower.infinite_mass(), upper.infinite_mass()) << to_text(sample);
      const auto most = upper.epsilon_at(delta), least = lower.epsilon_at(delta);
      ASSERT_TRUE(most && least) << to_text(sample);
      EXPECT_LE(*least, *most) << to_text(sample) << ' ' << count << " times at delta " << delta;
      const double epsilon = generator.uniform(0, 1.2) * (std::isfinite(*most) ? std::max(*most, 1e-3) : top);
      const auto above = upper.delta_at(epsilon), below = lower.delta_at(epsilon);
      ASSERT_TRUE(above && below) << to_text(sample);
      EXPECT_LE(*below, *above) << to_text(sample) << ' ' << count << " times at epsilon " << epsilon;
    }
  }
}

// A lower grid that takes what was charged for an infinite loss is above the truth.
TEST(LowerBounds, WhatWasChargedIsRejectedInThem) {
  const double epsilon = 900;
  const Profile truth = kept_gaussians(200, 0.01, 1);
  const auto model = make_loss_model({TimeSubsampling{200, 0.01, 1, {}, {}}, 1});
  ASSERT_TRUE(model);
  PositiveLoss half = (*model)->halves(1, 1000, false).upper;
  ASSERT_GT(half.charged, 0);
  auto lower = [&] {
    const GridLoss grid = dominated(half, half);
    const SaddlePoint saddle = saddle_of(grid, 1);
    return Composition({{grid, 1}}, Side::lower, saddle).delta_at(epsilon).value();
  };
  EXPECT_TRUE(encloses_delta(lower(), 1, epsilon, truth));
  std::swap(half.infinite, half.charged);
  EXPECT_FALSE(encloses_delta(lower(), 1, epsilon, truth));
}

}  // namespace
}  // namespace chronoveil::accounting
