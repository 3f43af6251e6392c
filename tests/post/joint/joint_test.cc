#include "chronoveil/post/joint/joint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <random>

#include "chronoveil/post/shrink/shrink.h"
#include "post/joint/joint_directly.h"

namespace chronoveil::post {
namespace {

constexpr double kHalfWidth = 1.959963984540054;  // of a level of 0.95, in deviations

double wave(double t, double period) { return std::sin(2 * std::numbers::pi * t / period); }

// Series-major, `value(series, step)`.
std::vector<double> made(std::size_t series, std::size_t steps, const std::function<double(double, double)>& value) {
  std::vector<double> all;
  for (std::size_t s = 0; s < series; ++s)
    for (std::size_t t = 0; t < steps; ++t) all.push_back(value(static_cast<double>(s), static_cast<double>(t)));
  return all;
}

std::vector<double> with_noise(std::vector<double> values, double sigma, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, sigma);
  for (double& value : values) value += noise(random);
  return values;
}

JointEstimate jointly(const std::vector<double>& values, std::size_t steps, double sigma, std::int64_t season = 0,
                      std::int64_t learners = 4000) {
  return shrink_jointly(values, {static_cast<std::int64_t>(steps), sigma, kHalfWidth * sigma, season, learners});
}
Estimate alone(const std::vector<double>& values, std::size_t steps, double sigma, std::int64_t season = 0) {
  return shrink(values, {static_cast<std::int64_t>(steps), sigma, kHalfWidth * sigma, season});
}

// Alike: a day with two peaks, of sizes that differ, and a little of their own.
std::vector<double> alike(std::size_t series, std::size_t steps) {
  return made(series, steps, [](double s, double t) {
    const double size = 20 + 10 * std::fmod(s * 7, 11), peak = std::exp(-std::pow(std::fmod(t, 24) - 8, 2) / 4) +
                                                               std::exp(-std::pow(std::fmod(t, 24) - 17, 2) / 9);
    return size * (1 + 4 * peak) + 3 * wave(t + 5 * s, 30 + s);
  });
}

double absolute_error(const std::vector<double>& values, const std::vector<double>& truth) {
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) sum += std::abs(values[i] - truth[i]);
  return sum / static_cast<double>(truth.size());
}

std::vector<double> sums_by_step(const std::vector<double>& values, std::size_t steps) {
  std::vector<double> sums(steps, 0);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i % steps] += values[i];
  return sums;
}
std::vector<double> sums_by_season(const std::vector<double>& values, std::size_t season) {
  std::vector<double> sums((values.size() + season - 1) / season, 0);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i / season] += values[i];
  return sums;
}

TEST(Joint, AgreesWithItsFormulasWrittenOut) {
  std::mt19937_64 random(1);
  struct Case {
    std::size_t series, steps, season;
    double sigma;
  };
  // Two series; fewer than eight others; more series than steps; fewer; last blocks that are shorter; total seasons
  // that are given back exactly, and not.
  for (const Case& c : {Case{2, 12, 0, 10}, Case{5, 16, 4, 30}, Case{9, 21, 6, 20}, Case{20, 13, 4, 300},
                        Case{20, 24, 6, 3}, Case{12, 32, 0, 60}}) {
    const std::vector<double> values = with_noise(
        made(c.series, c.steps, [](double s, double t) { return (3 + s) * (10 + 6 * wave(t, 6)) + 20 * (t > 14); }),
        c.sigma, random);
    Eigen::MatrixXd z = Eigen::Map<const Eigen::MatrixXd>(values.data(), static_cast<Eigen::Index>(c.steps),
                                                          static_cast<Eigen::Index>(c.series)) /
                        c.sigma;
    const direct::JointDirectly slow(std::move(z), c.season);
    const JointEstimate quick = jointly(values, c.steps, c.sigma, static_cast<std::int64_t>(c.season));
    const double near = 1e-7 * c.sigma;
    ASSERT_EQ(quick.cells.value.size(), values.size());
    ASSERT_EQ(quick.total.value.size(), c.steps);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto t = static_cast<Eigen::Index>(i % c.steps), s = static_cast<Eigen::Index>(i / c.steps);
      EXPECT_NEAR(quick.cells.value[i], c.sigma * slow.estimates(t, s), near) << c.series << " " << s << " " << t;
      const double half_width = kHalfWidth * c.sigma * std::sqrt(slow.variances(t, s));
      EXPECT_NEAR(quick.cells.upper[i] - quick.cells.value[i], half_width, near);
      EXPECT_NEAR(quick.cells.value[i] - quick.cells.lower[i], half_width, near);
      EXPECT_EQ(quick.cells.sampled[i], 1);
    }
    const std::vector<double> sums = sums_by_step(quick.cells.value, c.steps);
    for (std::size_t t = 0; t < c.steps; ++t) {
      EXPECT_NEAR(quick.total.value[t], sums[t], near);
      EXPECT_NEAR(quick.total.upper[t] - quick.total.value[t],
                  kHalfWidth * c.sigma *
                      std::sqrt(static_cast<double>(c.series) * slow.total_variance[static_cast<Eigen::Index>(t)]),
                  near);
    }
  }
}

TEST(Joint, GroupsAndSeasonsByTheCalendarAgreeWithTheFormulasWrittenOut) {
  std::mt19937_64 random(17);
  constexpr std::size_t kSeries = 13, kSteps = 26;
  using Members = std::vector<std::vector<Eigen::Index>>;
  // Seasons that are cut at both ends; groups that cover all series, and one of one that leaves most out.
  for (const Members& groups : {Members{{0, 2, 4, 6, 8, 10, 12}, {1, 3, 5, 7, 9, 11}}, Members{{3}}}) {
    for (const double sigma : {4.0, 400.0}) {
      const std::vector<double> values = with_noise(
          made(kSeries, kSteps, [](double s, double t) { return (3 + s) * (10 + 6 * wave(t, 6)); }), sigma, random);
      const Eigen::MatrixXd z = Eigen::Map<const Eigen::MatrixXd>(values.data(), kSteps, kSeries) / sigma;
      const direct::JointDirectly slow(z, 6, groups, {2, 8, 13, 20});
      JointSpec spec{kSteps, sigma, kHalfWidth * sigma, 6};
      spec.season_starts = {2, 8, 13, 20};
      for (const auto& group : groups) spec.groups.emplace_back(group.begin(), group.end());
      const JointEstimate quick = shrink_jointly(values, spec);
      const double near = 1e-7 * sigma;
      for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(
            quick.cells.value[i],
            sigma * slow.estimates(static_cast<Eigen::Index>(i % kSteps), static_cast<Eigen::Index>(i / kSteps)), near);
      ASSERT_EQ(quick.groups.size(), groups.size());
      for (std::size_t g = 0; g < groups.size(); ++g)
        for (std::size_t t = 0; t < kSteps; ++t) {
          double sum = 0;
          for (const Eigen::Index s : groups[g]) sum += quick.cells.value[static_cast<std::size_t>(s) * kSteps + t];
          EXPECT_NEAR(quick.groups[g].value[t], sum, near);
          const double variance =
              static_cast<double>(groups[g].size()) * slow.group_variances[g][static_cast<Eigen::Index>(t)];
          EXPECT_NEAR(quick.groups[g].upper[t] - quick.groups[g].value[t], kHalfWidth * sigma * std::sqrt(variance),
                      near);
        }
    }
  }
}

// What makes days of groups hold: where groups cover all series and days are given back exactly, both are.
TEST(Joint, SeasonsOfGroupsThatCoverAllAreThoseOfTheNoisyValues) {
  std::mt19937_64 random(18);
  constexpr std::size_t kSeries = 40, kSteps = 100;
  const std::vector<double> values = with_noise(alike(kSeries, kSteps), 3, random);  // so little that cells stay unsure
  JointSpec spec{kSteps, 3, kHalfWidth * 3, 24};
  spec.season_starts = {4, 28, 52, 76};
  spec.groups.resize(2);
  for (std::int64_t s = 0; s < 40; ++s) spec.groups[static_cast<std::size_t>(s % 2)].push_back(s);
  const JointEstimate e = shrink_jointly(values, spec);
  for (const auto& group : spec.groups)
    for (const auto& [first, end] : {std::pair{0, 4}, std::pair{4, 28}, std::pair{28, 52}, std::pair{76, 100}}) {
      double noisy = 0, published = 0;
      for (const std::int64_t s : group)
        for (std::size_t t = static_cast<std::size_t>(first); t < static_cast<std::size_t>(end); ++t) {
          noisy += values[static_cast<std::size_t>(s) * kSteps + t];
          published += e.cells.value[static_cast<std::size_t>(s) * kSteps + t];
        }
      EXPECT_NEAR(published, noisy, 1e-6);
    }
}

TEST(Joint, NothingDependsOnHowManyThreadsThereAre) {
  std::mt19937_64 random(20);
  constexpr std::size_t kSeries = 150, kSteps = 60;  // five batches, of series that learn and of others
  const std::vector<double> values = with_noise(alike(kSeries, kSteps), 20, random);
  JointSpec spec{kSteps, 20, kHalfWidth * 20, 12};
  spec.learners = 90;
  spec.groups = {{0, 3, 5, 140}, {1, 2}};
  spec.threads = 1;
  const JointEstimate one = shrink_jointly(values, spec);
  for (const unsigned threads : {2U, 3U, 0U}) {
    spec.threads = threads;
    const JointEstimate many = shrink_jointly(values, spec);
    const auto expect_same = [&](const Estimate& a, const Estimate& b) {
      EXPECT_EQ(a.value, b.value) << threads;
      EXPECT_EQ(a.lower, b.lower) << threads;
      EXPECT_EQ(a.upper, b.upper) << threads;
    };
    expect_same(one.cells, many.cells);
    expect_same(one.total, many.total);
    for (std::size_t group = 0; group < spec.groups.size(); ++group) expect_same(one.groups[group], many.groups[group]);
  }
}

TEST(Joint, OneSeriesAndFewStepsAreShrinkBitByBit) {
  std::mt19937_64 random(2);
  struct Case {
    std::size_t series, steps;
  };
  for (const Case& c : {Case{1, 1}, Case{1, 7}, Case{1, 100}, Case{9, 1}, Case{30, 7}}) {
    const std::vector<double> values = with_noise(std::vector<double>(c.series * c.steps, 100), 20, random);
    const std::int64_t season = c.steps >= 2 ? 2 : 0;
    const JointEstimate both = jointly(values, c.steps, 20, season);
    const Estimate one = alone(values, c.steps, 20, season);
    EXPECT_EQ(both.cells.value, one.value);
    EXPECT_EQ(both.cells.lower, one.lower);
    EXPECT_EQ(both.cells.upper, one.upper);
    EXPECT_EQ(both.cells.sampled, one.sampled);
  }
}

TEST(Joint, ConstantSeriesStayAndNothingBreaks) {
  for (const std::size_t series : {2, 3, 8, 9, 40})
    for (const std::size_t steps : {8, 9, 48}) {
      for (const double level : {0.0, -3.5, 1e9}) {
        const JointEstimate e = jointly(std::vector<double>(series * steps, level), steps, 10, 4);
        for (const double value : e.cells.value) EXPECT_NEAR(value, level, 1e-12 * (10 + std::abs(level)));
        for (std::size_t i = 0; i < e.cells.value.size(); ++i)
          EXPECT_LE(e.cells.upper[i] - e.cells.lower[i], 20 * kHalfWidth * (1 + 1e-12));
      }
      // One series a billion times as large as the others.
      std::mt19937_64 random(3);
      const auto truth = made(series, steps, [](double s, double t) { return (s == 1 ? 1e9 : 1) * (5 + wave(t, 8)); });
      for (const double value : jointly(with_noise(truth, 1, random), steps, 1, 4).cells.value)
        EXPECT_TRUE(std::isfinite(value));
    }
}

TEST(Joint, DoesNotDependOnUnitsSignsOrTheOrderWithinAFold) {
  std::mt19937_64 random(4);
  constexpr std::size_t kSeries = 19, kSteps = 48;
  const std::vector<double> values = with_noise(alike(kSeries, kSteps), 30, random);
  const JointEstimate e = jointly(values, kSteps, 30, 24);

  std::vector<double> scaled = values;
  for (double& value : scaled) value *= -4;
  const JointEstimate of_scaled = jointly(scaled, kSteps, 120, 24);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(of_scaled.cells.value[i], -4 * e.cells.value[i], 1e-8);
    EXPECT_NEAR(of_scaled.cells.upper[i], -4 * e.cells.lower[i], 1e-8);
  }

  // Series 2, 10 and 18 are one fold.
  std::vector<double> turned = values;
  const auto series = [](std::vector<double>& all, std::size_t s) {
    return all.begin() + static_cast<long>(s * kSteps);
  };
  std::swap_ranges(series(turned, 2), series(turned, 3), series(turned, 18));
  JointEstimate of_turned = jointly(turned, kSteps, 30, 24);
  std::swap_ranges(series(of_turned.cells.value, 2), series(of_turned.cells.value, 3),
                   series(of_turned.cells.value, 18));
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(of_turned.cells.value[i], e.cells.value[i], 1e-7);
}

TEST(Joint, TheSameEveryTime) {
  std::mt19937_64 random(5);
  const std::vector<double> values = with_noise(alike(120, 110), 30, random);  // factors by subspace iteration
  const JointEstimate one = jointly(values, 110, 30, 24), other = jointly(values, 110, 30, 24);
  EXPECT_EQ(one.cells.value, other.cells.value);
  EXPECT_EQ(one.cells.upper, other.cells.upper);
  EXPECT_EQ(one.total.upper, other.total.upper);
}

// Bounds stand well off what is measured; a sound denoiser fails them with a probability far below 1e-6.
TEST(Joint, AlikeSeriesHelpEachOtherAndUnrelatedOnesDoNoHarm) {
  std::mt19937_64 random(6);
  constexpr std::size_t kSeries = 40, kSteps = 168;
  const auto unrelated = made(kSeries, kSteps, [](double s, double t) {
    return 100 + 60 * wave(t + 11 * s * s, 20 + 9 * std::fmod(s * s, 13)) + 50 * (std::fmod(t + 17 * s * s, 168) > 90);
  });
  for (const double sigma : {5.0, 30.0, 150.0}) {
    const auto ratio = [&](const std::vector<double>& truth) {
      const std::vector<double> values = with_noise(truth, sigma, random);
      return absolute_error(jointly(values, kSteps, sigma, 24).cells.value, truth) /
             absolute_error(alone(values, kSteps, sigma, 24).value, truth);
    };
    EXPECT_LT(ratio(alike(kSeries, kSteps)), sigma < 10 ? 0.97 : 0.85) << sigma;
    EXPECT_LT(ratio(unrelated), 1.03) << sigma;
  }
}

TEST(Joint, SeriesThatDoNotLearnAreDenoisedAsWell) {
  std::mt19937_64 random(7);
  constexpr std::size_t kSeries = 60, kSteps = 72;
  const auto truth = alike(kSeries, kSteps);
  const std::vector<double> values = with_noise(truth, 40, random);
  const double all = absolute_error(jointly(values, kSteps, 40, 24).cells.value, truth);
  const double few = absolute_error(jointly(values, kSteps, 40, 24, 25).cells.value, truth);
  EXPECT_LT(few, 1.15 * all);
  EXPECT_LT(few, 0.9 * absolute_error(alone(values, kSteps, 40, 24).value, truth));
}

TEST(Joint, IntervalsHoldTheTruthAsOftenAsTheySay) {
  std::mt19937_64 random(8);
  constexpr std::size_t kSeries = 40, kSteps = 120;
  const auto truth = alike(kSeries, kSteps);
  for (const double sigma : {3.0, 30.0, 200.0}) {
    double held = 0, total_held = 0, narrow_held = 0;
    constexpr int kRuns = 4;
    for (int run = 0; run < kRuns; ++run) {
      const JointEstimate e = jointly(with_noise(truth, sigma, random), kSteps, sigma, 24);
      for (std::size_t i = 0; i < truth.size(); ++i) {
        held += e.cells.lower[i] <= truth[i] && truth[i] <= e.cells.upper[i];
        narrow_held += std::abs(e.cells.value[i] - truth[i]) < 0.6 * (e.cells.upper[i] - e.cells.value[i]);
      }
      const std::vector<double> sums = sums_by_step(truth, kSteps);
      for (std::size_t t = 0; t < kSteps; ++t) total_held += e.total.lower[t] <= sums[t] && sums[t] <= e.total.upper[t];
    }
    const double cells = static_cast<double>(truth.size()) * kRuns;
    EXPECT_GT(held / cells, 0.93) << sigma;
    EXPECT_GT(total_held / (kSteps * kRuns), 0.9) << sigma;
    if (sigma > 100) continue;  // where hardly anything can be seen, intervals are wide
    EXPECT_LT(held / cells, 0.992) << sigma;
    EXPECT_LT(narrow_held / cells, 0.93);  // four tenths narrower, and it shows
  }
}

TEST(JointTotals, SumsOverAllStepsAndOverSeasonsAreThoseOfTheMeasuredValues) {
  std::mt19937_64 random(9);
  constexpr std::size_t kSeries = 40, kSteps = 100;  // the fifth day is short
  const std::vector<double> values = with_noise(alike(kSeries, kSteps), 40, random);
  const JointEstimate e = jointly(values, kSteps, 40, 24);
  const std::vector<double> before = sums_by_season(values, kSteps), after = sums_by_season(e.cells.value, kSteps);
  for (std::size_t s = 0; s < kSeries; ++s) EXPECT_NEAR(before[s], after[s], 1e-8);
  const std::vector<double> noisy_days = sums_by_season(sums_by_step(values, kSteps), 24);
  const std::vector<double> days = sums_by_season(e.total.value, 24);
  ASSERT_EQ(days.size(), 5U);
  for (std::size_t d = 0; d < days.size(); ++d) EXPECT_NEAR(days[d], noisy_days[d], 1e-7);
  EXPECT_EQ(e.total.value.size(), kSteps);
}

// Shrunken series share a bias; their plain sums show it, sums that hold do not.
TEST(JointTotals, TheErrorOfATotalIsNotThatOfABiasThatAddsUp) {
  std::mt19937_64 random(10);
  constexpr std::size_t kSeries = 300, kSteps = 96;
  // Peaks far below the noise of a series, so smoothed away in each; unrelated in height, alike in time.
  const auto truth =
      made(kSeries, kSteps, [](double s, double t) { return 10 + (8 + std::fmod(s, 5)) * (std::fmod(t * t, 29) < 4); });
  const std::vector<double> true_sums = sums_by_step(truth, kSteps);
  for (const double sigma : {1.0, 20.0, 60.0}) {
    double noisy = 0, held = 0, plain = 0;
    for (int run = 0; run < 2; ++run) {
      const std::vector<double> values = with_noise(truth, sigma, random);
      noisy += absolute_error(sums_by_step(values, kSteps), true_sums);
      held += absolute_error(jointly(values, kSteps, sigma).total.value, true_sums);
      plain += absolute_error(sums_by_step(alone(values, kSteps, sigma).value, kSteps), true_sums);
    }
    EXPECT_LT(held, 1.1 * noisy) << sigma;
    if (sigma == 20) {
      EXPECT_GT(plain, 1.3 * noisy);
    }
  }
}

}  // namespace
}  // namespace chronoveil::post
