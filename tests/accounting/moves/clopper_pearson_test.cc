#include "chronoveil/accounting/moves/clopper_pearson.h"

#include <gtest/gtest.h>

#include <cmath>

namespace chronoveil::accounting {
namespace {

// The sum of all terms, from logarithms of factorials.
long double at_most(std::int64_t successes, std::int64_t trials, long double mean) {
  const auto n = static_cast<long double>(trials);
  long double sum = 0;
  for (std::int64_t i = 0; i <= successes; ++i) {
    const auto x = static_cast<long double>(i);
    const long double ways = std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1);
    sum += std::exp(ways + x * std::log(mean) + (n - x) * std::log1p(-mean));
  }
  return sum;
}

TEST(ClopperPearson, AtTheLimitSoFewSuccessesHaveTheProbabilityBeta) {
  for (double beta : {0.05, 1e-6, 1e-14})
    for (std::int64_t trials : {1, 7, 100, 3000})
      for (std::int64_t successes : {trials / 50, trials / 3, trials - 1}) {
        const double limit = upper_limit(successes, trials, beta);
        EXPECT_GE(limit, static_cast<double>(successes) / static_cast<double>(trials));
        const double there = static_cast<double>(at_most(successes, trials, limit));
        EXPECT_LE(there, beta * (1 + 1e-9)) << successes << " of " << trials;
        // In the last digits below 1 the limit itself is not that fine.
        if (limit < 1 - 1e-6) {
          EXPECT_NEAR(there / beta, 1, 1e-6) << successes << " of " << trials;
        }
      }
}

TEST(ClopperPearson, OtherProgramsFindTheSame) {
  EXPECT_NEAR(upper_limit(0, 10, 0.05), 0.2588655508930523, 1e-9);
  EXPECT_NEAR(upper_limit(3, 20, 0.01), 0.4207289171258155, 1e-9);
  EXPECT_NEAR(upper_limit(100, 4096, 1e-10), 0.04318893085107863, 1e-10);
  EXPECT_NEAR(upper_limit(349525, 524288, 1e-14), 0.6716352175140294, 1e-10);
  EXPECT_NEAR(upper_limit(17, 131072, 3e-13), 0.0005120455336806669, 1e-11);
}

TEST(ClopperPearson, NoneAndAllHaveClosedForms) {
  for (std::int64_t trials : {1, 20, 5000})
    for (double beta : {0.1, 1e-12}) {
      EXPECT_NEAR(upper_limit(0, trials, beta), -std::expm1(std::log(beta) / static_cast<double>(trials)), 1e-9);
      EXPECT_EQ(upper_limit(trials, trials, beta), 1);
    }
}

TEST(ClopperPearson, TheMostSuccessesBelowAMeanAreTheLastWhoseLimitIs) {
  for (double beta : {0.01, 1e-13})
    for (std::int64_t trials : {50, 4096})
      for (double mean : {0.001, 0.3, 0.97}) {
        const std::int64_t most = most_successes_below(mean, trials, beta);
        if (most >= 0) {
          EXPECT_LE(upper_limit(most, trials, beta), mean + 1e-13);
        }
        EXPECT_GT(upper_limit(most + 1, trials, beta), mean - 1e-13);
      }
  EXPECT_EQ(most_successes_below(1, 9, 0.5), 9);
  EXPECT_EQ(most_successes_below(1e-9, 9, 0.01), -1);
}

}  // namespace
}  // namespace chronoveil::accounting
