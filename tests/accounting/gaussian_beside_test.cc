// Pure events beside Gaussian noise: one Gaussian dominates them together at every ε, and no smaller one does.
#include "chronoveil/accounting/gaussian_beside.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "accounting/oracle.h"
#include "chronoveil/accounting/moments.h"
#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {
namespace {

using oracle::Real;

constexpr double kEpsilons[] = {1e-3, 0.02, 0.3, 1, 4};
constexpr double kReserves[] = {0.01, 0.1, 0.5, 2};

enum class Noise { randomized_response, laplace };

double added(Noise noise, double epsilon, double reserve) {
  return noise == Noise::laplace ? laplace_beside_gaussian(epsilon, reserve) : pure_beside_gaussian(epsilon, reserve);
}

// δ at x of the event beside N(r): the mean over the event's own losses ℓ of the profile of N(r) at x − ℓ.
long double together(Noise noise, long double epsilon, long double reserve, long double x) {
  const auto rest = [&](long double loss) { return gaussian_profile(reserve, x - loss); };
  if (noise == Noise::randomized_response) {
    const long double p = 1 / (1 + std::exp(-epsilon));
    return p * rest(epsilon) + (1 - p) * rest(-epsilon);
  }
  // Losses of ±ε beyond the two means; between them e^{(ℓ − ε)/2}/4 dℓ, by the 8-point rule on short intervals.
  long double sum = (rest(epsilon) + std::exp(-epsilon) * rest(-epsilon)) / 2;
  const int pieces = 8 + static_cast<int>(std::min(400.0L, 8 * epsilon / reserve));
  const long double half = epsilon / pieces;
  for (int piece = 0; piece < pieces; ++piece) {
    const long double middle = -epsilon + (2 * piece + 1) * half;
    for (int node = 0; node < 4; ++node) {
      for (const int side : {-1, 1}) {
        const long double loss = middle + side * half * kGaussNodes[node];
        sum += half * kGaussWeights[node] * std::exp((loss - epsilon) / 2) / 4 * rest(loss);
      }
    }
  }
  return sum;
}

// Whether N(s) dominates at a fine grid of x, up to what the quadrature leaves open.
bool dominates(long double s, Noise noise, long double epsilon, long double reserve) {
  for (int i = 0; i <= 120; ++i) {
    const long double x = (epsilon + 10 * s) * i / 120;
    const long double asked = together(noise, epsilon, reserve, x);
    if (gaussian_profile(s, x) < asked * (1 - 1e-13L) - 1e-17L) return false;
  }
  return true;
}

class GaussianBeside : public ::testing::TestWithParam<Noise> {};
INSTANTIATE_TEST_SUITE_P(Noise, GaussianBeside, ::testing::Values(Noise::randomized_response, Noise::laplace),
                         [](const auto& noise) { return noise.param == Noise::laplace ? "laplace" : "pure"; });

TEST_P(GaussianBeside, OneGaussianDominatesBothAtEveryEpsilonAndNoSmallerOneDoes) {
  for (const double epsilon : kEpsilons) {
    for (const double reserve : kReserves) {
      const long double square = added(GetParam(), epsilon, reserve), r = reserve;
      EXPECT_TRUE(dominates(std::sqrt(r * r + square), GetParam(), epsilon, r)) << epsilon << " " << reserve;
      // The twin: a millionth less.
      EXPECT_FALSE(dominates(std::sqrt(r * r + square * (1 - 1e-6L)), GetParam(), epsilon, r))
          << epsilon << " " << reserve;
      // More noise beside it dominates as well, with the same addition.
      EXPECT_TRUE(dominates(std::sqrt(9 * r * r + square), GetParam(), epsilon, 3 * r)) << epsilon << " " << reserve;
    }
  }
}

// In 60 digits: the distance of Laplace noise is 1 − e^{−ε/2}, that of randomised response tanh(ε/2).
TEST_P(GaussianBeside, TheDistanceIsThatOfTheDefinition) {
  const bool laplace = GetParam() == Noise::laplace;
  for (const double epsilon : kEpsilons) {
    const double alone = added(GetParam(), epsilon, 0);
    const Real distance = oracle::gaussian(sqrt(Real(alone)), Real(0));
    const Real e = Real(epsilon);
    const Real exact = laplace ? Real(1) - exp(-e / Real(2)) : (exp(e) - Real(1)) / (exp(e) + Real(1));
    EXPECT_GE(distance, exact);
    EXPECT_LE(distance, exact * (Real(1) + Real(1e-12)));
    for (const double reserve : kReserves) {
      EXPECT_LT(added(GetParam(), epsilon, reserve), alone);
      EXPECT_GT(added(GetParam(), epsilon, reserve), epsilon * epsilon * std::exp(-epsilon) * 0.9);
    }
  }
}

TEST_P(GaussianBeside, NothingIsLostOverManyOrdersOfMagnitude) {
  for (int i = -150; i <= 150; i += 7) {
    const double epsilon = std::pow(10, i);
    double before = std::numeric_limits<double>::infinity();
    for (int j = -12; j <= 4; ++j) {
      const double reserve = std::pow(10, j), square = added(GetParam(), epsilon, reserve);
      EXPECT_GT(square, 0) << epsilon << " " << reserve;
      EXPECT_FALSE(std::isnan(square)) << epsilon << " " << reserve;
      if (!std::isfinite(square)) continue;
      EXPECT_GE(square, epsilon * epsilon * std::exp(-epsilon) * 0.9) << epsilon;
      // A wider reserve never needs more, but for what rounding adds.
      if (reserve < 1) {
        EXPECT_LE(square, before * (1 + 1e-12) + 1e-16 * reserve) << epsilon << " " << reserve;
      }
      before = square;
    }
  }
  EXPECT_LT(added(GetParam(), 0, 0.1), 1e-17);
}

TEST(GaussianSquare, AddsUpAndTakesTheBetterOfAloneAndBeside) {
  const double reserve = 0.1;
  EXPECT_NEAR(*gaussian_square({Gaussian{4}, 3}, reserve), 3.0 / 16, 1e-12);
  const double laplace = *gaussian_square({Laplace{50}, 1}, reserve), pure = *gaussian_square({Pure{0.02}, 1}, reserve);
  EXPECT_LT(laplace, pure);
  EXPECT_LT(pure, 0.02 * 0.02 * 1.02);
  EXPECT_GT(*gaussian_square({Pure{0.02}, 1}, 0), 0.02 * 0.02 * 1.57);
  EXPECT_NEAR(*gaussian_square({Compose{{{Laplace{50}, 2}, {Gaussian{4}, 1}}}, 3}, reserve), 6 * laplace + 3.0 / 16,
              1e-9);
  // A reserve far too small is no worse than none.
  EXPECT_DOUBLE_EQ(*gaussian_square({Pure{1}, 1}, 1e-9), *gaussian_square({Pure{1}, 1}, 0));
  EXPECT_FALSE(gaussian_square({Pure{2000}, 1}, reserve));
  EXPECT_FALSE(gaussian_square({Approximate{0.1, 1e-9}, 1}, reserve));
}

}  // namespace
}  // namespace chronoveil::accounting
