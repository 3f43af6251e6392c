// Interpolation against direct computations in long double that look every step up by itself.
#include "chronoveil/post/interpolation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace chronoveil::post {
namespace {

struct Series {
  std::int64_t length;
  std::vector<std::int64_t> steps;
  std::vector<double> values;
  Samples samples() const { return {length, steps, values}; }
};

// Neighbouring samples of t by counting, not by walking: k with steps[k] <= t < steps[k + 1].
std::size_t left_of(const Series& s, std::int64_t t) {
  return static_cast<std::size_t>(
             std::count_if(s.steps.begin(), s.steps.end(), [&](std::int64_t step) { return step <= t; })) -
         1;
}

bool outside(const Series& s, std::int64_t t, long double& value) {
  if (s.steps.empty()) return value = 0, true;
  if (t <= s.steps.front()) return value = s.values.front(), true;
  if (t >= s.steps.back()) return value = s.values.back(), true;
  return false;
}

long double direct_linear(const Series& s, std::int64_t t) {
  long double value = 0;
  if (outside(s, t, value)) return value;
  const std::size_t k = left_of(s, t);
  const long double a = s.steps[k], b = s.steps[k + 1], za = s.values[k], zb = s.values[k + 1];
  return za + (zb - za) * (t - a) / (b - a);
}

long double direct_nearest(const Series& s, std::int64_t t) {
  if (s.steps.empty()) return 0;
  std::size_t best = 0;
  for (std::size_t k = 1; k < s.steps.size(); ++k)
    if (std::abs(s.steps[k] - t) < std::abs(s.steps[best] - t)) best = k;
  return s.values[best];
}

// The slopes by the reciprocal of the mean of reciprocals, the cubic by Newton's divided differences on a, a, b, b.
long double direct_pchip(const Series& s, std::int64_t t) {
  long double value = 0;
  if (outside(s, t, value)) return value;
  const std::size_t n = s.steps.size(), k = left_of(s, t);
  const auto h = [&](std::size_t i) { return static_cast<long double>(s.steps[i + 1] - s.steps[i]); };
  const auto secant = [&](std::size_t i) { return (static_cast<long double>(s.values[i + 1]) - s.values[i]) / h(i); };
  const auto end = [&](std::size_t near, std::size_t far) {
    // The derivative at the end of the parabola through three samples.
    const long double slope = secant(near) + h(near) * (secant(near) - secant(far)) / (h(near) + h(far));
    if (slope * secant(near) <= 0) return 0.0L;
    if (secant(near) * secant(far) < 0 && std::abs(slope) > 3 * std::abs(secant(near))) return 3 * secant(near);
    return slope;
  };
  const auto slope = [&](std::size_t i) -> long double {
    if (n == 2) return secant(0);
    if (i == 0) return end(0, 1);
    if (i == n - 1) return end(n - 2, n - 3);
    if (secant(i - 1) * secant(i) <= 0) return 0;
    const long double share = (h(i - 1) + 2 * h(i)) / (3 * (h(i - 1) + h(i)));
    return 1 / (share / secant(i - 1) + (1 - share) / secant(i));
  };
  const long double x = static_cast<long double>(t - s.steps[k]);
  const long double second = (secant(k) - slope(k)) / h(k);
  const long double third = (slope(k + 1) - 2 * secant(k) + slope(k)) / (h(k) * h(k));
  return s.values[k] + slope(k) * x + second * x * x + third * x * x * (x - h(k));
}

// Random series: no, one, two or several samples, at the ends or not, all sampled, even and odd lengths.
std::vector<Series> many_series() {
  std::mt19937_64 random(7);
  std::normal_distribution<double> value(100, 1000);
  std::vector<Series> all;
  for (int i = 0; i < 400; ++i) {
    Series s{.length = 1 + static_cast<std::int64_t>(random() % 40), .steps = {}, .values = {}};
    const std::uint64_t share = i % 5;  // 0: none, 4: all
    for (std::int64_t t = 0; t < s.length; ++t)
      if (random() % 4 < share) s.steps.push_back(t);
    if (i % 7 == 0) s.steps = {static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(s.length))};
    for (std::size_t k = 0; k < s.steps.size(); ++k)
      s.values.push_back(k > 0 && random() % 8 == 0 ? s.values.back() : value(random));  // some plateaus
    all.push_back(std::move(s));
  }
  return all;
}

void expect_equal(std::vector<double> (*ours)(const Samples&), long double (*direct)(const Series&, std::int64_t)) {
  for (const Series& s : many_series()) {
    const std::vector<double> values = ours(s.samples());
    ASSERT_EQ(values.size(), static_cast<std::size_t>(s.length));
    for (std::int64_t t = 0; t < s.length; ++t)
      EXPECT_NEAR(values[static_cast<std::size_t>(t)], static_cast<double>(direct(s, t)), 1e-9);
  }
}

TEST(Interpolation, LinearEqualsTheDirectComputation) { expect_equal(linear, direct_linear); }
TEST(Interpolation, NearestEqualsTheDirectComputation) { expect_equal(nearest, direct_nearest); }
TEST(Interpolation, PchipEqualsTheDirectComputation) { expect_equal(pchip, direct_pchip); }

TEST(Interpolation, AllSampledGivesTheSamples) {
  const Series s{.length = 5, .steps = {0, 1, 2, 3, 4}, .values = {3, -1, 4, 1, 5}};
  for (auto* each : {linear, nearest, pchip}) EXPECT_EQ(each(s.samples()), s.values);
}

TEST(Interpolation, NoSampleGivesZerosAndOneAConstant) {
  const Series none{.length = 3, .steps = {}, .values = {}}, one{.length = 3, .steps = {1}, .values = {7}};
  for (auto* each : {linear, nearest, pchip}) {
    EXPECT_EQ(each(none.samples()), (std::vector<double>{0, 0, 0}));
    EXPECT_EQ(each(one.samples()), (std::vector<double>{7, 7, 7}));
  }
}

TEST(Interpolation, TheEarlierOfTwoNearestIsTaken) {
  const Series s{.length = 5, .steps = {0, 4}, .values = {1, 2}};
  EXPECT_EQ(nearest(s.samples()), (std::vector<double>{1, 1, 1, 2, 2}));
}

TEST(Interpolation, PchipNeverLeavesTheRangeOfItsTwoEnds) {
  for (const Series& s : many_series()) {
    const std::vector<double> values = pchip(s.samples());
    for (std::size_t k = 0; k + 1 < s.steps.size(); ++k) {
      const bool rising = s.values[k + 1] >= s.values[k];
      for (auto t = static_cast<std::size_t>(s.steps[k]); t < static_cast<std::size_t>(s.steps[k + 1]); ++t) {
        const double change = values[t + 1] - values[t];
        EXPECT_GE(rising ? change : -change, -1e-9);
      }
    }
  }
}

TEST(Interpolation, PchipBendsWhereLinearDoesNot) {
  const Series s{.length = 21, .steps = {0, 10, 20}, .values = {0, 1, 10}};
  EXPECT_LT(pchip(s.samples())[5], linear(s.samples())[5] - 0.01);
}

TEST(Interpolation, NamesReadBack) {
  for (const auto each : {Interpolation::linear, Interpolation::nearest, Interpolation::pchip, Interpolation::smooth})
    EXPECT_EQ(*parse_interpolation(name(each)), each);
  const auto wrong = parse_interpolation("cubic");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace chronoveil::post
