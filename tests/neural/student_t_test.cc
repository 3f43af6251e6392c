#include "chronoveil/neural/models/student_t.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "chronoveil/neural/models/student_t_loss.h"
#include "chronoveil/neural/vector_math.h"

namespace chronoveil::neural {
namespace {

struct Term {
  double loss, by_location, by_scale, by_freedom;
};

// The formula of the textbook, in long double, with Boost's gamma functions.
Term exact(double location, double scale, double freedom, double target) {
  using Real = long double;
  const Real nu = freedom, z = (static_cast<Real>(target) - location) / scale, half = nu / 2;
  const Real log_term = std::log1p(z * z / nu), share = (nu + 1) * z / (nu + z * z);
  return {static_cast<double>((half + 0.5L) * log_term + std::log(static_cast<Real>(scale)) +
                              std::log(nu * std::numbers::pi_v<Real>) / 2 + boost::math::lgamma(half) -
                              boost::math::lgamma(half + 0.5L)),
          static_cast<double>(-share / scale), static_cast<double>((1 - share * z) / scale),
          static_cast<double>(log_term / 2 - share * z / (2 * nu) + 1 / (2 * nu) +
                              (boost::math::digamma(half) - boost::math::digamma(half + 0.5L)) / 2)};
}

torch::Tensor filled(std::initializer_list<std::int64_t> shape, double low, double high, int seed) {
  return torch::rand(shape, generator_for(torch::kCPU, static_cast<std::uint64_t>(seed))) * (high - low) + low;
}

TEST(VectorMath, LogarithmsAreThoseOfTheLibrary) {
  for (double x = 1e-37; x < 1e38; x *= 1.0037) {
    const auto f = static_cast<float>(x);
    const double exact_log = std::log(static_cast<double>(f)), exact_log1p = std::log1p(static_cast<double>(f));
    EXPECT_NEAR(log_of(f), exact_log, 2e-7 * std::abs(exact_log) + 1e-12) << x;
    EXPECT_NEAR(log1p_of(f), exact_log1p, 3e-7 * exact_log1p) << x;
  }
  EXPECT_EQ(log_of(1.0F), 0.0F);
  EXPECT_EQ(log1p_of(0.0F), 0.0F);
  EXPECT_TRUE(std::isinf(log_of(std::numeric_limits<float>::infinity())));
  EXPECT_TRUE(std::isnan(log_of(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(log1p_of(std::numeric_limits<float>::quiet_NaN())));
}

TEST(StudentTLoss, TermsAndTheirGradientsAreThoseOfTheFormula) {
  for (const double freedom : {2.0, 2.0001, 2.7, 5.0, 12.0, 150.0, 2e4, 1e6})
    for (const double scale : {1e-4, 0.07, 1.0, 30.0})
      for (const double z : {0.0, 1e-3, -0.4, 1.0, -3.0, 25.0, -1e4}) {
        const torch::Tensor law = torch::tensor({0.25, scale, freedom}, torch::kFloat32);
        const std::array at = {law[0].item<double>(), law[1].item<double>(), law[2].item<double>()};
        const auto target = static_cast<float>(at[0] + z * at[1]);
        const Term expected = exact(at[0], at[1], at[2], target);
        const torch::Tensor leaf = law.view({3, 1, 1, 1}).clone().set_requires_grad(true);
        const torch::Tensor loss = negative_log_likelihood({leaf[0], leaf[1], leaf[2]}, torch::full({1, 1, 1}, target),
                                                           torch::ones({1, 1, 1}));
        loss.sum().backward();
        const auto slope = [&](int i) { return leaf.grad().view({3})[i].item<double>(); };
        const double size = 1 + std::abs(z);  // what cancels in z = (y - location) / scale and in its logarithm
        const double where = 4e-7 * (1 + std::abs(at[0] / at[1]));
        EXPECT_NEAR(loss.item<double>(), expected.loss, 1e-6 * (1 + std::abs(expected.loss)) + where * size * size)
            << freedom << " " << scale << " " << z;
        EXPECT_NEAR(slope(0), expected.by_location, (1e-6 + where) * size / at[1])
            << freedom << " " << scale << " " << z;
        EXPECT_NEAR(slope(1), expected.by_scale, (1e-6 + where) * size * size / at[1])
            << freedom << " " << scale << " " << z;
        EXPECT_NEAR(slope(2), expected.by_freedom, (3e-7 + where) * size * size / freedom)
            << freedom << " " << scale << " " << z;
      }
}

TEST(StudentTLoss, AgreesWithLibtorchsOperations) {
  const torch::Tensor raw = filled({3, 19, 5, 2}, -4, 4, 1), target = filled({19, 5, 2}, -3, 3, 2);
  const torch::Tensor observed = (filled({19, 5, 2}, 0, 1, 3) > 0.3).to(torch::kFloat32);
  observed[4].zero_();  // a window of which nothing was seen
  const torch::Tensor weights = filled({19}, -1, 1, 4);
  std::vector<torch::Tensor> losses, gradients;
  for (const bool fused : {true, false}) {
    const torch::Tensor leaf = raw.clone().set_requires_grad(true);
    const StudentT law = student_t(leaf[0], leaf[1], leaf[2]);
    losses.push_back(fused ? negative_log_likelihood(law, target, observed)
                           : negative_log_likelihood_by_operations(law, target, observed));
    (losses.back() * weights).sum().backward();
    gradients.push_back(leaf.grad());
  }
  EXPECT_TRUE(torch::allclose(losses[0], losses[1], 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(gradients[0], gradients[1], 1e-4, 1e-6));
  EXPECT_EQ(losses[0][4].item<float>(), 0.0F);
  EXPECT_EQ(gradients[0].select(1, 4).abs().max().item<float>(), 0.0F);
}

TEST(StudentTLoss, WhatIsNotANumberStaysInItsWindow) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  const StudentT good{filled({6, 9, 1}, -1, 1, 1), filled({6, 9, 1}, 0.1, 2, 2), filled({6, 9, 1}, 2, 9, 3)};
  const torch::Tensor target = filled({6, 9, 1}, -2, 2, 4), observed = torch::ones({6, 9, 1});
  const torch::Tensor expected = negative_log_likelihood(good, target, observed);
  StudentT law{good.location.clone(), good.scale.clone(), good.freedom.clone()};
  const torch::Tensor seen = target.clone();
  law.location[0][3] = nan;
  law.scale[1][8] = infinite;
  law.freedom[2][0] = nan;
  seen[3][5] = infinite;
  const torch::Tensor loss = negative_log_likelihood(law, seen, observed);
  for (std::int64_t b = 0; b < 4; ++b) EXPECT_FALSE(std::isfinite(loss[b].item<float>())) << b;
  for (std::int64_t b = 4; b < 6; ++b) EXPECT_EQ(loss[b].item<float>(), expected[b].item<float>()) << b;
  // Not observed: it may be anything.
  observed[3][5] = 0;
  const torch::Tensor leaf = good.location.clone().set_requires_grad(true);
  const torch::Tensor unseen = negative_log_likelihood({leaf, good.scale, good.freedom}, seen, observed);
  unseen.sum().backward();
  EXPECT_TRUE(torch::isfinite(unseen).all().item<bool>());
  EXPECT_EQ(leaf.grad()[3][5].item<float>(), 0.0F);
}

// What Poisson batches rest on.
TEST(StudentTLoss, AWindowIsComputedAlikeWhereverItStands) {
  for (const std::int64_t steps : {1, 7, 24, 30}) {
    const torch::Tensor law = filled({3, 64, steps, 1}, 0.1, 3, 7), target = filled({64, steps, 1}, -2, 2, 8);
    const torch::Tensor observed = torch::ones_like(target);
    const auto results = [&](const torch::Tensor& order) {
      const torch::Tensor leaf = law.index_select(1, order).set_requires_grad(true);
      const torch::Tensor loss = negative_log_likelihood({leaf[0], leaf[1], leaf[2] + 2}, target.index_select(0, order),
                                                         observed.index_select(0, order));
      loss.sum().backward();
      return torch::cat({loss.detach().view({-1, 1}), leaf.grad().permute({1, 0, 2, 3}).flatten(1)}, 1);
    };
    const torch::Tensor all = results(torch::arange(64)), turned = results(torch::arange(63, -1, -1));
    EXPECT_TRUE(torch::equal(all, turned.flip(0)));
    for (std::int64_t b = 0; b < 64; b += 9)
      EXPECT_TRUE(torch::equal(all.narrow(0, b, 1), results(torch::full({1}, b, torch::kInt64))));
  }
}

}  // namespace
}  // namespace chronoveil::neural
