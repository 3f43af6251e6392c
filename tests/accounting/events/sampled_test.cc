// Mechanisms on a sample of the units: one use, many of them, and what other accountants say.
#include "chronoveil/accounting/events/sampled/sampled.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "accounting/bracketing.h"
#include "accounting/composing.h"
#include "chronoveil/accounting/events/neighbours.h"
#include "chronoveil/accounting/grid/composer.h"
#include "chronoveil/accounting/grid/running_price.h"
#include "chronoveil/accounting/moments.h"

namespace chronoveil::accounting {
namespace {

std::shared_ptr<const Event> inside(Kind kind) { return std::make_shared<const Event>(Event{std::move(kind), 1}); }

Price epsilon_of(const Event& event, double delta, bool attained = false) {
  Options options;
  options.attained = attained;
  const auto price = epsilon_at(event, *Delta::make(delta), options);
  EXPECT_TRUE(price) << to_text(event) << ": " << price.error().text();
  return price.value_or(Price{});
}

double delta_of(const Event& event, double epsilon) {
  const auto price = delta_at(event, *Epsilon::make(epsilon));
  EXPECT_TRUE(price) << to_text(event) << ": " << price.error().text();
  return price ? price->delta : 0;
}

// What other accountants say, to the digits that are given here.
struct Known {
  double noise, rate;
  std::int64_t steps;
  double delta, epsilon;
};
constexpr Known kKnown[] = {{1, 0.01, 10'000, 1e-5, 6.1877},
                            {2, 0.01, 10'000, 1e-6, 2.447},
                            {0.8, 0.004, 3'000, 1e-6, 2.354},
                            {4, 0.25, 500, 1e-7, 8.096}};

TEST(Sampled, DpSgdCostsWhatOtherAccountantsSay) {
  for (const auto& [noise, rate, steps, delta, epsilon] : kKnown) {
    const Event short_name{DpSgd{rate, noise}, steps};
    const Event long_name{PoissonSampled{rate, inside(Gaussian{noise})}, steps};
    for (const Event& event : {short_name, long_name}) {
      const Price price = epsilon_of(event, delta, true);
      EXPECT_LE(price.epsilon_lower, epsilon * (1 + 3e-4)) << to_text(event);
      EXPECT_GE(price.epsilon, epsilon * (1 - 3e-4)) << to_text(event);
      EXPECT_TRUE(gap_is_allowed(price)) << to_text(event);
      EXPECT_EQ(price.epsilon_attained, price.epsilon_lower);
    }
  }
  const auto found = calibrate({DpSgd{0.01, kToCalibrate}, 10'000}, *Epsilon::make(2), *Delta::make(1e-5));
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_NEAR(found->noise, 2.127, 0.003);
}

TEST(Sampled, AMixtureShowsWhatOneDirectionAttains) {
  const Event mixture{Mixture{{{0, 1}, {0.99, 0.01}}, {{0}, {1}}, 1}, 10'000};
  const Price price = epsilon_of(mixture, 1e-5, true);
  EXPECT_NEAR(price.epsilon, 8.088, 0.01);  // its neighbours may be either way at every step
  ASSERT_TRUE(price.epsilon_attained);
  EXPECT_NEAR(*price.epsilon_attained, 6.1877, 0.006);
  EXPECT_LE(*price.epsilon_attained, 6.1879);
}

// Two outcomes, the unit's answer and the other: the exact hockey stick of n samples, in one direction and with
// `turned` of them in the other.
Real answers(const Real& rate, const Real& inner, int n, int turned, const Real& epsilon) {
  const Real truth = exp(inner) / (1 + exp(inner)), with = (1 - rate) * (1 - truth) + rate * truth, without = 1 - truth;
  Real delta = 0;
  for (int i = 0; i <= n - turned; ++i)
    for (int j = 0; j <= turned; ++j) {
      auto chance = [&](const Real& first, const Real& second) -> Real {
        return oracle::binomial_weight(n - turned, i, first) * oracle::binomial_weight(turned, j, second);
      };
      const Real p = chance(with, without), q = chance(without, with);
      delta += std::max(Real(0), Real(p - exp(epsilon) * q));
    }
  return delta;
}

TEST(Sampled, EachDirectionIsComposedByItselfUnderAddRemove) {
  for (const double rate : {0.02, 0.3, 0.9})
    for (const double inner : {0.3, 3.0})
      for (const int n : {1, 2, 7, 40}) {
        if (kSanitized && n > 2) continue;
        const Event event{PoissonSampled{rate, inside(Pure{inner})}, n};
        const Profile truth = [&](const Real& epsilon) {
          return std::max(answers(rate, inner, n, 0, epsilon), answers(rate, inner, n, n, epsilon));
        };
        for (const double delta : {1e-2, 1e-6})
          EXPECT_TRUE(n == 1 ? is_exact_epsilon(event, delta, truth) : is_certified_epsilon(event, delta, truth));
        EXPECT_TRUE(n == 1 ? is_exact_delta(event, 0.4, truth) : is_certified_delta(event, 0.4, truth));
      }
}

// One unit answers (yes, no), the one in its place (no, yes): neither stands out both times, so the price of fixed
// directions does not hold, but that of a replacement does.
TEST(Sampled, AReplacedUnitMayStandOutOnEitherSide) {
  const double rate = 0.3, inner = 3, epsilon = 1.5533;
  const auto shown = static_cast<double>(answers(rate, inner, 2, 1, epsilon));
  EXPECT_NEAR(shown, 0.1512, 1e-4);
  EXPECT_NEAR(delta_of({PoissonSampled{rate, inside(Pure{inner})}, 2}, epsilon), 0.0984, 1e-3);  // the twin
  EXPECT_GE(delta_of({PoissonSampled{rate, inside(Pure{inner}), Relation::replace}, 2}, epsilon), shown);
  EXPECT_GE(delta_of({SampledWithoutReplacement{10, 3, inside(Pure{inner})}, 2}, epsilon), shown);
}

TEST(Sampled, OneUseIsTheLargerOfBothDirectionsForEveryInnerEvent) {
  const Kind kinds[] = {Laplace{0.7},     DiscreteLaplace{2, 3}, DiscreteGaussian{2, 3},
                        Exponential{1.5}, Approximate{1, 1e-3},  Mixture{{{0, 1}, {0.5, 0.5}}, {{0}, {1}}, 1}};
  for (const Kind& kind : kinds)
    for (const double rate : {0.01, 0.6})
      for (const double epsilon : {0.05, 0.5}) {
        // η h(α') and, of the reverse, α η β h(1/β) with β = 1 + (1/α − 1)/η, from the inner price alone.
        const double alpha = std::exp(epsilon), beta = 1 + (1 / alpha - 1) / rate;
        double truth = rate * delta_of({kind, 1}, std::log1p((alpha - 1) / rate));
        if (beta > 0) truth = std::max(truth, alpha * rate * beta * delta_of({kind, 1}, -std::log(beta)));
        EXPECT_NEAR(delta_of({PoissonSampled{rate, inside(kind)}, 1}, epsilon), truth, 1e-9 * truth + 1e-300);
      }
}

TEST(Sampled, ManyUsesOfAnyInnerEventAreBracketedByFewerAndByMore) {
  const Kind kinds[] = {Laplace{1}, DiscreteLaplace{3, 2}, DiscreteGaussian{3, 2}, Exponential{0.5},
                        Approximate{0.5, 1e-12}};
  for (const Kind& kind : kinds) {
    double before = 0;
    for (const std::int64_t count : {1, 3, 30, 300}) {
      const Event event{PoissonSampled{0.1, inside(kind)}, count};
      const Price price = epsilon_of(event, 1e-6);
      EXPECT_GE(price.epsilon, before) << to_text(event);
      EXPECT_LE(price.epsilon_lower, price.epsilon);
      // Directions that may change from use to use cost no less, and no sampling at all costs more.
      EXPECT_LE(price.epsilon_lower,
                epsilon_of({PoissonSampled{0.1, inside(kind), Relation::replace}, count}, 1e-6).epsilon);
      EXPECT_LE(price.epsilon_lower, epsilon_of({kind, count}, 1e-6).epsilon);
      before = price.epsilon_lower;
    }
  }
}

TEST(Sampled, AlwaysOrNeverInTheSample) {
  EXPECT_EQ(epsilon_of({DpSgd{0, 1}, 100}, 1e-6).epsilon, 0);
  EXPECT_NEAR(epsilon_of({DpSgd{1, 10}, 4}, 1e-6).epsilon, epsilon_of({Gaussian{10}, 4}, 1e-6).epsilon, 1e-3);
  EXPECT_NEAR(epsilon_of({PoissonSampled{1, inside(Laplace{2})}, 1}, 1e-6).epsilon,
              epsilon_of({Laplace{2}, 1}, 1e-6).epsilon, 1e-12);
  EXPECT_NEAR(epsilon_of({SampledWithoutReplacement{7, 7, inside(Laplace{2})}, 1}, 1e-6).epsilon,
              epsilon_of({Laplace{2}, 1}, 1e-6).epsilon, 1e-12);
}

TEST(Sampled, OneDrawIsTheSameWithAndWithoutReplacement) {
  for (const Relation relation : {Relation::replace, Relation::add_remove}) {
    const Event with{SampledWithReplacement{50, 1, inside(Gaussian{1}), relation}, 20};
    const Event without{SampledWithoutReplacement{50, 1, inside(Gaussian{1}), relation}, 20};
    EXPECT_NEAR(epsilon_of(with, 1e-6).epsilon, epsilon_of(without, 1e-6).epsilon, 2e-3);
  }
}

TEST(Sampled, MomentsBoundTheComposedPrice) {
  const Event events[] = {{DpSgd{0.05, 1}, 200},
                          {PoissonSampled{0.05, inside(Laplace{1})}, 200},
                          {SampledWithoutReplacement{100, 5, inside(Gaussian{1})}, 200},
                          {SampledWithReplacement{100, 5, inside(Gaussian{2})}, 200}};
  for (const Event& event : events) {
    const auto cost = renyi_cost(event, renyi_orders());
    ASSERT_TRUE(cost) << to_text(event) << cost.error().text();
    const double renyi = epsilon_from_renyi(renyi_orders(), cost->epsilon, *Delta::make(1e-6));
    EXPECT_GE(renyi * 1.001, epsilon_of(event, 1e-6).epsilon_lower) << to_text(event);
    EXPECT_LE(renyi, 3 * epsilon_of(event, 1e-6).epsilon) << to_text(event);
    if (const auto zcdp = zcdp_cost(event)) {
      EXPECT_GE(epsilon_from_zcdp(zcdp->rho, *Delta::make(1e-6)), epsilon_of(event, 1e-6).epsilon_lower)
          << to_text(event);
    }
    if (const auto mu = gaussian_cost(event)) {
      EXPECT_GE(epsilon_of({Gaussian{1 / *mu}, 1}, 1e-6).epsilon, epsilon_of(event, 1e-6).epsilon_lower);
    }
  }
}

TEST(Sampled, ARunningPriceKeepsTheDirection) {
  RunningPrice running;
  ASSERT_TRUE(running.add({DpSgd{0.01, 1}, 400}));
  ASSERT_TRUE(running.add({DpSgd{0.01, 1}, 600}));
  const auto price = running.epsilon_at(*Delta::make(1e-5));
  ASSERT_TRUE(price) << price.error().text();
  EXPECT_NEAR(price->epsilon, epsilon_of({DpSgd{0.01, 1}, 1000}, 1e-5).epsilon, 2e-3);
}

TEST(Sampled, WhatIsForAReplacementMakesTheWholeCompositionOne) {
  const Event training{DpSgd{0.1, 2}, 10}, answer{RandomizedResponse{0.2, 3}, 1};
  const auto seen = in_one_relation({Compose{{training, answer}}, 1});
  ASSERT_TRUE(seen) << seen.error().text();
  const Event expected{PoissonSampled{0.1, inside(Gaussian{1}), Relation::replace}, 10};
  EXPECT_EQ(to_text(*seen), to_text({Compose{{expected, answer}}, 1}));
  EXPECT_EQ(relation_of({Compose{{training, answer}}, 1}), Relation::replace);
  EXPECT_EQ(relation_of({Compose{{training, {Laplace{1}, 1}}}, 1}), Relation::add_remove);
  // What cannot be seen as a replacement is refused, and both are named.
  const auto refused = in_one_relation(
      {Compose{{{PoissonSampled{0.1, inside(Mixture{{{0, 1}, {0.5, 0.5}}, {{0}, {1}}, 1})}, 1}, answer}}, 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::cannot_certify);
  EXPECT_NE(refused.error().text().find("poisson_sampled"), std::string::npos);
  EXPECT_NE(refused.error().text().find("randomized_response"), std::string::npos);
}

TEST(Sampled, WhatCannotBeSampledIsRefused) {
  for (
      const char* text :
      {R"({"event": "dp_sgd", "rate": 1.5, "noise_multiplier": 1})",
       R"({"event": "dp_sgd", "rate": 0.1, "noise_multiplier": 1, "inner": {"event": "pure", "epsilon": 1}})",
       R"({"event": "poisson_sampled", "rate": 0.1})", R"({"event": "poisson_sampled", "rate": 0.1, "inner": 3})",
       R"({"event": "poisson_sampled", "rate": 0.1, "inner": {"event": "pure", "epsilon": 1, "count": 2}})",
       R"({"event": "poisson_sampled", "rate": 0.1, "inner": {"event": "dp_sgd", "rate": 1, "noise_multiplier": 1}})",
       R"({"event": "poisson_sampled", "rate": 0.1, "inner": {"event": "ranswitch", "window": 3, "stay": 0.5}})",
       R"({"event": "poisson_sampled", "rate": 0.1, "inner": {"event": "randomized_response", "epsilon": 1, "values": 2}})",
       R"({"event": "poisson_sampled", "rate": 0.1, "relation": "swap", "inner": {"event": "pure", "epsilon": 1}})",
       R"({"event": "sampled_without_replacement", "population": 5, "batch_size": 6, "inner": {"event": "pure", "epsilon": 1}})",
       R"({"event": "sampled_without_replacement", "population": 5, "batch_size": 5, "relation": "add_remove", "inner": {"event": "pure", "epsilon": 1}})",
       R"({"event": "sampled_with_replacement", "population": 5, "batch_size": 6, "inner": {"event": "approximate", "epsilon": 1, "delta": 0.1}})"})
    EXPECT_FALSE(parse_event(text)) << text;
  for (
      const char* text :
      {R"({"event":"dp_sgd","noise_multiplier":1.0,"rate":0.1})",
       R"({"event":"poisson_sampled","inner":{"epsilon":1.0,"event":"pure"},"rate":0.1,"relation":"replace"})",
       R"({"batch_size":6,"event":"sampled_with_replacement","inner":{"event":"laplace","noise_multiplier":1.0},"population":5,"relation":"add_remove"})"}) {
    const auto event = parse_event(text);
    ASSERT_TRUE(event) << event.error().text();
    EXPECT_EQ(to_text(*event), text);
  }
}

// A rate so small that e^ε over it overflows is no infinite loss; a rate too small for any number is refused.
TEST(Sampled, AHardlyEverTakenSampleStillCosts) {
  const Event leak{PoissonSampled{1e-280, inside(Pure{800})}, 1};
  double before = 1;
  for (const double epsilon : {1.0, 25.0, 29.0, 31.0, 60.0}) {
    const double delta = delta_of(leak, epsilon);
    EXPECT_GE(delta, 0.999e-280) << epsilon;
    EXPECT_LE(delta, before);
    before = delta;
  }
  const Event answers{PoissonSampled{1e-280, inside(Pure{670})}, 1};
  EXPECT_NEAR(epsilon_of(answers, 1e-290).epsilon, 670 - 280 * std::log(10), 1e-3);
  EXPECT_FALSE(epsilon_at({PoissonSampled{1e-300, inside(Pure{1})}, 2}, *Delta::make(1e-6)));
  EXPECT_LT(delta_of({PoissonSampled{1e-280, inside(DiscreteGaussian{0.01, 1})}, 1}, 25), 1e-270);
}

// Small losses of small samples are not lost in a sum of logarithms, and a count makes them large.
TEST(Sampled, APureEventInsideIsPureOutsideToItsLastDigits) {
  for (const auto& [rate, inner] : {std::pair{1e-33, 41.0}, {1e-20, 35.0}, {1e-14, 30.5}, {1e-280, 640.0}}) {
    const Event event{PoissonSampled{rate, inside(Pure{inner})}, 1};
    const auto truth = static_cast<double>(log1p(Real(rate) * expm1(Real(inner))));
    const Price price = epsilon_of(event, 0);
    EXPECT_GE(price.epsilon, truth * (1 - 1e-15)) << rate;
    EXPECT_NEAR(price.epsilon, truth, 1e-12 * truth);
    const auto cost = zcdp_cost(event);
    ASSERT_TRUE(cost);
    EXPECT_GE(cost->rho, truth * truth / 2);
  }
  EXPECT_FALSE(gaussian_cost({PoissonSampled{1e-310, inside(Pure{100000})}, 1}));
}

// Under replace both directions are the larger one: what is certified from below must not exceed an independent bound
// from above, connected dots of the profile on a grid of its own.
TEST(Sampled, LowerBoundsOfReplacedUnitsStayBelowIndependentUpperOnes) {
  const double rate = 0.38748461194328054, noise = 29.903439983162098, delta = 5.263079589279029e-6;
  const int count = 2517;
  const double top = std::log1p(rate * std::expm1(1 / noise)), step = top / 2048;
  std::vector<long double> profile(2049);
  for (std::size_t i = 0; i < profile.size(); ++i) {
    const Real inner = log(1 + (exp(Real(step * static_cast<double>(i))) - 1) / rate);
    profile[i] = static_cast<long double>(rate * oracle::laplace(Real(noise), inner)) * (1 + 1e-15L);
  }
  const double above = composed_epsilon(dominating(from_profile(step, profile)), count, Side::upper, delta);
  const Price price = epsilon_of({PoissonSampled{rate, inside(Laplace{noise}), Relation::replace}, count}, delta);
  EXPECT_LE(price.epsilon_lower, above);
  EXPECT_NEAR(price.epsilon, above, 2e-3 * above);
  EXPECT_NEAR(above, 2.7704, 1e-3);
}

TEST(Sampled, ALeakFarBeyondTheGridTakesNoMemory) {
  const Event event{PoissonSampled{0.5, inside(Approximate{1e-9, 1e-30})}, 1000};
  const Price price = epsilon_of(event, 1e-6);
  EXPECT_LE(price.epsilon, 1e-6);
}

TEST(Sampled, NoiseIsCalibratedInsideTheSample) {
  const auto open = parse_event(
      R"({"event": "sampled_without_replacement", "population": 100, "batch_size": 5, "inner": {"event": "laplace"}, "count": 50})",
      true);
  ASSERT_TRUE(open) << open.error().text();
  const auto found = calibrate(*open, *Epsilon::make(1), *Delta::make(1e-6));
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->parameter, "noise_multiplier");
  EXPECT_LE(found->price.epsilon, 1);
  EXPECT_GE(found->price.epsilon, 0.999);
  EXPECT_EQ(inner_of(found->event)->kind.index(), Kind(Laplace{1}).index());
}

// The pair of a selection differs from α to α; its moments do not, and win when there are many.
TEST(Selections, CostTheLowerOfTwoBounds) {
  for (const double epsilon : {0.1, 0.25, 1.0})
    for (const std::int64_t count : {2, 10, 100, 1000}) {
      const Event event{Exponential{epsilon}, count};
      const Price price = epsilon_of(event, 1e-6);
      const auto cost = zcdp_cost(event);
      ASSERT_TRUE(cost);
      EXPECT_DOUBLE_EQ(cost->rho, static_cast<double>(count) * epsilon * epsilon / 8 * (1 + 1e-12));
      EXPECT_LE(price.epsilon, epsilon_from_zcdp(cost->rho, *Delta::make(1e-6)) * (1 + 1e-9));
      EXPECT_LE(price.epsilon_lower, price.epsilon);
      // A pair on two points is among those that a bounded range allows: losses t and t − ε.
      const double t = epsilon / 2, p = -std::expm1(t - epsilon) / -std::expm1(-epsilon);
      double shown = 0;
      for (std::int64_t k = 0; k <= count && count <= 100; ++k) {
        const double loss = static_cast<double>(count) * t - static_cast<double>(k) * epsilon;
        const auto weight = static_cast<double>(oracle::binomial_weight(count, k, 1 - p));
        shown += std::max(0.0, -std::expm1(price.epsilon - loss)) * weight;
      }
      EXPECT_LE(shown, 1e-6) << epsilon << " " << count;
    }
}

// The twin prices by the pair alone.
TEST(Selections, ThePairAloneIsDearer) {
  const Event event{Exponential{0.2}, 400};
  const auto steps = steps_of(event);
  ASSERT_TRUE(steps);
  Steps pair = *steps;
  pair.zcdp.reset();
  const auto dearer = price_of(pair, {true, 1e-3}, Options{});
  ASSERT_TRUE(dearer) << dearer.error().text();
  EXPECT_NEAR(epsilon_of(event, 1e-3).epsilon, 8.416, 1e-3);
  EXPECT_NEAR(dearer->epsilon, 9.149, 1e-2);
}

}  // namespace
}  // namespace chronoveil::accounting
