// A NaN mass is an error wherever profiles are combined: it must never lose a comparison and drop out of a bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "accounting/bracketing.h"
#include "chronoveil/accounting/grid/extremes.h"
#include "chronoveil/accounting/grid/loss_model.h"
#include "chronoveil/accounting/moments.h"
#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Pick = double (*)(double, double);

bool lets_nan_win(Pick pick) {
  for (const double other : {-1.0, 0.0, 1.0, std::numeric_limits<double>::infinity()})
    if (!std::isnan(pick(kNan, other)) || !std::isnan(pick(other, kNan))) return false;
  return true;
}

double the_larger(double a, double b) { return larger(a, b); }
double the_smaller(double a, double b) { return smaller(a, b); }
double twin_larger(double a, double b) { return std::max(a, b); }
double twin_smaller(double a, double b) { return std::min(a, b); }

TEST(NotANumber, WinsEveryComparison) {
  EXPECT_TRUE(lets_nan_win(the_larger) && lets_nan_win(the_smaller));
  EXPECT_EQ(larger(1.0, 2.0), 2);
  EXPECT_EQ(larger(2.0, 1.0), 2);
  EXPECT_EQ(smaller(1.0, 2.0), 1);
  EXPECT_EQ(smaller(2.0, 1.0), 1);
}

TEST(NotANumber, LosesToTheStandardLibrarysPicksWhichAreRejected) {
  EXPECT_FALSE(lets_nan_win(twin_larger));
  EXPECT_FALSE(lets_nan_win(twin_smaller));
}

// A way to put two profiles together, and what says whether the result may be used.
struct Together {
  std::function<PositiveLoss(const PositiveLoss&, const PositiveLoss&)> put;
  std::function<bool(const GridLoss&)> accepts = [](const GridLoss& grid) { return check_masses(grid).has_value(); };
};

// Good profiles are accepted, and any that holds NaN is refused, whichever comes first.
bool refuses_every_nan(const Together& way) {
  const PositiveLoss good = gaussian_model(1)->halves(0.25, 40, false).upper;
  const PositiveLoss other = gaussian_model(0.5L)->halves(0.25, 40, false).upper;
  auto taken = [&](const PositiveLoss& a, const PositiveLoss& b) { return way.accepts(dominating(way.put(a, b))); };
  if (!taken(good, other) || !taken(other, good)) return false;
  for (std::size_t place = 0; place <= 2 * good.bins(); ++place) {
    PositiveLoss wrong = good;
    (place == 2 * good.bins() ? wrong.infinite
     : place >= good.bins()   ? wrong.q[place - good.bins()]
                              : wrong.p[place]) = kNan;
    if (taken(wrong, other) || taken(other, wrong)) return false;
  }
  return true;
}

// As the engine's, but for the pick.
Together twin_by(Pick pick) {
  return {[pick](const PositiveLoss& a, const PositiveLoss& b) {
    std::vector<long double> values = profile_on_grid(a);
    const std::vector<long double> others = profile_on_grid(b);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = pick(static_cast<double>(values[i]), static_cast<double>(others[i]));
    return from_profile(a.step, values);
  }};
}

TEST(NotANumber, IsRefusedFromEveryBinInEitherOrder) {
  using Halves = std::vector<PositiveLoss>;
  EXPECT_TRUE(refuses_every_nan({[](const auto& a, const auto& b) { return pointwise_maximum(Halves{a, b}); }}));
  EXPECT_TRUE(refuses_every_nan({[](const auto& a, const auto& b) { return envelope_of_minimum(Halves{a, b}); }}));
  EXPECT_TRUE(refuses_every_nan({maximum_of_merged}));
  EXPECT_TRUE(refuses_every_nan(twin_by(the_larger)) && refuses_every_nan(twin_by(the_smaller)));
}

TEST(NotANumber, ThatLosesAComparisonOnTheWayIsRejected) {
  EXPECT_FALSE(refuses_every_nan(twin_by(twin_larger)));
  EXPECT_FALSE(refuses_every_nan(twin_by(twin_smaller)));
}

TEST(NotANumber, IsNotSeenByACheckThatLooksForTheSmallestMass) {
  Together way{maximum_of_merged};
  way.accepts = [](const GridLoss& grid) {
    double least = grid.infinite, most = grid.infinite;
    for (const double mass : grid.mass) {
      least = std::min(least, mass);
      most = std::max(most, mass);
    }
    return least >= 0 && most < std::numeric_limits<double>::infinity();
  };
  EXPECT_FALSE(refuses_every_nan(way));
}

TEST(NotANumber, IsRefusedAfterEveryWayToPutProfilesTogether) {
  const PositiveLoss good = gaussian_model(1)->halves(0.25, 40, false).upper;
  const PositiveLoss other = gaussian_model(0.5L)->halves(0.25, 40, false).upper;
  auto refused = [](const PositiveLoss& half) { return !check_masses(dominating(half)); };
  auto everywhere = [&](const PositiveLoss& half) {
    return refused(half) && refused(thinned(half, 0.5)) && refused(paired(half)) &&
           refused(maximum_of_merged(half, other)) && refused(maximum_of_merged(other, half)) &&
           !check_masses(dominated(half, other)) && !check_masses(dominated(other, half));
  };
  // Where a profile is infinite, its convex envelope goes by the values beside it; where it is NaN there is none.
  auto in_envelopes = [&](const PositiveLoss& half) {
    return refused(envelope_of_minimum({half, other})) && refused(envelope_of_minimum({other, half})) &&
           refused(pointwise_maximum({half, other})) && refused(pointwise_maximum({other, half}));
  };
  EXPECT_FALSE(refused(good));
  EXPECT_FALSE(refused(pointwise_maximum({good, other})));
  EXPECT_FALSE(refused(envelope_of_minimum({good, other})));
  EXPECT_FALSE(refused(maximum_of_merged(good, other)));
  EXPECT_TRUE(check_masses(dominated(good, other)));
  for (const double bad : {kNan, std::numeric_limits<double>::infinity()}) {
    for (const std::size_t bin : {0U, 7U, 39U}) {
      PositiveLoss wrong = good;
      wrong.p[bin] = bad;
      EXPECT_TRUE(everywhere(wrong)) << "p " << bin << ' ' << bad;
      EXPECT_TRUE(std::isinf(bad) || in_envelopes(wrong)) << "p " << bin;
      wrong = good;
      wrong.q[bin] = kNan;
      EXPECT_TRUE(everywhere(wrong) && in_envelopes(wrong)) << "q " << bin;
    }
    PositiveLoss wrong = good;
    wrong.infinite = bad;
    EXPECT_TRUE(everywhere(wrong)) << "infinite " << bad;
    EXPECT_TRUE(std::isinf(bad) || in_envelopes(wrong)) << "infinite";
  }
  for (const std::size_t at : {0U, 3U, 20U}) {
    std::vector<long double> values = profile_on_grid(good);
    values[at] = kNan;
    EXPECT_TRUE(refused(from_profile(0.25, values))) << at;
  }
}

// Q = (1 − w) N(0,1) + w N(d,1) against P = N(0,1). An output above d/2 comes from Q alone, as far as numbers reach.
Event rare_and_far(double weight, double distance, std::int64_t count) {
  return {Mixture{{{0}, {1}}, {{0, distance}, {1 - weight, weight}}, 1}, count};
}

TEST(NotANumber, ALossBeyondTheRangeOfNumbersCountsInBothDirections) {
  for (const double distance : {10.0, 30.0, 35.0, 38.0, 60.0})
    for (const bool mirrored : {false, true}) {
      Event event = rare_and_far(0.01, distance, 2);
      auto& mixture = std::get<Mixture>(event.kind);
      if (mirrored) std::swap(mixture.p, mixture.q);
      const auto price = delta_at(event, *Epsilon::make(3));
      ASSERT_TRUE(price) << price.error().text();
      // What the set "one of both outputs is above d/2" shows is attained.
      const auto above = static_cast<double>(0.99 * normal_tail(distance / 2) + 0.01 * normal_tail(-distance / 2));
      const auto chance = static_cast<double>(normal_tail(distance / 2));
      const double shown = above * (2 - above) - std::exp(3.0) * chance * (2 - chance);
      EXPECT_GE(price->delta, shown) << distance;
      EXPECT_LE(price->delta_lower, price->delta);
      EXPECT_NEAR(price->delta, 0.0199, 1e-3) << distance;
    }
}

TEST(NotANumber, ARenyiCostKnowsOfALossBeyondTheRangeOfNumbers) {
  for (const double distance : {20.0, 35.0, 60.0}) {
    const Event event = rare_and_far(0.1, distance, 1);
    const auto cost = renyi_cost(event, renyi_orders());
    ASSERT_TRUE(cost) << cost.error().text();
    // δ(1) is 0.1: no conversion may find ε = 1 at a δ that is less.
    const double delta = 0.09;
    ASSERT_LT(cost->delta, delta);
    EXPECT_GT(epsilon_from_renyi(renyi_orders(), cost->epsilon, *Delta::make(delta - cost->delta)), 1) << distance;
    const auto exact = epsilon_at(event, *Delta::make(delta));
    ASSERT_TRUE(exact);
    EXPECT_GE(epsilon_from_renyi(renyi_orders(), cost->epsilon, *Delta::make(delta - cost->delta)),
              exact->epsilon_lower)
        << distance;
  }
}

}  // namespace
}  // namespace chronoveil::accounting
