#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>
#include <random>
#include <set>

#include "chronoveil/post/joint/candidates.h"
#include "chronoveil/post/joint/folds.h"
#include "chronoveil/post/joint/intervals.h"
#include "chronoveil/post/joint/leading.h"
#include "chronoveil/post/joint/weights.h"

namespace chronoveil::post::joint {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;

ArrayXd normal(Index size, std::mt19937_64& random) {
  std::normal_distribution<double> one;
  return ArrayXd::NullaryExpr(size, [&] { return one(random); });
}

constexpr Index kSteps = 24;

struct Fixed {
  explicit Fixed(Index curves) {
    std::mt19937_64 random(11);
    MatrixXd all(kSteps, curves + 1);
    all.col(0).setOnes();
    for (Index j = 1; j <= curves; ++j) all.col(j) = normal(kSteps, random).matrix();
    const MatrixXd basis = Eigen::HouseholderQR<MatrixXd>(all).householderQ() * MatrixXd::Identity(kSteps, curves + 1);
    ArrayXXd coefficients(curves, 30);
    for (Index o = 0; o < 30; ++o) coefficients.col(o) = 3 * normal(curves, random);
    const ArrayXd sizes = 20 + 5 * normal(30, random);
    ArrayXd envelope = 0.1 + normal(kSteps, random).square();
    envelope /= envelope.mean();
    candidates.emplace(dictionary, Factors{basis.rightCols(curves), 0.5}, envelope, Loadings(coefficients, sizes));
    curve = curves > 0 ? ArrayXd(basis.col(1).array()) : ArrayXd::Zero(kSteps);
  }

  MixturePart part(const ArrayXd& z, const ArrayXd& weights) {
    ArrayXd coefficients(kSteps);
    dictionary.basis.forward(view(z), view(coefficients));
    return candidates->part(dictionary.basis, z, coefficients, weights);
  }
  ArrayXd residual(const ArrayXd& z, Index number) { return part(z, chosen(number)).sum; }
  ArrayXd chosen(Index number) const {
    ArrayXd weights = ArrayXd::Zero(candidates->count());
    weights[number] = 1;
    return weights;
  }
  ArrayXd risks(const ArrayXd& z) {
    ArrayXd coefficients(kSteps);
    dictionary.basis.forward(view(z), view(coefficients));
    return candidates->risks(dictionary.basis, z, coefficients);
  }

  Dictionary dictionary{kSteps, 0};
  std::optional<Candidates> candidates;
  ArrayXd curve;
};

std::vector<Index> some(const Candidates& all) {
  std::vector<Index> numbers;
  for (Index i = 0; i < all.spectra(); i += 3)
    for (Index o = 0; o < kOptions; ++o)
      for (Index w = 0; w < kRoughnesses; w += 2) numbers.push_back(all.number(i, o, w));
  return numbers;
}

TEST(JointCandidates, TheRiskHoldsTheDivergenceThatDifferencesShow) {
  std::mt19937_64 random(12);
  for (const Index curves : {0, 1, 5}) {
    Fixed fixed(curves);
    const ArrayXd z = 5 + 4 * fixed.curve + normal(kSteps, random);
    const ArrayXd risks = fixed.risks(z);
    for (const Index number : some(*fixed.candidates)) {
      const ArrayXd e = fixed.residual(z, number);
      double divergence = 0;  // of e; it is affine in z but for the size of the relative options
      for (Index t = 0; t < kSteps; ++t) {
        constexpr double kStep = 1e-3;
        ArrayXd up = z, down = z;
        up[t] += kStep, down[t] -= kStep;
        divergence += (fixed.residual(up, number)[t] - fixed.residual(down, number)[t]) / (2 * kStep);
      }
      const Index option = number / kRoughnesses % kOptions;
      const bool exact = option < 4 || number % kRoughnesses == 0;
      const double stein = e.square().sum() + static_cast<double>(kSteps) - 2 * divergence;
      EXPECT_NEAR(risks[number], stein, exact ? 1e-6 : 1.0) << curves << " " << number;
      EXPECT_NEAR(fixed.part(z, fixed.chosen(number)).divergence,
                  (risks[number] - e.square().sum() + static_cast<double>(kSteps)) / 2, 1e-9);
    }
  }
}

// The mean of R against the mean of the true loss, over noise, with what the other folds said held fixed.
TEST(JointCandidates, TheRiskIsUnbiased) {
  std::mt19937_64 random(13);
  Fixed fixed(3);
  const ArrayXd truth = 5 + 4 * fixed.curve + 2 * normal(kSteps, random);
  constexpr int kRuns = 3000;
  std::vector<Index> numbers;
  for (const Index i : {Index{1}, Index{4}, fixed.candidates->spectra() - 1})
    for (const Index o : {0, 2, 5})
      for (const Index w : {0, 4}) numbers.push_back(fixed.candidates->number(i, o, w));
  ArrayXd sum = ArrayXd::Zero(static_cast<Index>(numbers.size())), squares = sum, twin = sum;
  for (int run = 0; run < kRuns; ++run) {
    const ArrayXd z = truth + normal(kSteps, random);
    const ArrayXd risks = fixed.risks(z);
    for (std::size_t n = 0; n < numbers.size(); ++n) {
      const ArrayXd e = fixed.residual(z, numbers[n]);
      const double off = risks[numbers[n]] - (z - e - truth).square().sum();
      sum[static_cast<Index>(n)] += off / kRuns;
      squares[static_cast<Index>(n)] += off * off / kRuns;
      // A twin that forgets the divergence.
      twin[static_cast<Index>(n)] +=
          (e.square().sum() + static_cast<double>(kSteps) - (z - e - truth).square().sum()) / kRuns;
    }
  }
  const ArrayXd error = ((squares - sum.square()) / kRuns).sqrt();
  for (Index n = 0; n < sum.size(); ++n) {
    const bool relative_and_rough = n % 6 == 5;  // where a term below 1 is left out
    EXPECT_LT(std::abs(sum[n]), 5.5 * error[n] + (relative_and_rough ? 1 : 0)) << n;
    EXPECT_GT(std::abs(twin[n]), 5.5 * error[n]) << n;
  }
}

TEST(JointCandidates, APartIsTheMixtureOfItsCandidates) {
  std::mt19937_64 random(14);
  Fixed fixed(4);
  const ArrayXd z = 5 + 4 * fixed.curve + normal(kSteps, random);
  ArrayXd weights = normal(fixed.candidates->count(), random).square();
  weights *= 0.7 / weights.sum();
  const MixturePart part = fixed.part(z, weights);
  ArrayXd sum = ArrayXd::Zero(kSteps), variance = sum;
  for (Index n = 0; n < weights.size(); ++n) sum += weights[n] * fixed.residual(z, n);
  const ArrayXd mean = sum / 0.7;
  for (Index n = 0; n < weights.size(); ++n) {
    const MixturePart one = fixed.part(z, fixed.chosen(n));
    variance += weights[n] * (one.variance + (one.sum - mean).square());
  }
  EXPECT_NEAR(part.weight, 0.7, 1e-12);
  for (Index t = 0; t < kSteps; ++t) {
    EXPECT_NEAR(part.sum[t], sum[t], 1e-10);
    EXPECT_NEAR(part.mean[t], mean[t], 1e-10);
    EXPECT_NEAR(part.variance[t], variance[t], 1e-10);
  }
}

TEST(JointFolds, NobodyLearnsFromItsOwnFold) {
  for (const Index series : {2, 7, 8, 9, 100, 101})
    for (const Index limit : {3, 50, 4000}) {
      const Folds folds(series, limit);
      EXPECT_LE(folds.learners(), limit);
      Index fewest = folds.learners();
      for (Index s = 0; s < series; ++s) {
        const Index fold = folds.fold_of(s);
        ASSERT_LT(fold, folds.count());
        const std::vector<Index> others = folds.others(fold);
        const std::set<Index> unique(others.begin(), others.end());
        EXPECT_EQ(unique.size(), others.size());
        EXPECT_FALSE(others.empty());
        if (!folds.learns(s)) {
          EXPECT_EQ(static_cast<Index>(others.size()), folds.learners());
          continue;
        }
        EXPECT_EQ(folds.series_of(folds.learner_of(s)), s);
        fewest = std::min(fewest, static_cast<Index>(others.size()));
        for (const Index other : others) EXPECT_NE(folds.fold_of(folds.series_of(other)), fold);
      }
      EXPECT_EQ(fewest, folds.fewest_others());
      EXPECT_EQ(folds.dealt(), std::min<Index>(8, folds.learners()));
    }
}

TEST(JointLeading, FindsTheLargestEigenvectorsOfSmallAndLargeMatrices) {
  std::mt19937_64 random(15);
  for (const Index size : {5, 96, 97, 260}) {
    MatrixXd rows(size, size);
    for (Index i = 0; i < size; ++i) rows.col(i) = normal(size, random).matrix() / (1 + static_cast<double>(i));
    const MatrixXd gram = rows * rows.transpose();
    const Eigen::SelfAdjointEigenSolver<MatrixXd> exact(gram);
    MatrixXd start;
    for (int again = 0; again < 2; ++again) {  // the second time from where the first ended
      const Leading found = leading(gram, 4, start);
      ASSERT_EQ(found.vectors.cols(), 4);
      for (Index j = 0; j < 4; ++j) {
        const double value = exact.eigenvalues()[size - 1 - j];
        EXPECT_NEAR(found.values[j], value, 1e-9 * exact.eigenvalues()[size - 1]);
        EXPECT_NEAR(std::abs(found.vectors.col(j).dot(exact.eigenvectors().col(size - 1 - j))), 1, 1e-6);
      }
    }
  }
  MatrixXd start;
  EXPECT_EQ(leading(MatrixXd::Zero(9, 9), 4, start).vectors.cols(), 0);
  EXPECT_EQ(leading(MatrixXd::Zero(200, 200), 4, start).vectors.cols(), 0);
  const MatrixXd one = MatrixXd::Ones(200, 200);
  EXPECT_EQ(leading(one, 4, start).vectors.cols(), 1);
}

TEST(JointWeights, WhatWinsElsewhereCountsMore) {
  // Nine series, each its own fold but two; candidate 3 (a joint one) is best for all but the last series.
  const Folds folds(9);
  ArrayXXd risks = ArrayXXd::Constant(9, 6, 30);
  risks.col(3).head(8).setConstant(0);
  const ArrayXXd priors = learn_priors(risks, 2, folds);
  ASSERT_EQ(priors.rows(), 8);
  for (Index fold = 0; fold < 8; ++fold) {
    EXPECT_NEAR(priors.row(fold).sum(), 1, 1e-12);
    EXPECT_GT(priors(fold, 3), 0.3);
    EXPECT_LT(priors(fold, 2), 0.1);
  }
  // What wins in fold 0 counts more elsewhere; in fold 0 itself, only by what others made of it.
  ArrayXXd only_own = ArrayXXd::Constant(9, 6, 30);
  only_own(0, 3) = only_own(8, 3) = 0;
  const ArrayXXd learned = learn_priors(only_own, 2, folds);
  for (Index fold = 1; fold < 8; ++fold) {
    EXPECT_GT(learned(fold, 3), 2 * learned(fold, 2));
    EXPECT_LT(learned(0, 3), 0.75 * learned(fold, 3));
  }
  const ArrayXd weights = weights_of(learned.row(0).transpose(), only_own.row(0).transpose());
  EXPECT_NEAR(weights.sum(), 1, 1e-12);
  EXPECT_NEAR(std::log(weights[3] / weights[2]), 7.5 + std::log(learned(0, 3) / learned(0, 2)), 1e-9);
}

TEST(JointIntervals, RaisesPoolWhatIsChanceAndKeepWhatIsReal) {
  // Nothing but chance: every series gets the mean and twice its standard error.
  const ArrayXd same = ArrayXd::Constant(16, 0.3);
  for (const double raise : raises(same, 50)) EXPECT_NEAR(raise, 0.3 + std::sqrt(2.0 / 50 * 4 / 16), 1e-12);
  // Differences far beyond chance are kept, with one standard error each.
  ArrayXd real = ArrayXd::LinSpaced(16, 0, 1500);
  const ArrayXd kept = raises(real, 50);
  for (Index s = 0; s < 16; ++s) EXPECT_NEAR(kept[s], real[s] + std::sqrt(2.0 / 50), 1e-3);
  for (const double raise : raises(ArrayXd::Constant(4, -5), 50)) EXPECT_EQ(raise, 0);
}

}  // namespace
}  // namespace chronoveil::post::joint
