// The choices of levy and the quantiles: their probabilities, what they really give away, and that what is drawn
// follows them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <utility>

#include "cell_setting.h"
#include "chronoveil/mechanisms/cells/levy.h"
#include "chronoveil/mechanisms/cells/parts/array_means.h"
#include "chronoveil/mechanisms/cells/quantile.h"
#include "noise/draws.h"
#include "noise/statistics.h"
#include "selection_reference.h"

namespace chronoveil::mechanisms {
namespace {

using testing::cell_of_means;
using testing::cell_plan;
using testing::cell_request;
using testing::MadeUpCell;
using testing::Means;
using testing::Probabilities;

constexpr std::uint32_t kUpper = 545'259'520;  // U of values in [0, 65]

Probabilities probabilities(const std::vector<double>& log_weights) {
  return testing::from_exponents({log_weights.begin(), log_weights.end()}, Probabilities(log_weights.size(), 1));
}

Probabilities probabilities(const std::vector<noise::WeightedInterval>& intervals) {
  Probabilities exponents, lengths;
  for (const noise::WeightedInterval& each : intervals) {
    exponents.push_back(each.log_weight);
    lengths.push_back(static_cast<long double>(each.last - each.first + 1));
  }
  return testing::from_exponents(exponents, lengths);
}

void expect_same(const Probabilities& ours, const Probabilities& reference) {
  ASSERT_EQ(ours.size(), reference.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ASSERT_LE(std::abs(ours[i] - reference[i]), 1e-12L);
    // Those that are small, too: in proportion, but for what rounding leaves of exponents up to a thousand.
    ASSERT_LE(std::abs(ours[i] - reference[i]), 2e-12L * reference[i]);
  }
}

// Array means that are spread, tied, all the same, all at an end, at the edges of bins, and few or many.
std::vector<Means> cases(std::uint32_t upper) {
  std::mt19937_64 random(7);
  std::vector<Means> all;
  for (const std::size_t arrays : {1u, 2u, 3u, 10u, 57u, 2000u}) {
    for (const double spread : {1.0, 0.05, 1e-6}) {
      Means means;
      for (std::size_t i = 0; i < arrays; ++i) {
        const double at = 0.3 * (1 - spread) + spread * std::uniform_real_distribution<double>(0, 1)(random);
        means.push_back(static_cast<std::uint32_t>(at * upper));
      }
      all.push_back(means);
      for (std::size_t i = 0; i < arrays; ++i) means[i] = means[i % ((arrays + 3) / 4)];
      all.push_back(means);
    }
    for (const std::uint32_t same : {0u, 1u, upper / 2, upper - 1, upper}) all.emplace_back(arrays, same);
    Means ends(arrays, 0);
    for (std::size_t i = 0; i < arrays; i += 2) ends[i] = upper;
    all.push_back(ends);
  }
  return all;
}

TEST(LevySelection, HasTheProbabilitiesOfTheDefinition) {
  int compared = 0;
  for (const std::uint32_t upper : {kUpper, 20u}) {
    for (Means means : cases(upper)) {
      for (const std::int64_t m_ub : {1, 5, 46, 417, 20'000}) {
        const LevyBins bins(upper, static_cast<std::int64_t>(means.size()), m_ub);
        // Some at both sides of an edge.
        for (std::size_t i = 0; i < means.size(); i += 3)
          means[i] = static_cast<std::uint32_t>(
              std::max<std::int64_t>(0, bins.first(static_cast<std::int64_t>(i) % bins.count()) - i % 2));
        for (const double share : {0.01, 0.5, 2.0}) {
          expect_same(probabilities(levy_log_weights(bins, means, share)),
                      testing::levy_reference(means, upper, static_cast<long double>(m_ub), share));
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 1000);
}

TEST(QuantileSelection, HasTheProbabilitiesOfTheDefinition) {
  int compared = 0;
  for (const CellMechanism* row : {&fixed_quantile(), &epsilon_quantile()}) {
    for (const double epsilon : {0.01, 0.5, 1.0, 2.0}) {
      const CellsPlan plan = cell_plan(*row, cell_request(epsilon));
      for (const std::uint32_t upper : {kUpper, 20u}) {
        for (Means means : cases(upper)) {
          const auto arrays = static_cast<std::int64_t>(means.size());
          const auto count = static_cast<long double>(arrays);
          const long double alpha = row == &fixed_quantile()
                                        ? 0.1L
                                        : std::min(0.5L, std::ceil(2 / static_cast<long double>(epsilon)) / count);
          std::sort(means.begin(), means.end());
          for (const bool high : {false, true}) {
            const Ranks ranks = ranks_of(plan, arrays);
            const auto ours = quantile_intervals(means, upper, high ? ranks.high : ranks.low, quantile_rate(plan));
            Probabilities reference = testing::quantile_reference(means, upper, high ? 1 - alpha : alpha, plan.share);
            std::erase(reference, 0.0L);
            expect_same(probabilities(ours), reference);
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 1000);
}

TEST(QuantileSelection, GivesEveryStepBelowTheUpperBoundExactlyOnce) {
  for (Means means : cases(20)) {
    std::sort(means.begin(), means.end());
    std::int64_t next = 0;
    for (const noise::WeightedInterval& each : quantile_intervals(means, 20, {3, 10}, 0.25)) {
      EXPECT_EQ(each.first, next);
      EXPECT_LE(each.first, each.last);
      next = each.last + 1;
    }
    EXPECT_EQ(next, 20);
  }
}

// Calls visit with every ascending list of `arrays` means in [0, upper].
void for_all_means(std::size_t arrays, std::uint32_t upper, const std::function<void(const Means&)>& visit) {
  Means means(arrays, 0);
  for (;;) {
    visit(means);
    std::size_t i = arrays;
    while (i > 0 && means[i - 1] == upper) --i;
    if (i == 0) return;
    std::fill(means.begin() + static_cast<std::ptrdiff_t>(i) - 1, means.end(), means[i - 1] + 1);
  }
}

// The largest |ln p/p'| of an outcome over all neighbours, by brute force: one mean replaced by any other value.
using Law = std::function<Probabilities(const Means& sorted)>;
long double worst_loss(std::size_t arrays, std::uint32_t upper, const Law& law) {
  long double worst = 0;
  for_all_means(arrays, upper, [&](const Means& means) {
    const Probabilities p = law(means);
    for (std::size_t j = 0; j < arrays; ++j) {
      if (j > 0 && means[j] == means[j - 1]) continue;
      for (std::uint32_t value = means[j] + 1; value <= upper; ++value) {
        Means other = means;
        other[j] = value;
        std::sort(other.begin(), other.end());
        const Probabilities q = law(other);
        for (std::size_t x = 0; x < p.size(); ++x) worst = std::max(worst, std::abs(std::log(p[x] / q[x])));
      }
    }
  });
  return worst;
}

// Of every whole step, from the intervals that are drawn from.
Probabilities of_steps(const std::vector<noise::WeightedInterval>& intervals) {
  Probabilities exponents;
  for (const noise::WeightedInterval& each : intervals)
    exponents.insert(exponents.end(), static_cast<std::size_t>(each.last - each.first + 1), each.log_weight);
  return testing::from_exponents(exponents, Probabilities(exponents.size(), 1));
}

long double quantile_loss(const CellsPlan& plan, std::size_t arrays, std::uint32_t upper, double rate) {
  const Ranks ranks = ranks_of(plan, static_cast<std::int64_t>(arrays));
  long double worst = 0;
  for (const Rank& rank : {ranks.low, ranks.high})
    worst = std::max(worst, worst_loss(arrays, upper, [&](const Means& means) {
                       return of_steps(quantile_intervals(means, upper, rank, rate));
                     }));
  return worst;
}

struct Small {
  std::size_t arrays;
  std::uint32_t upper;
};
constexpr Small kSmall[] = {{1, 12}, {2, 12}, {3, 12}, {10, 4}};

TEST(QuantileSelection, GivesAwayNoMoreThanItsShareOverAllNeighbours) {
  for (const CellMechanism* row : {&fixed_quantile(), &epsilon_quantile()}) {
    const CellsPlan plan = cell_plan(*row, cell_request(2));
    long double worst = 0, without_the_half = 0;
    for (const auto& [arrays, upper] : kSmall) {
      worst = std::max(worst, quantile_loss(plan, arrays, upper, quantile_rate(plan)));
      without_the_half = std::max(without_the_half, quantile_loss(plan, arrays, upper, plan.share / 4));
    }
    EXPECT_LE(worst, plan.share / 4 + 1e-12) << row->name;
    EXPECT_GT(worst, 0.6 * plan.share / 4) << row->name;  // the bound is not idle
    EXPECT_GT(without_the_half, 1.2 * plan.share / 4) << row->name;
  }
}

TEST(QuantileSelection, AsPublishedCostsMoreThanItSaysAndTheEventSaysSo) {
  for (const CellMechanism* row : {&fixed_quantile(), &epsilon_quantile()}) {
    CellRequest request = cell_request(2);
    request.analysis = accounting::Analysis::published;
    const CellsPlan plan = cell_plan(*row, request);
    long double worst = 0;
    for (const auto& [arrays, upper] : kSmall)
      worst = std::max(worst, quantile_loss(plan, arrays, upper, quantile_rate(plan)));
    EXPECT_GT(worst, 1.2 * plan.share / 4) << row->name;
    EXPECT_LE(worst, plan.share / 2 + 1e-12) << row->name;
  }
}

TEST(LevySelection, GivesAwayNoMoreThanItsShareOverAllNeighbours) {
  const CellsPlan plan = cell_plan(levy(), cell_request(2));
  long double worst = 0, without_the_half = 0;
  for (const auto& [arrays, upper] : kSmall) {
    for (const std::int64_t m_ub : {3, 10, 50}) {
      const LevyBins bins(upper, static_cast<std::int64_t>(arrays), m_ub);
      const auto loss = [&, size = arrays, top = upper](double share) {
        return worst_loss(size, top,
                          [&](const Means& means) { return probabilities(levy_log_weights(bins, means, share)); });
      };
      worst = std::max(worst, loss(plan.share));
      without_the_half = std::max(without_the_half, loss(2 * plan.share));
    }
  }
  EXPECT_LE(worst, plan.share / 2 + 1e-12);
  EXPECT_GT(worst, 0.6 * plan.share / 2);
  EXPECT_GT(without_the_half, 1.2 * plan.share / 2);
}

TEST(LogWeights, EndSoThatDoublesMissLittleAndNothingIsRefused) {
  EXPECT_EQ(log_weight(0.25, 0), 0);
  EXPECT_EQ(log_weight(0.25, 3), -0.75);
  EXPECT_EQ(log_weight(1e300, 1e300), kLeastLogWeight);
  const double ulp = -kLeastLogWeight * std::numeric_limits<double>::epsilon();
  EXPECT_LE(2 * ulp, kLogWeightError);  // two roundings are a whole ulp at most
  BitSource bits;
  const std::vector<double> far = {log_weight(1e9, 1e9), log_weight(1e9, 2e9)};
  EXPECT_TRUE(noise::choose_by_log_weight(far, kLogWeightError, bits));
}

TEST(ClampedSum, MovesByExactlyTheWidthOfTheInterval) {
  // Two users who fill their array alone, two who share one.
  const std::uint32_t upper = 3;
  const std::vector<std::uint32_t> counts = {2, 2, 1, 1};
  const BestFit arrays = best_fit(counts, 2);
  ASSERT_EQ(arrays.fills.size(), 3u);
  const std::size_t records = 6;
  const auto means_of = [&](std::size_t code) {
    MadeUpCell cell{counts, {}, upper};
    for (std::size_t i = 0; i < records; ++i, code /= upper + 1)
      cell.values.push_back(static_cast<std::uint32_t>(code % (upper + 1)));
    return array_means(cell.view(), arrays, 2);
  };
  std::vector<Means> all;
  for (std::size_t code = 0; code < 4096; ++code) all.push_back(means_of(code));
  for (std::int64_t a = 0; a <= upper; ++a) {
    for (std::int64_t b = a; b <= upper; ++b) {
      std::int64_t worst = 0;
      for (std::size_t code = 0; code < all.size(); ++code) {
        const std::int64_t sum = clamped_sum(all[code], {a, b});
        // A user's values are digits of the code, in base 4: those from `first` on, below `end`.
        for (const auto& [first, end] :
             {std::pair{1u, 16u}, std::pair{16u, 256u}, std::pair{256u, 1024u}, std::pair{1024u, 4096u}}) {
          const std::size_t others = code % first + code / end * end;
          for (std::size_t mine = 0; mine < end / first; ++mine)
            worst = std::max(worst, std::abs(clamped_sum(all[others + mine * first], {a, b}) - sum));
        }
      }
      EXPECT_EQ(worst, b - a) << a << " " << b;
    }
  }
}

// What was chosen, from a release with a tape of zero noise: the width of its interval tells b − a, and the mean then
// tells a, as there are array means at both ends.
Interval chosen(const CellsPlan& plan, const Means& means, const CellEstimate& estimate) {
  const double step = bound::ValueGrid::make(0, 65)->step();
  const auto arrays = static_cast<double>(means.size());
  const double scale = -(estimate.upper - estimate.mean) / std::log(1 - plan.level);
  const auto width = std::llround(scale / step * arrays / plan.noise_multiplier);
  const auto sum = std::llround(estimate.mean / step * arrays);
  std::int64_t low = 0, high = kUpper - width;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (clamped_sum(means, {middle, middle + width}) < sum)
      low = middle + 1;
    else
      high = middle;
  }
  return {low, low + width};
}

constexpr int kReleases = kSanitized ? 20'000 : 100'000;
Draws without_noise() { return Draws::replayed({std::vector<double>(kReleases, 0.0), {}}); }

TEST(QuantileSelection, IsWhatAReleaseDraws) {
  const Means means = {0, kUpper / 4, kUpper / 2, kUpper / 2 + kUpper / 8, kUpper};
  const MadeUpCell cell = cell_of_means(means, 9, kUpper);
  for (const CellMechanism* row : {&fixed_quantile(), &epsilon_quantile()}) {
    const CellsPlan plan = cell_plan(*row, cell_request(6));
    const auto intervals = quantile_intervals(means, kUpper, {1, 1}, 1);
    // A cell of the table is half an interval for a and half an interval for b.
    const std::size_t halves = 2 * intervals.size();
    const auto half_of = [&](std::int64_t x) {
      std::size_t i = 0;
      while (intervals[i].last < x) ++i;
      return 2 * i + (2 * (x - intervals[i].first) > intervals[i].last - intervals[i].first ? 1 : 0);
    };
    std::vector<std::int64_t> counts(halves * halves);
    Draws draws = without_noise();
    for (int run = 0; run < kReleases; ++run) {
      const Interval drawn = chosen(plan, means, *row->measure(plan, cell.view(), draws));
      ++counts[half_of(drawn.a) * halves + half_of(drawn.b)];
    }
    const auto p_value = [&](double epsilon) {
      const long double alpha = row == &fixed_quantile() ? 0.1L : std::ceil(2 / 6.0L) / 5;
      Probabilities low = testing::quantile_reference(means, kUpper, alpha, epsilon);
      Probabilities high = testing::quantile_reference(means, kUpper, 1 - alpha, epsilon);
      std::erase(low, 0.0L);
      std::erase(high, 0.0L);
      // Either may be the smaller one, which is a.
      std::vector<double> expected(counts.size(), 0);
      for (std::size_t i = 0; i < halves; ++i)
        for (std::size_t j = 0; j < halves; ++j)
          expected[std::min(i, j) * halves + std::max(i, j)] += static_cast<double>(low[i / 2] * high[j / 2] / 4);
      return noise::chi_squared_p_value(counts, expected);
    };
    EXPECT_GT(p_value(plan.share), noise::kLevel) << row->name;
    EXPECT_LT(p_value(2 * plan.share), noise::kLevel) << row->name;  // the twin without the half
  }
}

TEST(LevySelection, IsWhatAReleaseDraws) {
  const Means means = {0, kUpper / 4, kUpper / 3, kUpper / 2, kUpper};
  const MadeUpCell cell = cell_of_means(means, 100, kUpper);
  const CellsPlan plan = cell_plan(levy(), cell_request(4));
  const LevyBins bins(kUpper, 5, 100);
  ASSERT_EQ(bins.count(), 8);
  std::vector<std::int64_t> counts(8);
  Draws draws = without_noise();
  for (int run = 0; run < kReleases; ++run) {
    const Interval drawn = chosen(plan, means, *levy().measure(plan, cell.view(), draws));
    std::int64_t s = 0;
    while (s < 8 && (bins.around(s).a != drawn.a || bins.around(s).b != drawn.b)) ++s;
    ASSERT_LT(s, 8);
    ++counts[static_cast<std::size_t>(s)];
  }
  const auto p_value = [&](double epsilon) {
    const Probabilities expected = testing::levy_reference(means, kUpper, 100, epsilon);
    return noise::chi_squared_p_value(counts, {expected.begin(), expected.end()});
  };
  EXPECT_GT(p_value(plan.share), noise::kLevel);
  EXPECT_LT(p_value(2 * plan.share), noise::kLevel);
}

}  // namespace
}  // namespace chronoveil::mechanisms
