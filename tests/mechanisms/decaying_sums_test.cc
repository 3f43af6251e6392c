#include "chronoveil/mechanisms/parts/decaying_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "chronoveil/mechanisms/parts/total_estimate.h"
#include "weights_by_hand.h"

namespace chronoveil::mechanisms::testing {
namespace {

TEST(DecayingWeights, ArePositiveAndFall) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 3000; ++i) {
    const auto steps = static_cast<std::int64_t>(std::exp(uniform(random) * std::log(1e6)) + 0.5);
    const double memory = i % 10 == 0 ? 1 + 1e-9 * uniform(random) * static_cast<double>(steps - 1)
                                      : std::exp(uniform(random) * std::log(static_cast<double>(steps)));
    const DecayingWeights weights = decaying_weights(steps, memory);
    ASSERT_LE(weights.keep.size(), kMostDecays);
    double sum = 0;
    for (std::size_t j = 0; j < weights.keep.size(); ++j) {
      ASSERT_GT(weights.keep[j], 0) << steps << " " << memory;
      ASSERT_LT(weights.keep[j], 1) << steps << " " << memory;
      ASSERT_GE(weights.weight[j], 0) << steps << " " << memory;
      // Exact in units of 2^-64.
      ASSERT_EQ(std::ldexp(weights.keep[j], 64), std::floor(std::ldexp(weights.keep[j], 64)));
      ASSERT_EQ(std::ldexp(weights.weight[j], 32), std::floor(std::ldexp(weights.weight[j], 32)));
      sum += weights.weight[j];
    }
    ASSERT_LE(sum, 1) << steps << " " << memory;
  }
}

// A live release that an earlier program began goes on with these.
TEST(DecayingWeights, AreTheSameInEveryVersion) {
  const DecayingWeights weights = decaying_weights(700, 350);
  EXPECT_EQ(weights.keep, (std::vector<double>{1 - 0x1.42b684p-10, 1 - 0x1.bbe68cp-6, 1 - 0x1.269e04p-2}));
  EXPECT_EQ(weights.weight, (std::vector<double>{0x1p-32 * 215021884, 0x1p-32 * 566436494, 0x1p-32 * 1291528326}));
}

TEST(ColumnNorms, AreThoseOfDenseColumns) {
  for (const auto& [steps, memory, apart] : std::vector<std::tuple<std::int64_t, double, std::int64_t>>{
           {1, 1, 1}, {2, 2, 1}, {40, 20, 1}, {40, 40, 7}, {200, 60, 11}, {200, 1, 3}, {1500, 1000, 100}}) {
    const DecayingWeights weights = decaying_weights(steps, memory);
    const ByHand hand(weights, steps);
    const std::int64_t most = std::min<std::int64_t>((steps - 1) / apart + 1, 40);
    const ColumnNorms norms = column_norms(weights, steps, apart, most);
    std::vector<std::size_t> slots;
    for (std::size_t k = 0; k < static_cast<std::size_t>(most); ++k) {
      slots.push_back(k * static_cast<std::size_t>(apart));
      const auto [energy, mass] = hand.pattern(slots);
      EXPECT_GE(norms.energy[k], energy);
      EXPECT_GE(norms.mass[k], mass);
      EXPECT_NEAR(norms.energy[k] / energy, 1, 1e-11);
      EXPECT_NEAR(norms.mass[k] / mass, 1, 1e-11);
    }
  }
}

// Of all sets of columns that are far enough apart, against those from the first on.
TEST(ColumnNorms, NoOtherColumnsAmountToMore) {
  for (const double memory : {1.0, 1.5, 4.0, 14.0}) {
    const ByHand hand(decaying_weights(14, memory), 14);
    for (const std::size_t apart : {1, 2, 3, 5}) {
      for (const std::size_t most : {1, 2, 3, 5, 14}) {
        const ColumnNorms norms = column_norms(decaying_weights(14, memory), 14, static_cast<std::int64_t>(apart),
                                               static_cast<std::int64_t>(std::min<std::size_t>(most, 13 / apart + 1)));
        std::vector<std::size_t> chosen;
        each_pattern(0, 14, apart, most, chosen, [&](const std::vector<std::size_t>& slots) {
          const auto [energy, mass] = hand.pattern(slots);
          EXPECT_LE(energy, norms.energy.back());
          EXPECT_LE(mass, norms.mass.back());
        });
      }
    }
  }
}

TEST(DecayingSums, AreBelowTheExactOnesByLessThanIsCharged) {
  std::mt19937_64 random(2);
  for (const auto& [steps, memory] : std::vector<std::pair<std::int64_t, double>>{{50, 25}, {700, 700}, {2000, 100}}) {
    const DecayingWeights weights = decaying_weights(steps, memory);
    const std::unique_ptr<CountMemory> memory_of = decaying_sums(weights, 1);
    const ByHand hand(weights, steps);
    const double charged = rounding_of_sums(weights, steps);
    double most = 0;
    std::vector<std::int64_t> counts;
    for (std::int64_t t = 0; t < steps; ++t) {
      counts.push_back(static_cast<std::int64_t>(random() % 3));
      FixedSum sum = 0;
      memory_of->take({&counts.back(), 1}, {&sum, 1});
      long double exact = 0;
      for (std::size_t i = 0; i < counts.size(); ++i)
        exact += hand.c[i] * static_cast<long double>(counts[counts.size() - 1 - i]);
      const auto below = static_cast<double>(exact - ldexpl(static_cast<long double>(sum), -kFixedBits));
      ASSERT_GE(below, -1e-17 * static_cast<double>(exact)) << t;
      ASSERT_LT(below, charged) << t;
      most = std::max(most, below);
    }
    EXPECT_GT(most, charged / 8) << "no more is charged than can happen";
  }
}

TEST(DecayingSums, HoldTheLargestCountsForTheLongestTime) {
  const DecayingWeights weights = decaying_weights(kMostTotalSteps, static_cast<double>(kMostTotalSteps));
  const std::unique_ptr<CountMemory> memory = decaying_sums(weights, 1);
  const std::int64_t count = std::int64_t{1} << 53;
  FixedSum sum = 0, before = 0;
  for (std::int64_t t = 0; t < kMostTotalSteps; ++t, before = sum) {
    memory->take({&count, 1}, {&sum, 1});
    ASSERT_GE(sum, before);
  }
  EXPECT_GT(sum, static_cast<FixedSum>(count) << (kFixedBits + 9));
}

TEST(TotalEstimate, IsExactWithoutNoiseHoweverLongItRuns) {
  constexpr std::int64_t kSteps = 200'000;
  const DecayingWeights weights = decaying_weights(kSteps, kSteps / 2.0);
  const std::unique_ptr<CountMemory> memory = decaying_sums(weights, 1);
  TotalEstimate estimate(weights);
  std::mt19937_64 random(4);
  double truth = 0;
  for (std::int64_t t = 0; t < kSteps; ++t) {
    const auto count = static_cast<std::int64_t>(random() % 100'000);
    FixedSum sum = 0;
    memory->take({&count, 1}, {&sum, 1});
    estimate.answered(std::ldexp(static_cast<double>(sum), -kFixedBits));
    truth += static_cast<double>(count);
    ASSERT_NEAR(estimate.total(), truth, 1e-10 * truth + 1e-6) << t;
  }
  EXPECT_NEAR(std::sqrt(estimate.variance()), total_spread(weights, kSteps), 1e-10);
}

// By Gaussian elimination on the rows and columns that were answered.
TEST(TotalEstimate, ItsVarianceIsThatOfTheAnsweredStepsWhateverTheGaps) {
  std::mt19937_64 random(3);
  for (const double share : {0.0, 0.3, 0.8}) {
    const std::int64_t steps = 120;
    const DecayingWeights weights = decaying_weights(steps, 60);
    const ByHand hand(weights, steps);
    TotalEstimate estimate(weights);
    std::vector<std::size_t> answered;
    std::vector<std::vector<long double>> rows;  // of A C⁻¹ restricted to them, each the previous plus one of C⁻¹
    std::vector<std::vector<long double>> inverse;
    for (std::size_t t = 0; t < static_cast<std::size_t>(steps); ++t) {
      if (std::uniform_real_distribution<double>()(random) < share) {
        estimate.missed();
      } else {
        estimate.answered(0);
        std::vector<long double> row(answered.size() + 1, 0.0L);
        row.back() = 1;
        for (std::size_t i = 0; i < answered.size(); ++i)
          for (std::size_t k = 0; k < inverse[i].size(); ++k) row[k] -= hand.c[t - answered[i]] * inverse[i][k];
        inverse.push_back(row);
        for (std::size_t k = 0; k < answered.size(); ++k) row[k] += rows.back()[k];
        rows.push_back(row);
        answered.push_back(t);
      }
      long double energy = 0;
      if (!rows.empty())
        for (const long double each : rows.back()) energy += each * each;
      EXPECT_NEAR(estimate.variance(), static_cast<double>(energy), 1e-10 * static_cast<double>(energy));
      EXPECT_EQ(estimate.has_answers(), !answered.empty());
    }
  }
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
