#include "chronoveil/post/cells/candidates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "post/cells/city.h"

namespace chronoveil::post::cells {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using testing::City;

struct Made {
  explicit Made(const City& city, const ArrayXXd& values)
      : values_(values),
        weights_((city.deviations > 0).select(city.deviations.square().inverse(), 0)),
        places_(values.rows(), values.cols(), city.middles),
        steps_(values.cols(), city.season),
        candidates(values_, weights_, places_, steps_) {}

  const ArrayXXd values_, weights_;
  const PlaceReach places_;
  const StepReach steps_;
  const Candidates candidates;
};

double exactly(double d, double h) { return std::exp(-d * d / (2 * h * h)); }

TEST(PlaceReach, SumsAreWhatTheKernelSays) {
  const City city(7, 5);
  const PlaceReach reach(7, 5, city.middles);
  ASSERT_GT(reach.count(), 3);
  EXPECT_TRUE((reach.sums(0, city.truth) == city.truth).all());
  const ArrayXXd near = reach.sums(2, city.truth), all = reach.sums(reach.count() - 1, city.truth);
  for (Index t = 0; t < 5; ++t)
    for (Index p = 0; p < 7; ++p) {
      double sum = 0;
      for (Index q = 0; q < 7; ++q) {
        const Middle &a = city.middles[static_cast<std::size_t>(p)], &b = city.middles[static_cast<std::size_t>(q)];
        sum += exactly(std::hypot(a.x - b.x, a.y - b.y), 1) * city.truth(q, t);
      }
      EXPECT_NEAR(near(p, t), sum, 1e-12 * std::abs(sum));
      EXPECT_NEAR(all(p, t), city.truth.col(t).sum(), 1e-9);
    }
}

TEST(StepReach, SumsAreWhatTheKernelSays) {
  const Index steps = 50, season = 24;
  const ArrayXXd cells = City(2, steps).truth;
  const StepReach reach(steps, season);
  // own, ½, 1, 2, 4, 8, all, then the season's 0, 1, 2.
  ASSERT_EQ(reach.count(), 11 - 1);
  const auto expect = [&](Index number, const auto& kernel) {
    const ArrayXXd sums = reach.sums(number, cells);
    for (Index t = 0; t < steps; ++t) {
      double sum = 0;
      for (Index u = 0; u < steps; ++u) sum += kernel(std::abs(t - u)) * cells(1, u);
      EXPECT_NEAR(sums(1, t), sum, 1e-10 * std::abs(sum)) << number << " at " << t;
    }
  };
  expect(0, [](Index lag) { return lag == 0 ? 1.0 : 0.0; });
  expect(1, [](Index lag) { return exactly(static_cast<double>(lag), 0.5); });
  expect(4, [](Index lag) { return exactly(static_cast<double>(lag), 4); });
  expect(6, [](Index) { return 1.0; });
  const auto in_season = [](Index lag) { return static_cast<double>(std::min(lag % 24, 24 - lag % 24)); };
  expect(7, [&](Index lag) { return in_season(lag) == 0 ? 1.0 : 0.0; });
  expect(9, [&](Index lag) { return in_season(lag) > 11 ? 0.0 : exactly(in_season(lag), 2); });
}

TEST(PlaceReach, KnowsNoneNearWhereThereAreTooManyOrNobodyKnowsWhere) {
  EXPECT_TRUE(near_places_fit(2000, 168));
  EXPECT_TRUE(near_places_fit(kMostNearPlaces, 1024));
  EXPECT_FALSE(near_places_fit(kMostNearPlaces, 1025));
  EXPECT_FALSE(near_places_fit(kMostNearPlaces + 1, 1));
  EXPECT_EQ(PlaceReach(3, 2, {}).count(), 2);
  const std::vector<Middle> many(static_cast<std::size_t>(kMostNearPlaces) + 1, Middle{1, 2});
  EXPECT_EQ(PlaceReach(kMostNearPlaces + 1, 1, many).count(), 2);
}

// The definition, cell by cell, against what the quick implementation makes of it.
TEST(Candidates, AreWhatTheirDefinitionSays) {
  City city(6, 9, 4);
  std::mt19937_64 random(3);
  const ArrayXXd z = city.measured(random);
  const Made made(city, z);
  const joint::Folds folds(6);
  const Common common = learn_common(z, made.weights_, folds);
  const Index per_reach = 2 * kPulls * kOwnVariances, near = 2, then = 1, pull = 2, own = 3;
  for (const Index base : {0, 1}) {
    const Index number =
        ((near * made.steps_.count() + then) * 2 + base) * kPulls * kOwnVariances + pull * kOwnVariances + own;
    ASSERT_LT(number, made.candidates.count());
    ASSERT_EQ(made.candidates.count(), made.places_.count() * made.steps_.count() * per_reach);
    const Candidates::One one = made.candidates.one(number);
    for (Index p = 0; p < 6; ++p)
      for (Index t = 0; t < 9; ++t) {
        const double w = made.weights_(p, t);
        if (w == 0) continue;
        const Index fold = folds.fold_of(p);
        const auto b = [&](Index u) { return common.levels[fold] + (base == 1 ? common.courses(u, fold) : 0); };
        double sum = 0, divisor = 4;  // κ
        for (Index q = 0; q < 6; ++q)
          for (Index u = 0; u < 9; ++u) {
            const Middle &a = city.middles[static_cast<std::size_t>(p)], &c = city.middles[static_cast<std::size_t>(q)];
            const double k = exactly(std::hypot(a.x - c.x, a.y - c.y), 1) * exactly(static_cast<double>(t - u), 0.5);
            sum += k * made.weights_(q, u) * (z(q, u) - b(u));
            divisor += k * made.weights_(q, u);
          }
        const double m = b(t) + sum / divisor, g = w / (1 + w);  // τ² = 1
        EXPECT_NEAR(one.residual(p, t), (z(p, t) - (m + g * (z(p, t) - m))) * std::sqrt(w), 1e-9);
        EXPECT_NEAR(one.slope(p, t), g + (1 - g) * w / divisor, 1e-12);
      }
  }
}

// Everything is made again from values of which one was moved: what is learned must not know the cell's own fold.
TEST(Candidates, TheSlopeIsHowFarAnEstimateFollowsItsOwnValue) {
  City city(5, 6, 3);
  std::mt19937_64 random(4);
  const ArrayXXd z = city.measured(random);
  const Made before(city, z);
  for (const auto& [p, t] : {std::pair<Index, Index>{0, 0}, {1, 5}, {4, 5}}) {
    ASSERT_GT(city.deviations(p, t), 0);
    ArrayXXd moved = z;
    moved(p, t) += 1;
    const Made after(city, moved);
    const double root = 1 / city.deviations(p, t);
    for (Index number = 0; number < before.candidates.count(); number += 37) {
      const double follows =
          1 - (after.candidates.one(number).residual(p, t) - before.candidates.one(number).residual(p, t)) / root;
      EXPECT_NEAR(follows, before.candidates.one(number).slope(p, t), 1e-9) << number;
    }
  }
}

TEST(Common, IsLearnedFromOtherFoldsAlone) {
  City city(9, 6);
  std::mt19937_64 random(5);
  ArrayXXd z = city.measured(random);
  const ArrayXXd weights = (city.deviations > 0).select(city.deviations.square().inverse(), 0);
  const joint::Folds folds(9);
  const Common before = learn_common(z, weights, folds);
  z.row(2) += 100;
  const Common after = learn_common(z, weights, folds);
  for (Index fold = 0; fold < folds.count(); ++fold) {
    const bool own = fold == folds.fold_of(2);
    EXPECT_EQ(before.levels[fold] == after.levels[fold], own);
    EXPECT_TRUE(!own || (before.courses.col(fold) == after.courses.col(fold)).all());
  }
}

TEST(Common, FindsTheCourseThatPlacesShare) {
  const Index places = 40, steps = 12;
  ArrayXXd z(places, steps), weights = ArrayXXd::Ones(places, steps);
  for (Index p = 0; p < places; ++p)
    for (Index t = 0; t < steps; ++t) {
      z(p, t) = 3.0 * static_cast<double>(p % 5) + 10 * std::sin(static_cast<double>(t));
      if ((p + t) % 3 == 0) weights(p, t) = 0;
    }
  const Common common = learn_common(z, weights, joint::Folds(places));
  for (Index t = 1; t < steps; ++t)
    EXPECT_NEAR(common.courses(t, 1) - common.courses(0, 1), 10 * std::sin(static_cast<double>(t)), 0.1);
}

// Mean of R − Σ(x̂ − x)²w over many draws, in standard errors; Laplace noise, since that is the usual one.
struct Gap {
  ArrayXd of_risk, without_slopes;
};
Gap gaps(const City& city, const std::vector<Index>& numbers, int draws) {
  const auto size = static_cast<Index>(numbers.size());
  ArrayXXd gap(draws, size), without(draws, size);
  std::mt19937_64 random(6);
  for (int draw = 0; draw < draws; ++draw) {
    const ArrayXXd z = city.measured(random);
    const Made made(city, z);
    const ArrayXd risks = made.candidates.risks();
    for (Index i = 0; i < size; ++i) {
      const Index number = numbers[static_cast<std::size_t>(i)];
      const Candidates::One one = made.candidates.one(number);
      const ArrayXXd off = (z - city.truth) * made.weights_.sqrt() - one.residual;
      const double loss = (city.deviations > 0).select(off, 0).square().sum();
      const double slopes = (city.deviations > 0).select(one.slope, 0).sum();
      gap(draw, i) = risks[number] - loss;
      without(draw, i) = gap(draw, i) - 2 * slopes;
    }
  }
  const auto in_standard_errors = [&](const ArrayXXd& all) {
    const ArrayXd mean = all.colwise().mean().transpose();
    const ArrayXd spread = (all.rowwise() - mean.transpose()).square().colwise().mean().sqrt().transpose();
    return ArrayXd(mean * std::sqrt(static_cast<double>(draws)) / spread);
  };
  return {in_standard_errors(gap), in_standard_errors(without)};
}

TEST(Candidates, SteinsRiskIsUnbiasedAndNotWithoutItsSlopes) {
  const City city(5, 6, 3);
  const std::vector<Index> numbers{3, 40, 77, 150, 333, 512, 700};
  const Gap gap = gaps(city, numbers, 2000);
  // Seven means of 2000: beyond 5.2 once in a million.
  EXPECT_LT(gap.of_risk.abs().maxCoeff(), 5.2);
  EXPECT_GT(gap.without_slopes.abs().minCoeff(), 5.2) << "a risk that forgets its trace must be found out";
}

}  // namespace
}  // namespace chronoveil::post::cells
