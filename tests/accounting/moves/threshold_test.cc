// The stationary law of Threshold against its Markov chain over sets of empty slots.
#include "chronoveil/accounting/events/moves/threshold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/published.h"

namespace chronoveil::accounting {
namespace {

// One step of the mechanism as it is described, c > c0 included; adds what is dispatched how far ahead.
std::map<unsigned, double> stepped(const std::map<unsigned, double>& law, int k, int threshold,
                                   std::vector<double>& ahead) {
  std::map<unsigned, double> next;
  for (const auto& [empty, probability] : law) {
    const int c = __builtin_popcount(empty);
    unsigned choices = empty;
    if (c <= threshold) choices = (empty & 1u) != 0 ? 1u : empty & ~1u;
    for (int j = 0; j < k; ++j) {
      if ((choices >> j & 1u) == 0) continue;
      const double share = probability / __builtin_popcount(choices);
      ahead[static_cast<std::size_t>(j)] += share;
      next[(empty & ~(1u << j)) >> 1 | 1u << (k - 1)] += share;
    }
  }
  return next;
}

TEST(Threshold, DispatchProbabilitiesAreThoseOfTheChain) {
  for (int k : {2, 3, 4, 5, 7})
    for (int threshold = 1; threshold < k; ++threshold) {
      std::map<unsigned, double> law = {{(1u << k) - 1, 1.0}};  // all slots empty
      std::vector<double> ahead;
      double change = 1;
      for (int i = 0; i < 4000 && (i < 100 || change > 1e-15); ++i) {
        std::vector<double> before = std::move(ahead);
        ahead.assign(static_cast<std::size_t>(k), 0.0);
        law = stepped(law, k, threshold, ahead);
        change = 0;
        for (std::size_t j = 0; i > 0 && j < ahead.size(); ++j)
          change = std::max(change, std::abs(ahead[j] - before[j]));
      }
      const auto stationary = dispatch_probabilities(k, threshold);
      for (std::size_t j = 0; j < ahead.size(); ++j)
        EXPECT_NEAR(stationary[j], ahead[j], 1e-9) << k << ' ' << threshold;
    }
}

TEST(Threshold, ValuesWaitAsManyStepsAsSlotsAreTaken) {
  for (std::int64_t k : {2, 5, 10, 40})
    for (std::int64_t threshold = 1; threshold < k; ++threshold) {
      double wait = 0;
      const auto probabilities = dispatch_probabilities(k, threshold);
      for (std::size_t j = 0; j < probabilities.size(); ++j) wait += static_cast<double>(j) * probabilities[j];
      EXPECT_NEAR(wait, static_cast<double>(k - threshold), 1e-9) << k << ' ' << threshold;
    }
}

TEST(Threshold, TheFewestAndTheMostEmptySlotsHaveSimpleLaws) {
  for (std::int64_t k : {2, 3, 4, 10, 40}) {
    const auto window = static_cast<double>(k);
    const auto most = dispatch_probabilities(k, k - 1), fewest = dispatch_probabilities(k, 1);
    EXPECT_NEAR(most[0], (window - 2) / window, 1e-12);
    for (std::size_t j = 1; j < most.size(); ++j) EXPECT_NEAR(most[j], 2 / (window * (window - 1)), 1e-12);
    for (std::size_t j = 0; j + 1 < fewest.size(); ++j) EXPECT_EQ(fewest[j], 0);
    EXPECT_EQ(fewest.back(), 1);
    if (k > 2) {
      const double nominal = 2 * std::log((window - 1) * (window - 2) / 2);
      EXPECT_NEAR(nominal_of(Event{Threshold{k, k - 1}, 1})->epsilon, nominal, 1e-12);
    }
  }
}

TEST(Threshold, TheNominalEpsilonIsThePublishedOne) {
  for (std::int64_t threshold : {2, 3})
    EXPECT_NEAR(nominal_of(Event{Threshold{4, threshold}, 1})->epsilon, 2 * std::log(3.0), 1e-12);
  EXPECT_TRUE(std::isinf(nominal_of(Event{Threshold{5, 1}, 1})->epsilon)) << "a value goes to the newest slot always";
}

TEST(Threshold, WideWindowsAreNumbersToo) {
  for (std::int64_t threshold : {1, 40, 256, 511}) {
    double sum = 0;
    for (double p : dispatch_probabilities(kWidestThresholdWindow, threshold)) sum += p;
    EXPECT_NEAR(sum, 1, 1e-9);
  }
  Options options;
  options.analysis = Analysis::published;
  const auto wide = epsilon_at({Threshold{513, 5}, 1}, *Delta::make(0), options);
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error().kind, ErrorKind::cannot_certify);
}

TEST(Threshold, PublishedOnly) {
  const Event event{Threshold{4, 2}, 1};
  const auto certified = epsilon_at(event, *Delta::make(0.1));
  ASSERT_FALSE(certified);
  EXPECT_EQ(certified.error().kind, ErrorKind::cannot_certify);
  Options options;
  options.analysis = Analysis::published;
  EXPECT_NEAR(epsilon_at(event, *Delta::make(0), options)->epsilon, 2 * std::log(3.0), 1e-12);
  EXPECT_EQ(delta_at(event, *Epsilon::make(3), options)->delta, 0);
  EXPECT_EQ(delta_at(event, *Epsilon::make(2), options)->delta, 1);
}

}  // namespace
}  // namespace chronoveil::accounting
