#include "chronoveil/mechanisms/series/running_total.h"

#include <gtest/gtest.h>

#include <cmath>

#include "neighbours.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {
namespace {

Request total_request(std::int64_t series, std::int64_t steps, double delta = 1e-6) {
  Request request = request_for(steps, 0.8, delta);
  request.shape.series = series;
  request.shape.unit = Unit::event;
  return request;
}

// c_k = C(2k, k) / 4^k, by logarithms.
long double coefficient(std::int64_t k) {
  const auto x = static_cast<long double>(k);
  return expl(lgammal(2 * x + 1) - 2 * lgammal(x + 1) - x * logl(4.0L));
}

TEST(RunningTotal, EqualsADirectComputationWithReplayedNoise) {
  for (const auto& [series, steps] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {1, 2}, {2, 3}, {3, 50}, {1, 301}}) {
    const SeriesPlan plan = value_of(running_total().prepare(total_request(series, steps)));
    Counts counts(cells(plan));
    std::vector<double> noise(cells(plan));
    for (std::size_t i = 0; i < counts.size(); ++i) {
      counts[i] = static_cast<std::int64_t>((i * 7919) % 100);
      noise[i] = std::floor(std::sin(static_cast<double>(i) + 1) * plan.scale / plan.grid) * plan.grid;
    }
    Draws draws = taped(running_total(), plan, noise);
    const Estimate estimate =
        value_of(running_total().reconstruct(plan, value_of(running_total().measure(plan, counts, draws))));
    // The exact total plus C times the noise: what it must amount to, though never how it may be computed.
    for (std::size_t s = 0; s < static_cast<std::size_t>(series); ++s) {
      const std::size_t first = s * static_cast<std::size_t>(steps);
      long double total = 0;
      for (std::size_t t = 0; t < static_cast<std::size_t>(steps); ++t) {
        total += static_cast<long double>(counts[first + t]);
        long double value = total;
        for (std::size_t i = 0; i <= t; ++i) value += coefficient(static_cast<std::int64_t>(t - i)) * noise[first + i];
        EXPECT_NEAR(estimate.value[first + t], static_cast<double>(value), 1e-8) << steps << " steps, step " << t;
      }
    }
  }
}

TEST(RunningTotal, ItsSensitivityIsTheNormOfAColumn) {
  for (const std::int64_t steps : {1, 2, 10, 1000}) {
    long double energy = 0, sum = 0;
    for (std::int64_t k = 0; k < steps; ++k) {
      energy += coefficient(k) * coefficient(k);
      sum += coefficient(k);
    }
    Request request = total_request(1, steps);
    request.shape.max_per_slot = 3;
    const double l2 = 3 * static_cast<double>(sqrtl(energy)), l1 = 3 * static_cast<double>(sum);
    EXPECT_NEAR(value_of(running_total().prepare(request)).sensitivity, l2, 1e-6 * l2);
    request.delta = 0;
    EXPECT_NEAR(value_of(running_total().prepare(request)).sensitivity, l1, 1e-6 * l1);
    request.shape.relation = Relation::replace;
    EXPECT_NEAR(value_of(running_total().prepare(request)).sensitivity, 2 * l1, 1e-6 * l1);
    request.delta = 1e-6;
    EXPECT_NEAR(value_of(running_total().prepare(request)).sensitivity, std::sqrt(2.0) * l2, 1e-6 * l2);
  }
}

TEST(RunningTotal, TheErrorHardlyGrowsWithTime) {
  const SeriesPlan plan = value_of(running_total().prepare(total_request(1, 1000)));
  Draws draws = taped(running_total(), plan, std::vector<double>(1000, 0.0));
  const Estimate estimate =
      value_of(running_total().reconstruct(plan, value_of(running_total().measure(plan, Counts(1000, 1), draws))));
  const auto width = [&](std::size_t t) { return estimate.upper[t] - estimate.lower[t]; };
  EXPECT_NEAR(width(0), 2 * 1.959963984540054 * plan.scale, 1e-9 * plan.scale);
  EXPECT_LT(width(999), 2 * width(0));
}

TEST(RunningTotal, TheIntervalHoldsTheTotalAsOftenAsItSays) {
  Request request = total_request(100, 30);
  request.level = 0.9;
  const SeriesPlan plan = value_of(running_total().prepare(request));
  Draws draws = Draws::seeded(11);
  int held = 0, all = 0;
  for (int release = 0; release < 40; ++release) {
    const Estimate estimate = value_of(
        running_total().reconstruct(plan, value_of(running_total().measure(plan, Counts(cells(plan), 2), draws))));
    for (std::size_t s = 0; s < 100; ++s, ++all)
      held += estimate.lower[s * 30 + 29] <= 60 && 60 <= estimate.upper[s * 30 + 29] ? 1 : 0;
  }
  EXPECT_NEAR(held, 0.9 * all, 6 * 0.0048 * all);  // six standard deviations
}

TEST(RunningTotal, CoversNothingWiderThanAnEvent) {
  Request request = total_request(1, 10);
  request.shape.unit = Unit::user;
  const auto refused = running_total().prepare(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(), "unit: running_total does not protect user; it protects event");
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
