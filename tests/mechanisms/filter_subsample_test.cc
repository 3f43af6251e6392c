// filter_subsample: the filter in exact integers, what neighbours can really change after it and after rounding, and
// the privacy that its releases really have.
#include "chronoveil/mechanisms/series/filter_subsample.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <random>

#include "chronoveil/accounting/events/subsampled/filter_kernel.h"
#include "chronoveil/mechanisms/draws.h"
#include "mechanisms/empirical_profile.h"
#include "mechanisms/sampled_request.h"

namespace chronoveil::mechanisms {
namespace {

using Whole = boost::multiprecision::cpp_int;

// What filtered_indices needs to know.
SeriesPlan plan_with(const PublicShape& shape, double width, double grid) {
  SeriesPlan plan;
  plan.mechanism = "filter_subsample";
  plan.shape = shape;
  plan.grid = grid;
  plan.parameters = {{"rate", 0.5}, {"filter_width", width}, {"interpolation", std::string("linear")}};
  return plan;
}

// Each count spreads over its series, in unlimited integers; then floor(x/g + 1/2) for g = 2^-places.
std::vector<Whole> direct_indices(const SeriesPlan& plan, const std::vector<std::int64_t>& counts, int places) {
  const auto n = static_cast<std::size_t>(plan.shape.steps);
  const auto kernel = accounting::filter_kernel(plan.shape.steps, std::get<double>(plan.parameters.at("filter_width")));
  std::vector<Whole> sums(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (std::size_t j = 0; j < n; ++j) sums[i / n * n + (i % n + j) % n] += Whole(kernel[j]) * counts[i];
  for (Whole& sum : sums) {
    // ⌊(2Y 2^places + 2^bits) / 2^(bits + 1)⌋
    sum = ((sum << (places + 1)) + (Whole(1) << accounting::kFilterBits)) >> (accounting::kFilterBits + 1);
  }
  return sums;
}

TEST(FilterSubsample, TheFilterIsExactInIntegers) {
  std::mt19937_64 random(3);
  for (const std::int64_t steps : {1, 2, 3, 8, 9, 64, 201})
    for (const double width : {0.2, 1.0, 5.5, 300.0})  // 300: wider than the circle
      for (const int places : {0, 7, 49, 50, 53})
        for (const std::int64_t maximum : {std::int64_t{100}, (std::int64_t{1} << 32) - 1, std::int64_t{1} << 53}) {
          if (places > 7 && maximum > 100) continue;  // beyond the limit of values, tested below
          const PublicShape shape{.series = 3, .steps = steps, .max_steps = 1, .maximum = maximum};
          const SeriesPlan plan = plan_with(shape, width, std::ldexp(1.0, -places));
          std::vector<std::int64_t> counts;
          for (std::int64_t i = 0; i < 3 * steps; ++i)
            counts.push_back(i % 5 == 0 ? maximum
                                        : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(maximum)));
          const auto ours = filtered_indices(plan, counts);
          const auto direct = direct_indices(plan, counts, places);
          ASSERT_EQ(ours.size(), direct.size());
          for (std::size_t i = 0; i < ours.size(); ++i) ASSERT_EQ(Whole(ours[i]), direct[i]);
        }
}

TEST(FilterSubsample, ValuesAreLimitedWhereTheNoiseIs) {
  const PublicShape shape{.series = 1, .steps = 3, .max_steps = 1, .maximum = std::int64_t{1} << 53};
  const std::vector<std::int64_t> counts{shape.maximum, 0, 0};
  for (const int places : {20, 51, 60, 120}) {
    const auto indices = filtered_indices(plan_with(shape, 0.01, std::ldexp(1.0, -places)), counts);
    EXPECT_EQ(indices, (std::vector<std::int64_t>{std::int64_t{1} << 61, 0, 0}));
  }
}

TEST(FilterSubsample, TheKernelIsTheGaussianOverCircularDistance) {
  for (const std::int64_t steps : {7, 8}) {
    const SeriesPlan plan = plan_with({.steps = steps, .max_steps = 1, .maximum = 1}, 2, std::ldexp(1.0, -30));
    for (std::int64_t at = 0; at < steps; ++at) {
      std::vector<std::int64_t> counts(static_cast<std::size_t>(steps), 0);
      counts[static_cast<std::size_t>(at)] = 1;
      const auto indices = filtered_indices(plan, counts);
      long double sum = 0;
      const auto shape = [&](std::int64_t t) {
        const std::int64_t d = std::min((t - at + steps) % steps, (at - t + steps) % steps);
        return std::exp(-static_cast<long double>(d * d) / 8);
      };
      for (std::int64_t t = 0; t < steps; ++t) sum += shape(t);
      for (std::int64_t t = 0; t < steps; ++t)
        EXPECT_NEAR(std::ldexp(static_cast<double>(indices[static_cast<std::size_t>(t)]), -30),
                    static_cast<double>(shape(t) / sum), 1e-9);
    }
  }
}

// Filter, noise and interpolation from a tape, against the same by correlation and search in long double.
TEST(FilterSubsample, ReplayedDrawsGiveTheDirectComputation) {
  for (const std::int64_t steps : {40, 41})
    for (const double width : {3.0, 100.0}) {
      Request request = request_for(2, steps, 5);
      request.parameters = {{"filter_width", width}};
      const auto plan = filter_subsample().prepare(request);
      ASSERT_TRUE(plan) << plan.error().text();
      std::vector<std::int64_t> counts, kept;
      for (std::int64_t i = 0; i < 2 * steps; ++i) counts.push_back((i * 131) % 977);
      for (std::int64_t i = 3; i < 2 * steps; i += i % 7 + 1) kept.push_back(i);
      std::vector<double> tape;
      for (std::size_t i = 0; i < kept.size(); ++i) tape.push_back(std::cos(static_cast<double>(i)) * 30);
      Draws draws = Draws::replayed({.noise = tape, .kept = kept});
      const auto measured = filter_subsample().measure(*plan, counts, draws);
      ASSERT_TRUE(measured) << measured.error().text();
      const auto estimate = filter_subsample().reconstruct(*plan, *measured);
      ASSERT_TRUE(estimate) << estimate.error().text();

      const auto kernel = accounting::filter_kernel(steps, width);
      const auto released = [&](std::size_t k) {
        const std::int64_t first = kept[k] / steps * steps, t = kept[k] % steps;
        long double sum = 0;
        for (std::int64_t s = 0; s < steps; ++s)
          sum += static_cast<long double>(kernel[static_cast<std::size_t>((s - t + steps) % steps)]) *
                 static_cast<long double>(counts[static_cast<std::size_t>(first + s)]);
        const auto to_grid = [&](long double x) { return std::floor(x / plan->grid + 0.5L) * plan->grid; };
        return to_grid(std::ldexp(sum, -accounting::kFilterBits)) + to_grid(tape[k]);
      };
      for (std::int64_t position = 0; position < 2 * steps; ++position) {
        std::int64_t left = -1, right = -1;
        for (std::size_t k = 0; k < kept.size(); ++k) {
          if (kept[k] / steps != position / steps) continue;
          if (kept[k] <= position) left = static_cast<std::int64_t>(k);
          if (kept[k] >= position && right < 0) right = static_cast<std::int64_t>(k);
        }
        const auto at = [&](std::int64_t k) { return static_cast<std::size_t>(k); };
        long double expected = 0;
        if (left < 0 || right < 0 || left == right) {
          expected = released(at(left < 0 ? right : left));
        } else {
          const long double a = kept[at(left)], b = kept[at(right)];
          expected = released(at(left)) + (released(at(right)) - released(at(left))) * (position - a) / (b - a);
        }
        EXPECT_NEAR(estimate->value[at(position)], static_cast<double>(expected), 1e-9);
      }
    }
}

struct Reached {
  double energy = 0, highest = 0;  // over what is priced, with the caps raised by `inflation`
};

// Every pair of neighbours of a small shape, from several true series: added (0/1), or replaced (−1/0/1).
Reached brute_force(const PublicShape& shape, double width, double grid, double inflation, std::uint64_t seed) {
  const SeriesPlan plan = plan_with(shape, width, grid);
  const auto kernel = accounting::filter_kernel(shape.steps, width);
  const auto reach = accounting::filter_reach(kernel, std::min(shape.changes(), shape.steps));
  const double cap = static_cast<double>(shape.max_per_slot) * inflation;
  const auto positions = static_cast<std::size_t>(shape.series * shape.steps);
  const bool signs = shape.relation == Relation::replace;
  std::size_t pairs = 1;
  for (std::size_t i = 0; i < positions; ++i) pairs *= signs ? 3 : 2;
  std::mt19937_64 random(seed);
  Reached worst;
  for (int base = 0; base < 6; ++base) {
    std::vector<std::int64_t> counts(positions);
    for (auto& count : counts) count = 10 + static_cast<std::int64_t>(random() % 50);
    const auto before = filtered_indices(plan, counts);
    for (std::size_t pair = 1; pair < pairs; ++pair) {
      std::vector<std::int64_t> changed = counts;
      std::int64_t plus = 0, minus = 0;
      for (std::size_t i = 0, rest = pair; i < positions; ++i, rest /= signs ? 3 : 2) {
        const std::size_t digit = rest % (signs ? 3 : 2);
        changed[i] += digit == 1 ? shape.max_per_slot : digit == 2 ? -shape.max_per_slot : 0;
        (digit == 2 ? minus : plus) += digit != 0;
      }
      if (plus > shape.max_steps || minus > shape.max_steps) continue;
      const auto after = filtered_indices(plan, changed);
      double energy = 0;
      for (std::size_t i = 0; i < positions; ++i) {
        const double moved = static_cast<double>(after[i] - before[i]) * grid;
        energy += moved * moved;
        worst.highest = std::max(worst.highest, moved * moved / (reach.highest * cap * cap));
      }
      worst.energy = std::max(worst.energy, energy / (reach.energy * cap * cap));
    }
  }
  return worst;
}

TEST(FilterSubsample, NoNeighbourExceedsWhatIsPriced) {
  int exceeded_without_inflation = 0;
  for (const PublicShape& shape :
       {PublicShape{.series = 1, .steps = 7, .max_steps = 3, .maximum = 1000},
        PublicShape{.series = 2, .steps = 4, .max_steps = 3, .maximum = 1000},
        PublicShape{.series = 3, .steps = 3, .max_steps = 3, .maximum = 1000},
        PublicShape{.series = 1, .steps = 6, .max_steps = 6, .max_per_slot = 3, .maximum = 1000},
        PublicShape{.series = 2, .steps = 4, .relation = Relation::replace, .max_steps = 2, .maximum = 1000}})
    for (const double width : {0.4, 1.0, 50.0})
      for (const double grid : {1.0, 0.125, 0x1p-10, 0x1p-50}) {
        const double inflation = rounding_inflation(shape, width, grid);
        const Reached reached = brute_force(shape, width, grid, inflation, 5);
        EXPECT_LE(reached.energy, 1 + 1e-12);
        EXPECT_LE(reached.highest, 1 + 1e-12);
        EXPECT_GT(reached.energy, 0.1);
        const Reached plain = brute_force(shape, width, grid, 1, 5);
        exceeded_without_inflation += plain.energy > 1 + 1e-12 || plain.highest > 1 + 1e-12;
      }
  EXPECT_GT(exceeded_without_inflation, 10) << "rounding matters on coarse grids, so a twin without r must fail";
}

TEST(FilterSubsample, NothingIsRoundedOnAFineGrid) {
  const PublicShape shape{.steps = 10, .max_steps = 3};
  EXPECT_EQ(rounding_inflation(shape, 2, 0x1p-50), 1);
  EXPECT_GT(rounding_inflation(shape, 2, 0x1p-20), 1 + 0x1p-20);
}

TEST(FilterSubsample, ThePlanIsPricedForTheKernelThatRuns) {
  const auto plan = filter_subsample().prepare(request_for(1, 1800, 180));
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(event_of(*plan).participation, 180);
  EXPECT_EQ(event_of(*plan).length, 1800);
  EXPECT_EQ(event_of(*plan).filter_width, 10.0);
  EXPECT_LE(plan->price.epsilon, 0.5);
  EXPECT_EQ(plan->sensitivity, rounding_inflation(plan->shape, 10, plan->grid));
  EXPECT_LT(plan->sensitivity, 1 + 1e-6);
  EXPECT_GE(plan->scale, event_of(*plan).noise_multiplier * plan->sensitivity);
  EXPECT_EQ(plan->measured, 180);
}

TEST(FilterSubsample, ThePublishedAnalysisNeedsThreeTimesTheNoise) {
  Request request = request_for(1, 1800, 180);
  const double certified = filter_subsample().prepare(request)->scale;
  request.analysis = accounting::Analysis::published;
  const auto plan = filter_subsample().prepare(request);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->price.certificate, Certificate::as_published);
  EXPECT_GT(plan->scale, 3 * certified);
}

TEST(FilterSubsample, MoreStepsThanASeriesHasAreRefusedInSeveralSeriesOnly) {
  const auto several = filter_subsample().prepare(request_for(3, 10, 11));
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().kind, ErrorKind::cannot_certify);
  EXPECT_TRUE(filter_subsample().prepare(request_for(3, 10, 10)));
  const auto one = filter_subsample().prepare(request_for(1, 10, 11));
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_EQ(event_of(*one).participation, 10);
  Request replaced = request_for(3, 10, 6);
  replaced.shape.relation = Relation::replace;
  EXPECT_FALSE(filter_subsample().prepare(replaced));
}

TEST(FilterSubsample, WidthsThatAreNoWidthsAreRefused) {
  for (const double width : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    Request request = request_for(1, 10, 2);
    request.parameters = {{"filter_width", width}};
    const auto plan = filter_subsample().prepare(request);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().kind, ErrorKind::usage);
    EXPECT_NE(plan.error().text().find("filter_width"), std::string::npos);
  }
}

TEST(FilterSubsample, ARateAtWhichDeltaCoversAllIsRefused) {
  Request request = request_for(1, 100, 5);
  request.parameters = {{"rate", request.delta / 5}};
  const auto plan = filter_subsample().prepare(request);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::usage);
  EXPECT_NE(plan.error().text().find("without noise"), std::string::npos);
  request.parameters = {{"rate", request.delta}};
  EXPECT_TRUE(filter_subsample().prepare(request));
}

// T = 3, I = 2: the release of (5, 5, 5) against that of (6, 6, 5), in many independent series at once.
TEST(FilterSubsample, ItsReleasesAreAtLeastAsPrivateAsCertified) {
  Request request = request_for(kReplicas, 3, 2);
  request.epsilon = 1;
  request.delta = 0.05;
  request.parameters = {{"rate", 0.5}, {"filter_width", 0.6}};
  const auto plan = filter_subsample().prepare(request);
  ASSERT_TRUE(plan) << plan.error().text();
  const double epsilon = plan->price.epsilon;
  const double certified = accounting::delta_at(plan->event, *Epsilon::make(epsilon))->delta;
  std::vector<double> difference;
  const auto kernel = accounting::filter_kernel(3, 0.6);
  for (std::size_t t = 0; t < 3; ++t)
    difference.push_back(std::ldexp(static_cast<double>(kernel[t] + kernel[(t + 2) % 3]), -accounting::kFilterBits));
  const std::vector<std::int64_t> without{5, 5, 5}, with{6, 6, 5};
  EXPECT_LE(attained_delta(filter_subsample(), *plan, without, with, difference, epsilon).lower, certified);
  SeriesPlan half = *plan;
  half.scale /= 2;
  EXPECT_GT(attained_delta(filter_subsample(), half, without, with, difference, epsilon).lower, certified);
}

}  // namespace
}  // namespace chronoveil::mechanisms
