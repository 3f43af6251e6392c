// The smoother against Gaussian conditioning with dense matrices.
#include "chronoveil/post/local_level.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

namespace chronoveil::post {
namespace {

struct Case {
  std::int64_t length;
  std::vector<std::int64_t> steps;
  std::vector<double> values;
  Samples samples() const { return {length, steps, values}; }
};

Case random_case(std::mt19937_64& random, double rate) {
  std::normal_distribution<double> normal;
  Case c{.length = 2 + static_cast<std::int64_t>(random() % 30), .steps = {}, .values = {}};
  for (std::int64_t t = 0; t < c.length; ++t)
    if (std::uniform_real_distribution<double>()(random) < rate) c.steps.push_back(t);
  if (c.steps.empty()) c.steps.push_back(c.length / 2);
  for (std::size_t k = 0; k < c.steps.size(); ++k) c.values.push_back(50 + 5 * normal(random));
  return c;
}

// With no prior on the level, the precision of x given z is D'D/q + S'S/R, and its mean solves it against S'z/R.
Smoothed dense(const Case& c, double noise_variance, double step_variance) {
  const auto n = static_cast<Eigen::Index>(c.length);
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Matrix precision = Matrix::Zero(n, n);
  Eigen::Matrix<long double, Eigen::Dynamic, 1> right(n);
  right.setZero();
  for (Eigen::Index t = 0; t + 1 < n; ++t) {
    precision(t, t) += 1 / step_variance;
    precision(t + 1, t + 1) += 1 / step_variance;
    precision(t, t + 1) -= 1 / step_variance;
    precision(t + 1, t) -= 1 / step_variance;
  }
  for (std::size_t k = 0; k < c.steps.size(); ++k) {
    precision(c.steps[k], c.steps[k]) += 1 / noise_variance;
    right(c.steps[k]) += c.values[k] / noise_variance;
  }
  const Matrix covariance = precision.fullPivLu().inverse();
  Smoothed all;
  for (Eigen::Index t = 0; t < n; ++t) {
    all.mean.push_back(static_cast<double>(covariance.row(t) * right));
    all.variance.push_back(static_cast<double>(covariance(t, t)));
  }
  return all;
}

TEST(LocalLevel, EqualsDenseGaussianConditioning) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 100; ++i) {
    const Case c = random_case(random, i % 3 == 0 ? 1.0 : 0.3);
    const double noise = std::exp(std::uniform_real_distribution<double>(-3, 3)(random));
    const double step = noise * std::exp(std::uniform_real_distribution<double>(-5, 5)(random));
    const Smoothed ours = smooth(c.samples(), noise, step), truth = dense(c, noise, step);
    for (std::size_t t = 0; t < truth.mean.size(); ++t) {
      EXPECT_NEAR(ours.mean[t], truth.mean[t], 1e-9);
      EXPECT_NEAR(ours.variance[t], truth.variance[t], 1e-9 * (1 + truth.variance[t]));
    }
  }
}

TEST(LocalLevel, AStillSeriesIsItsMean) {
  const Case c{.length = 9, .steps = {1, 2, 6}, .values = {1, 2, 6}};
  const Smoothed all = smooth(c.samples(), 4, 0);
  for (std::size_t t = 0; t < 9; ++t) {
    EXPECT_NEAR(all.mean[t], 3, 1e-12);
    EXPECT_NEAR(all.variance[t], 4.0 / 3, 1e-12);
  }
}

TEST(LocalLevel, AFastSeriesIsItsLinearInterpolation) {
  const Case c{.length = 5, .steps = {1, 3}, .values = {10, 20}};
  const Smoothed all = smooth(c.samples(), 1, 1e12);
  const std::vector<double> expected{10, 10, 15, 20, 20};
  for (std::size_t t = 0; t < 5; ++t) EXPECT_NEAR(all.mean[t], expected[t], 1e-9);
}

// Conditioning on the first value leaves the others with mean z_1 and covariance R + R δ_jk + q min(s_j, s_k).
TEST(LocalLevel, TheLikelihoodIsThatOfTheDenseNormal) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 50; ++i) {
    const Case c = random_case(random, 0.4);
    const double noise = 2.5, step = std::exp(std::uniform_real_distribution<double>(-5, 5)(random));
    const auto n = static_cast<Eigen::Index>(c.steps.size()) - 1;
    if (n < 1) continue;
    Eigen::MatrixXd covariance(n, n);
    Eigen::VectorXd difference(n);
    const auto at = [&](Eigen::Index j) { return static_cast<std::size_t>(j + 1); };
    for (Eigen::Index j = 0; j < n; ++j) {
      difference(j) = c.values[at(j)] - c.values[0];
      for (Eigen::Index k = 0; k < n; ++k)
        covariance(j, k) = noise + (j == k ? noise : 0) +
                           step * static_cast<double>(std::min(c.steps[at(j)], c.steps[at(k)]) - c.steps[0]);
    }
    const double truth =
        -(std::log(covariance.determinant()) + difference.dot(covariance.ldlt().solve(difference))) / 2;
    EXPECT_NEAR(log_likelihood(c.samples(), noise, step), truth, 1e-9 * (1 + std::abs(truth)));
  }
}

TEST(LocalLevel, TheChosenVarianceIsTheLikeliest) {
  std::mt19937_64 random(13);
  for (int i = 0; i < 50; ++i) {
    const Case c = random_case(random, 0.5);
    if (c.steps.size() < 2) continue;
    const double noise = std::exp(std::uniform_real_distribution<double>(-2, 5)(random));
    const StepVariance found = estimate_step_variance(c.samples(), noise);
    const double highest = log_likelihood(c.samples(), noise, found.likeliest);
    EXPECT_GE(highest, log_likelihood(c.samples(), noise, 0));
    for (double q = 1e-9; q < 1e9; q *= 1.1) EXPECT_GE(highest, log_likelihood(c.samples(), noise, q) - 1e-6);
    EXPECT_GT(found.plausible, found.likeliest);
    EXPECT_NEAR(log_likelihood(c.samples(), noise, found.plausible), highest - 0.5, 1e-6);
  }
}

TEST(LocalLevel, EqualValuesMoveNotAtAll) {
  const Case c{.length = 100, .steps = {0, 20, 50, 99}, .values = {5, 5, 5, 5}};
  const StepVariance found = estimate_step_variance(c.samples(), 1);
  EXPECT_EQ(found.likeliest, 0);
  EXPECT_GT(found.plausible, 0);
}

}  // namespace
}  // namespace chronoveil::post
