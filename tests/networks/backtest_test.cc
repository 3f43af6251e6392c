// Backtests of a job: they train as the job does, and score what really happened.
#include "chronoveil/training/backtest.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "networks/fixtures.h"

namespace chronoveil::networks {
namespace {

using namespace training;

class Backtests : public testing::TrainFolder {
 protected:
  // CRPS of the job's own model, then of the seasonal baseline.
  std::vector<double> scores(const std::string& train) const {
    BacktestRequest request;
    request.networks = &with_libtorch();
    request.epsilons = {8};
    request.baselines = {forecasting::Baseline::seasonal_naive};
    const Result<Backtest> backtest = run_backtest(train_job(train), request);
    EXPECT_TRUE(backtest) << backtest.error().text();
    return {backtest->rows.back().mean(), backtest->rows.front().mean()};
  }
};

TEST_F(Backtests, TrainOnClampedValuesAndScoreThemAsTheyAre) {
  const std::string bounds = "lower = 5\nupper = 14\n";
  const auto with_outlier = [](int where) {
    return [where](int series, int hour) { return hour == where ? 1e6 : std::min(14.0, value_of(series, hour)); };
  };
  write("load.csv", rows_of(with_outlier(kHours)));  // none
  const std::vector<double> without = scores("");
  EXPECT_EQ(scores(bounds), without);
  // An outlier that only training reads counts as the bound.
  write("load.csv", rows_of([&](int series, int hour) { return hour == 20 ? 14 : with_outlier(20)(series, hour); }));
  const std::vector<double> at_the_bound = scores("");
  write("load.csv", rows_of(with_outlier(20)));
  EXPECT_EQ(scores(bounds)[0], at_the_bound[0]);
  EXPECT_NE(scores("")[0], at_the_bound[0]);
  // An outlier in the held-back steps makes up nearly all of the score, and nobody forecast it.
  write("load.csv", rows_of(with_outlier(kHours - 2)));
  for (const double score : scores(bounds)) EXPECT_NEAR(score, 1, 1e-3);
  EXPECT_LT(without[0], 0.9);
  EXPECT_LT(without[1], 0.9);
}

}  // namespace
}  // namespace chronoveil::networks
