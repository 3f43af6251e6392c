// The parts of the shrinker against direct formulas, and Stein's estimate against the truth.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "chronoveil/post/shrink/cosine.h"
#include "chronoveil/post/shrink/haar.h"
#include "chronoveil/post/shrink/slab.h"
#include "chronoveil/post/shrink/spectra.h"
#include "post/shrink_directly.h"

namespace chronoveil::post {
namespace {

Eigen::ArrayXd normals(Eigen::Index n, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return Eigen::ArrayXd::NullaryExpr(n, [&] { return normal(random); });
}

TEST(CosineBasis, AgreesWithTheSumsWrittenOut) {
  std::mt19937_64 random(1);
  for (const std::size_t n : {1, 2, 3, 4, 5, 12, 49, 53, 64, 97, 106, 211}) {  // 53, 97, 106, 211: large prime factors
    CosineBasis basis(static_cast<std::int64_t>(n));
    const Eigen::ArrayXd noise = normals(static_cast<Eigen::Index>(n), random);
    const std::vector<double> in(noise.begin(), noise.end());
    std::vector<double> forward(n), inverse(n), spread(n);
    basis.forward(in, forward);
    basis.inverse(in, inverse);
    basis.spread(in, spread);
    std::vector<double> first = in, second(in.rbegin(), in.rend()), of_second(n);
    basis.inverse(second, of_second);
    basis.inverse_both(first, second);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(first[i], inverse[i], 1e-12) << n;
      EXPECT_NEAR(second[i], of_second[i], 1e-12) << n;
      long double c = 0, x = 0, s = 0;
      for (std::size_t j = 0; j < n; ++j) {
        c += in[j] * direct::phi(i, j, n);
        x += in[j] * direct::phi(j, i, n);
        s += in[j] * direct::phi(j, i, n) * direct::phi(j, i, n);
      }
      EXPECT_NEAR(forward[i], static_cast<double>(c), 1e-12) << n;
      EXPECT_NEAR(inverse[i], static_cast<double>(x), 1e-12) << n;
      EXPECT_NEAR(spread[i], static_cast<double>(s), 1e-12) << n;
    }
  }
}

TEST(CosineBasis, InverseUndoesForwardInPlaceForLongAndAwkwardLengths) {
  std::mt19937_64 random(2);
  for (const Eigen::Index n : {1 << 15, 30030, 10007}) {
    CosineBasis basis(n);
    const Eigen::ArrayXd before = normals(n, random);
    Eigen::ArrayXd values = before;
    const std::span<double> view(values.data(), static_cast<std::size_t>(n));
    basis.forward(view, view);
    EXPECT_NEAR(values.square().sum(), before.square().sum(), 1e-9 * static_cast<double>(n)) << "orthonormal";
    basis.inverse(view, view);
    EXPECT_LT((values - before).abs().maxCoeff(), 1e-11);
  }
}

TEST(Spectra, AreTheDocumentedPriors) {
  for (const std::size_t n : {2, 24, 75})
    for (const std::size_t season : {0, 2, 12}) {
      const Spectra spectra(static_cast<std::int64_t>(n), static_cast<std::int64_t>(season));
      const auto check = [&](const std::vector<Spectrum>& ours, const std::vector<direct::Reals>& variances) {
        ASSERT_EQ(ours.size(), variances.size());
        Eigen::ArrayXd share;
        for (std::size_t i = 0; i < ours.size(); ++i) {
          spectra.noise_share(ours[i], share);
          for (std::size_t k = 0; k < n; ++k)
            EXPECT_NEAR(share[static_cast<Eigen::Index>(k)], static_cast<double>(1 / (1 + variances[i][k])), 1e-12);
        }
      };
      check(spectra.linear(), direct::spectra(n, season, false));
      check(spectra.slab(), direct::spectra(n, season, true));
    }
}

TEST(Slab, LeavesLargeCoefficientsAloneAndShrinksSmallOnesAsTheLinearRule) {
  const double share = 0.5, odds = slab_prior(1000) - 0.5 * std::log1p(kSlabVariance * share);
  Eigen::ArrayXd c(6);
  c << 0, 0.5, -0.5, 20, -20, 1e12;
  Shrunk shrunk;
  shrink_with_slab(c, share, odds, shrunk);
  EXPECT_EQ(shrunk.residual[0], 0);
  EXPECT_NEAR(shrunk.residual[1], 0.25, 1e-3);
  EXPECT_EQ(shrunk.residual[2], -shrunk.residual[1]);
  for (const Eigen::Index i : {3, 4, 5}) {
    EXPECT_NEAR(shrunk.residual[i], 0, 1e-12);
    EXPECT_NEAR(shrunk.slope[i], 1, 1e-12);
  }
}

TEST(Slab, TheSlopeIsTheDerivative) {
  const double share = 0.9, odds = slab_prior(50) - 0.5 * std::log1p(kSlabVariance * share), step = 1e-6;
  for (double at = -8; at <= 8; at += 0.37) {
    Eigen::ArrayXd c(3);
    c << at - step, at, at + step;
    Shrunk shrunk;
    shrink_with_slab(c, share, odds, shrunk);
    const Eigen::ArrayXd estimate = c - shrunk.residual;
    EXPECT_NEAR(shrunk.slope[1], (estimate[2] - estimate[0]) / (2 * step), 1e-7);
  }
}

TEST(Slab, ProbabilitiesStayBelowAHalf) {
  EXPECT_EQ(slab_prior(1), 0);
  EXPECT_EQ(slab_prior(6), 0);
  EXPECT_NEAR(slab_prior(300), std::log(0.01 / 0.99), 1e-15);
}

// Tests that the mean of `difference` (an estimate of the risk minus the true loss, one per run) is 0. Six standard
// errors: a Type I error of 2e-9.
bool looks_unbiased(const std::function<double(std::mt19937_64&)>& difference) {
  std::mt19937_64 random(3);
  constexpr int kRuns = 10000;
  double sum = 0, squares = 0;
  for (int run = 0; run < kRuns; ++run) {
    const double d = difference(random);
    sum += d;
    squares += d * d;
  }
  const double mean = sum / kRuns, variance = squares / kRuns - mean * mean;
  return std::abs(mean) < 6 * std::sqrt(variance / kRuns);
}

TEST(Stein, TheEstimateOfTheSlabIsUnbiasedAndATwinIsRejected) {
  const Eigen::ArrayXd theta = Eigen::ArrayXd::LinSpaced(20, -5, 5);
  const double share = 0.8, odds = slab_prior(20) - 0.5 * std::log1p(kSlabVariance * share);
  const auto difference = [&](bool broken) {
    return [&, broken](std::mt19937_64& random) {
      const Eigen::ArrayXd c = theta + normals(20, random);
      Shrunk shrunk;
      shrink_with_slab(c, share, odds, shrunk);
      const double loss = (c - shrunk.residual - theta).square().sum();
      if (broken)  // forgets that the probability of an outlier moves with c
        for (Eigen::Index i = 0; i < 20; ++i) shrunk.slope[i] = c[i] == 0 ? 0 : 1 - shrunk.residual[i] / c[i];
      return shrunk.risk() - loss;
    };
  };
  EXPECT_TRUE(looks_unbiased(difference(false)));
  EXPECT_FALSE(looks_unbiased(difference(true)));
}

TEST(Stein, TheEstimateOfTheWaveletsIsUnbiasedOnACircleOfAnyLengthAndATwinIsRejected) {
  for (const Eigen::Index n : {2, 3, 21}) {
    const Eigen::ArrayXd theta = Eigen::ArrayXd::NullaryExpr(n, [n](Eigen::Index t) { return 3.0 * (t > n / 3); });
    HaarShrinker haar(n);
    const auto difference = [&](double scale, bool broken) {
      return [&, scale, broken](std::mt19937_64& random) {
        const Eigen::ArrayXd z = theta + normals(n, random);
        HaarShrunk shrunk;
        haar.analyse(z);
        haar.shrink(scale, false, shrunk);
        const double loss = (z - shrunk.residual - theta).square().sum();
        // The twin takes the shifted bases for one orthonormal basis: losses as if only one shift were used.
        const double risk = broken ? 2 * shrunk.variance.sum() - static_cast<double>(n) : shrunk.risk;
        return risk - loss;
      };
    };
    EXPECT_TRUE(looks_unbiased(difference(4, false))) << n;
    EXPECT_TRUE(looks_unbiased(difference(64, false))) << n;
    EXPECT_FALSE(looks_unbiased(difference(64, true))) << n;
  }
}

TEST(Haar, AgreesWithEveryWaveletWrittenOut) {
  std::mt19937_64 random(4);
  for (const std::size_t n : {2, 3, 7, 8, 29, 64}) {
    HaarShrinker haar(static_cast<std::int64_t>(n));
    const Eigen::ArrayXd noise = 4 * normals(static_cast<Eigen::Index>(n), random);
    haar.analyse(noise);
    for (const double scale : haar.scales()) {
      HaarShrunk quick;
      haar.shrink(scale, false, quick);
      const direct::Candidate slow = direct::haar_candidate(direct::Reals(noise.begin(), noise.end()), scale);
      EXPECT_NEAR(quick.risk, static_cast<double>(slow.risk), 1e-10);
      for (std::size_t t = 0; t < n; ++t) {
        const auto i = static_cast<Eigen::Index>(t);
        EXPECT_NEAR(noise[i] - quick.residual[i], static_cast<double>(slow.estimate[t]), 1e-11);
        EXPECT_NEAR(quick.variance[i], static_cast<double>(slow.variance[t]), 1e-11);
      }
    }
  }
}

TEST(Haar, OneStepHasNoLevel) { EXPECT_TRUE(HaarShrinker(1).scales().empty()); }

}  // namespace
}  // namespace chronoveil::post
