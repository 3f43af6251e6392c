// The live filter of many series: against a direct computation, and the edges that its header states.
#include "chronoveil/post/causal/joint_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "joint_filter_directly.h"

namespace chronoveil::post {
namespace {

using Values = std::vector<std::optional<double>>;

// Days of `season` steps of different sizes, with noise of variance 1.
std::vector<std::vector<double>> noisy_days(std::size_t series, std::size_t steps, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> all(series);
  for (std::size_t s = 0; s < series; ++s)
    for (std::size_t t = 0; t < steps; ++t)
      all[s].push_back((4 + static_cast<double>(s)) *
                           (1 + 0.5 * std::sin(2 * std::numbers::pi * static_cast<double>(t) / 12)) +
                       (t % 17 == 3 ? 3 : 0) + normal(random));
  return all;
}

Values at(const std::vector<std::vector<double>>& all, std::size_t t) {
  Values now;
  for (const std::vector<double>& series : all) now.emplace_back(series[t]);
  return now;
}

// Whether a filter, with `change` made to what it is given, is the direct computation.
template <class Change>
double distance_to_direct(std::size_t series, std::int64_t season, Change change) {
  const auto all = noisy_days(series, 70, 3);
  const LiveDirectly direct = live_directly({.noise_variance = 1, .season = season}, all);
  JointFilter filter({.series = static_cast<std::int64_t>(series), .each = {.noise_variance = 1, .season = season}});
  std::vector<CausalValue> out(series);
  double most = 0;
  for (std::size_t t = 0; t < 70; ++t) {
    Values now = at(all, t);
    change(t, now);
    filter.step(now, out);
    for (std::size_t s = 0; s < series; ++s) {
      most = std::max(most, std::abs(out[s].mean - direct.cells[s][t].mean));
      most = std::max(most, std::abs(out[s].variance - direct.cells[s][t].variance));
    }
    most = std::max(most, std::abs(filter.total().mean - direct.total[t].mean));
    most = std::max(most, std::abs(filter.total().variance - direct.total[t].variance));
  }
  return most;
}

TEST(JointFilter, EqualsTheDirectComputation) {
  const auto as_it_is = [](std::size_t, Values&) {};
  EXPECT_LT(distance_to_direct(3, 12, as_it_is), 1e-8);
  EXPECT_LT(distance_to_direct(10, 0, as_it_is), 1e-8);
}

TEST(JointFilter, OneValueThatDiffersIsNoticed) {
  EXPECT_GT(distance_to_direct(3, 12, [](std::size_t t, Values& now) { *now[1] += t == 20 ? 0.01 : 0; }), 1e-5);
}

TEST(JointFilter, WithOneSeriesOrAloneTheMeansAreThoseOfTheCausalFilter) {
  for (const std::size_t series : {1, 4}) {
    const auto all = noisy_days(series, 60, 5);
    JointFilter filter({.series = static_cast<std::int64_t>(series),
                        .each = {.noise_variance = 1, .season = 12},
                        .joint = series == 1});
    std::vector<CausalFilter> alone;
    for (std::size_t s = 0; s < series; ++s) alone.emplace_back(CausalSpec{.noise_variance = 1, .season = 12});
    std::vector<CausalValue> out(series);
    for (std::size_t t = 0; t < 60; ++t) {
      Values now = at(all, t);
      if (t % 7 == 2) now[0].reset();
      filter.step(now, out);
      for (std::size_t s = 0; s < series; ++s) {
        const CausalValue expected = now[s] ? alone[s].update(*now[s]) : alone[s].predict();
        ASSERT_EQ(out[s].mean, expected.mean);
        ASSERT_GE(out[s].variance, std::min(expected.variance, 1.0) * (1 - 1e-12));
      }
    }
  }
}

TEST(JointFilter, GoesOnFromItsStateBitByBit) {
  const auto all = noisy_days(9, 90, 7);
  const JointFilterSpec spec{.series = 9, .each = {.noise_variance = 1, .season = 12}};
  JointFilter through(spec);
  std::vector<CausalValue> out(9), resumed(9);
  for (const std::size_t stop : {5, 60}) {
    for (std::size_t t = stop == 5 ? 0 : 35; t < stop; ++t) through.step(at(all, t), out);
    StateWriter writer;
    through.save(writer);
    const std::vector<std::uint64_t> words = std::move(writer).take();
    JointFilter again(spec);
    StateReader reader(words);
    again.load(reader);
    ASSERT_TRUE(reader.complete());
    for (std::size_t t = stop; t < stop + 30; ++t) {
      Values now = at(all, t);
      if (t % 5 == 0) now[t % 9].reset();
      through.step(now, out);
      again.step(now, resumed);
      for (std::size_t s = 0; s < 9; ++s) {
        ASSERT_EQ(out[s].mean, resumed[s].mean) << t;
        ASSERT_EQ(out[s].variance, resumed[s].variance) << t;
      }
      ASSERT_EQ(through.total().mean, again.total().mean) << t;
      ASSERT_EQ(through.total().variance, again.total().variance) << t;
    }
  }
}

TEST(JointFilter, BeforeTheFirstValueNothingIsKnown) {
  JointFilter filter({.series = 2, .each = {.noise_variance = 4, .season = 5}});
  std::vector<CausalValue> out(2);
  filter.step(Values{std::nullopt, std::nullopt}, out);
  for (const CausalValue& value : {out[0], out[1], filter.total()}) {
    EXPECT_EQ(value.mean, 0);
    EXPECT_EQ(value.variance, std::numeric_limits<double>::infinity());
  }
  filter.step(Values{8.0, std::nullopt}, out);
  EXPECT_EQ(out[0].mean, 8);
  EXPECT_EQ(out[0].variance, 4);
  EXPECT_EQ(out[1].variance, std::numeric_limits<double>::infinity());
  EXPECT_EQ(filter.total().variance, std::numeric_limits<double>::infinity());
  filter.step(Values{9.0, 5.0}, out);
  EXPECT_EQ(out[1].mean, 5);
  EXPECT_EQ(out[1].variance, 4);
  EXPECT_LE(filter.total().variance, 8);
}

// One sensor that is out of order must not make the total useless, nor pull its neighbours to 0.
TEST(JointFilter, ASeriesThatIsMissingIsPredicted) {
  const auto all = noisy_days(6, 120, 9);
  JointFilter filter({.series = 6, .each = {.noise_variance = 1, .season = 12}});
  std::vector<CausalValue> out(6);
  for (std::size_t t = 0; t < 120; ++t) {
    Values now = at(all, t);
    if (t >= 80) now[2].reset();
    filter.step(now, out);
    if (t < 81) continue;
    double sum = 0, sure = 0;
    for (std::size_t s = 0; s < 6; ++s) {
      ASSERT_TRUE(std::isfinite(out[s].variance));
      sum += all[s][t];
      if (s != 2) sure += out[s].variance;
    }
    EXPECT_LT(sure, 5.0001);
    EXPECT_LT(std::abs(filter.total().mean - sum), 20) << t;  // 8 deviations of what 6 values scatter
    EXPECT_GT(filter.total().variance, out[2].variance);
  }
}

}  // namespace
}  // namespace chronoveil::post
