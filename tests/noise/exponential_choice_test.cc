#include "chronoveil/noise/exponential_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "noise/statistics.h"

namespace chronoveil::noise {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
constexpr int kDraws = 400'000;

std::vector<double> normalized(std::vector<double> weights) {
  double total = 0;
  for (const double weight : weights) total += weight;
  for (double& weight : weights) weight /= total;
  return weights;
}

std::vector<std::int64_t> choices(const std::vector<double>& log_weights, BitSource& bits) {
  std::vector<std::int64_t> counts(log_weights.size());
  for (int i = 0; i < kDraws; ++i) {
    ++counts[static_cast<std::size_t>(choose_by_log_weight(log_weights, 0, bits)->chosen)];
  }
  return counts;
}

TEST(ChooseByLogWeight, ChoosesInProportionToTheWeights) {
  BitSource bits;
  const std::vector<double> log_weights = {0, -0.5, 1.25, -3, kMinusInfinity, 1.25};
  std::vector<double> weights;
  for (const double log_weight : log_weights) weights.push_back(std::exp(log_weight));
  const auto counts = choices(log_weights, bits);
  EXPECT_EQ(counts[4], 0);
  EXPECT_GT(chi_squared_p_value(counts, normalized(weights)), kLevel);
  weights[2] *= 1.06;  // the twin
  EXPECT_LT(chi_squared_p_value(counts, normalized(weights)), kLevel);
}

TEST(ChooseByLogWeight, OnlyDifferencesMatterAndNothingUnderflows) {
  // exp(-5e8) is far below the smallest double, for all candidates alike.
  BitSource bits;
  const auto counts = choices({-5e8, -5e8 + std::log(2.0), -5e8}, bits);
  EXPECT_GT(chi_squared_p_value(counts, {0.25, 0.5, 0.25}), kLevel);
}

TEST(ChooseByLogWeight, ReportsFourTimesTheErrorAsACharge) {
  BitSource bits;
  const std::vector<double> one = {0};
  const double own = choose_by_log_weight(one, 0, bits)->epsilon_charge;
  EXPECT_GE(own, 4 * 0x1p-33);
  EXPECT_LE(own, 4 * 0x1p-33 * (1 + 1e-12));
  const double with_input = choose_by_log_weight(one, 1e-6, bits)->epsilon_charge;
  EXPECT_GE(with_input, 4 * (1e-6 + 0x1p-33));
  EXPECT_LE(with_input, 4 * (1e-6 + 0x1p-33) * (1 + 1e-12));
}

TEST(ChargeOfAChoice, IsKnownBeforehandAndTheSameForEveryInput) {
  BitSource bits;
  const std::vector<double> one = {0}, many = {0, -3, 17, kMinusInfinity};
  const std::vector<WeightedInterval> point = {{5, 5, 0}}, wide = {{0, 1'000'000, -2}, {3, 2, 0}, {-9, -1, 40}};
  for (const double input_error : {0.0, 0x1p-40, 1e-6, 1.0}) {
    for (const auto& weights : {one, many})
      EXPECT_EQ(choose_by_log_weight(weights, input_error, bits)->epsilon_charge, charge_of_log_weights(input_error));
    for (const auto& intervals : {point, wide})
      EXPECT_EQ(choose_grid_point(intervals, input_error, bits)->epsilon_charge, charge_of_grid_points(input_error));
  }
}

TEST(ChooseByLogWeight, RefusesWhatIsNoWeight) {
  BitSource bits;
  const auto refused = [&](std::vector<double> log_weights, double input_error = 0) {
    const auto result = choose_by_log_weight(log_weights, input_error, bits);
    return !result && result.error().kind == ErrorKind::usage;
  };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({kMinusInfinity, kMinusInfinity}));
  EXPECT_TRUE(refused({0, std::numeric_limits<double>::quiet_NaN()}));
  EXPECT_TRUE(refused({0, -kMinusInfinity}));
  EXPECT_TRUE(refused({0, 2 * kLogWeightLimit}));
  EXPECT_TRUE(refused({0}, -1));
  EXPECT_TRUE(refused({0}, std::numeric_limits<double>::quiet_NaN()));
}

TEST(ChooseByLogWeight, AnErrorQuotesNoWeight) {
  BitSource bits;
  const std::vector<double> log_weights = {123456789012.0};
  EXPECT_EQ(choose_by_log_weight(log_weights, 0, bits).error().text().find("123456"), std::string::npos);
}

TEST(ChooseGridPoint, WeighsIntervalsByTheirPoints) {
  BitSource bits;
  const std::vector<WeightedInterval> intervals = {{-5, -3, 0}, {7, 7, std::log(4.0)}, {10, 9, 20}, {20, 22, -1}};
  const std::vector<std::int64_t> points = {-5, -4, -3, 7, 20, 21, 22};
  const double small = std::exp(-1.0);
  std::vector<std::int64_t> counts(points.size());
  for (int i = 0; i < kDraws; ++i) {
    const std::int64_t chosen = choose_grid_point(intervals, 0, bits)->chosen;
    const auto found = std::find(points.begin(), points.end(), chosen);
    ASSERT_NE(found, points.end());
    ++counts[static_cast<std::size_t>(found - points.begin())];
  }
  EXPECT_GT(chi_squared_p_value(counts, normalized({1, 1, 1, 4, small, small, small})), kLevel);
}

TEST(ChooseGridPoint, ReachesEveryLowBitOfAWideInterval) {
  BitSource bits;
  const std::int64_t last = (std::int64_t{1} << 61) - 1;
  std::vector<std::int64_t> low(16);
  for (int i = 0; i < kDraws; ++i) {
    const std::vector<WeightedInterval> interval = {{0, last, 0}};
    ++low[static_cast<std::size_t>(choose_grid_point(interval, 0, bits)->chosen & 15)];
  }
  EXPECT_GT(chi_squared_p_value(low, std::vector<double>(16, 1.0 / 16)), kLevel);
}

TEST(ChooseGridPoint, RefusesNothingToChooseFromAndTooManyPoints) {
  BitSource bits;
  using Limits = std::numeric_limits<std::int64_t>;
  const std::vector<WeightedInterval> empty = {{3, 2, 0}}, whole = {{Limits::min(), Limits::max(), 0}};
  EXPECT_FALSE(choose_grid_point(empty, 0, bits));
  EXPECT_FALSE(choose_grid_point(whole, 0, bits));
}

}  // namespace
}  // namespace chronoveil::noise
