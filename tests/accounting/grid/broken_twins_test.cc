// The check that the engine passes rejects engines that are wrong in the classic ways.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "accounting/bracketing.h"
#include "accounting/composing.h"
#include "chronoveil/accounting/grid/loss_model.h"

namespace chronoveil::accounting {
namespace {

PositiveLoss normal_half(double mu, double step, std::size_t bins) {
  return gaussian_model(mu)->halves(step, bins, false).upper;
}

void transform(std::vector<std::complex<double>>& values, double sign) {
  const std::size_t n = values.size();
  if (n == 1) return;
  std::vector<std::complex<double>> even(n / 2), odd(n / 2);
  for (std::size_t k = 0; k < n / 2; ++k) {
    even[k] = values[2 * k];
    odd[k] = values[2 * k + 1];
  }
  transform(even, sign);
  transform(odd, sign);
  for (std::size_t k = 0; k < n / 2; ++k) {
    const auto turned =
        std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n)) * odd[k];
    values[k] = even[k] + turned;
    values[k + n / 2] = even[k] - turned;
  }
}

// The n-fold convolution by the textbook, without tilt and without a bound on its error.
std::vector<double> untilted_power(const std::vector<double>& mass, int n) {
  const std::size_t size = static_cast<std::size_t>(n) * (mass.size() - 1) + 1;
  std::vector<std::complex<double>> spectrum(std::bit_ceil(size));
  std::copy(mass.begin(), mass.end(), spectrum.begin());
  transform(spectrum, -1);
  for (auto& value : spectrum) value = std::pow(value, n);
  transform(spectrum, +1);
  std::vector<double> out(size);
  for (std::size_t k = 0; k < size; ++k) out[k] = spectrum[k].real() / static_cast<double>(spectrum.size());
  return out;
}

TEST(BrokenTwins, OneDirectionAloneIsRejected) {
  // 3h up or h down: forward and backward differ.
  const Real h = 0.125;
  const Real up = expm1(h) / (exp(h) - exp(-3 * h));
  const oracle::LatticeLoss forward{h, -1, {1 - up, Real(0), Real(0), Real(0), up}};
  const auto backward = forward.reversed();
  const int n = 12;
  const auto all_forward = oracle::times(forward, n), all_backward = oracle::times(backward, n);
  const Profile truth = [&](const Real& e) { return std::max(all_forward.delta(e), all_backward.delta(e)); };
  auto grid_of = [](const oracle::LatticeLoss& loss) {
    GridLoss grid{
        .step = static_cast<double>(loss.spacing), .first = loss.first, .mass = {}, .infinite = 0, .slack = 0};
    for (const Real& mass : loss.mass) grid.mass.push_back(static_cast<double>(mass));
    return grid;
  };
  const double delta = 1e-4;
  const double one = composed_epsilon(grid_of(forward), n, Side::upper, delta);
  const double other = composed_epsilon(grid_of(backward), n, Side::upper, delta);
  EXPECT_FALSE(encloses_epsilon(0, std::min(one, other), delta, truth));
  const PositiveLoss both = pointwise_maximum({positive_half(forward, 8), positive_half(backward, 8)});
  EXPECT_TRUE(encloses_epsilon(0, composed_epsilon(dominating(both), n, Side::upper, delta), delta, truth));
}

TEST(BrokenTwins, RoundOffReportedAsDeltaIsRejected) {
  // 64 Gaussians of μ = 0.1 at an ε whose δ is near 1e-30.
  const Real mu = 0.8;
  const double epsilon = 9.5;
  const Profile truth = [&](const Real& e) { return oracle::gaussian(mu, e); };
  ASSERT_LT(truth(Real(epsilon)), Real(1e-25));
  ASSERT_GT(truth(Real(epsilon)), Real(1e-35));
  const GridLoss upper = dominating(normal_half(0.1, 0.004, 1000));
  const GridLoss lower = dominated(normal_half(0.1, 0.004, 1000), normal_half(0.1, 0.004, 1000));
  // The twin transforms untilted masses and believes every digit.
  const auto sum = untilted_power(upper.mass, 64);
  double noisy = 0;
  for (std::size_t k = 0; k < sum.size(); ++k) {
    const double loss = upper.step * (64 * static_cast<double>(upper.first) + static_cast<double>(k));
    if (loss > epsilon) noisy += sum[k] * -std::expm1(epsilon - loss);
  }
  noisy = std::clamp(noisy, 0.0, 1.0);
  EXPECT_FALSE(encloses_delta(noisy, noisy, epsilon, truth)) << noisy;
  const SaddlePoint saddle = saddle_of(upper, 64);
  const auto above = Composition({{upper, 64}}, Side::upper, saddle).delta_at(epsilon);
  const auto below = Composition({{lower, 64}}, Side::lower, saddle).delta_at(epsilon);
  ASSERT_TRUE(above && below);
  EXPECT_TRUE(encloses_delta(*below, *above, epsilon, truth));
  EXPECT_LT(*above, 1.1 * *below);
}

TEST(BrokenTwins, DroppingTruncatedMassIsRejected) {
  const Real mu = 5;
  const double delta = 1e-6;
  const Profile truth = [&](const Real& e) { return oracle::gaussian(mu, e); };
  // 25 Gaussians of μ = 1 on a grid that ends at a loss of 3, where P still has 0.6 % of its mass.
  PositiveLoss half = normal_half(1, 0.01, 300);
  const double charged = composed_epsilon(dominating(half), 25, Side::upper, delta);
  EXPECT_TRUE(encloses_epsilon(0, charged, delta, truth)) << charged;
  half.beyond_p = half.beyond_q = half.infinite = 0;
  EXPECT_FALSE(encloses_epsilon(0, composed_epsilon(dominating(half), 25, Side::upper, delta), delta, truth));
}

TEST(BrokenTwins, RoundingLossesToTheNearestPointIsRejected) {
  const double per_step = 0.14, step = 0.1, delta = 1e-5;
  const std::int64_t count = 50;
  const Profile truth = [&](const Real& e) { return oracle::pure(Real(per_step), count, e); };
  const PositiveLoss half = response_model({.epsilon = per_step})->halves(step, 2, false).upper;
  EXPECT_TRUE(encloses_epsilon(composed_epsilon(dominated(half, half), count, Side::lower, delta),
                               composed_epsilon(dominating(half), count, Side::upper, delta), delta, truth));
  // The loss 0.14 at the nearest point, 0.1.
  const double right = 1 / (1 + std::exp(-per_step));
  const GridLoss nearest{.step = step, .first = -1, .mass = {1 - right, 0, right}, .infinite = 0, .slack = 0};
  const double rounded = composed_epsilon(nearest, count, Side::upper, delta);
  EXPECT_FALSE(encloses_epsilon(0, rounded, delta, truth)) << rounded;
}

}  // namespace
}  // namespace chronoveil::accounting
