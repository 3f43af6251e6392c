// One use of each event with a closed form, against the oracle: ε at δ and δ at ε to 1e-9, the truth between both
// bounds.
#include <algorithm>
#include <cmath>
#include <vector>

#include "accounting/bracketing.h"
#include "accounting/generated.h"

namespace chronoveil::accounting {
namespace {

const int kCases = cases(60);

// Half of the δ are asked where they are of interest, half at a given ε.
void check_generated(Generator& generator, const Event& event, const Profile& truth, double natural_epsilon) {
  EXPECT_TRUE(is_exact_epsilon(event, generator.delta(), truth));
  EXPECT_TRUE(is_exact_delta(event, generator.epsilon(), truth));
  EXPECT_TRUE(is_exact_delta(event, natural_epsilon, truth));
}

TEST(SingleEvents, GaussianIsTheClosedForm) {
  Generator generator(1);
  for (int i = 0; i < kCases; ++i) {
    const double sigma = generator.noise();
    check_generated(
        generator, {Gaussian{sigma}, 1}, [&](const Real& e) { return oracle::gaussian(1 / Real(sigma), e); },
        generator.uniform(0, 9) / sigma + 0.5 / sigma / sigma);
  }
}

TEST(SingleEvents, GaussiansOfDifferentNoiseAreOneGaussianUpToAMillionUses) {
  Generator generator(2);
  for (int i = 0; i < kCases; ++i) {
    Compose compose;
    Real square = 0;
    const auto parts = generator.integer(1, 12);
    for (int k = 0; k < parts; ++k) {
      const double sigma = generator.noise();
      const auto count = generator.log_integer(1, 1e6);
      compose.events.push_back({Gaussian{sigma}, count});
      square += Real(count) / (Real(sigma) * sigma);
    }
    const Real mu = sqrt(square);
    const auto at = static_cast<double>(mu);
    check_generated(
        generator, {compose, 1}, [&](const Real& e) { return oracle::gaussian(mu, e); },
        std::max(1e-4, at * at / 2 + generator.uniform(-3, 9) * at));
  }
}

TEST(SingleEvents, LaplaceIsTheClosedForm) {
  Generator generator(3);
  for (int i = 0; i < kCases; ++i) {
    const double b = generator.noise();
    // Also close to the end of the support, where δ is small.
    check_generated(
        generator, {Laplace{b}, 1}, [&](const Real& e) { return oracle::laplace(Real(b), e); },
        (1 - generator.log_uniform(1e-14, 1)) / b);
  }
}

TEST(SingleEvents, DiscreteLaplaceIsTheSumOverTheIntegers) {
  Generator generator(4);
  for (int i = 0; i < kCases; ++i) {
    const double scale = generator.noise();
    const auto shift = generator.log_integer(1, 60);
    const auto loss = oracle::discrete_laplace(Real(scale), shift);
    check_generated(
        generator, {DiscreteLaplace{scale, shift}, 1}, [&](const Real& e) { return loss.delta(e); },
        static_cast<double>(shift) * (1 - generator.log_uniform(1e-14, 1)) / scale);
  }
}

TEST(SingleEvents, DiscreteGaussianIsTheSumOverTheIntegers) {
  Generator generator(5);
  for (int i = 0; i < kCases; ++i) {
    const double scale = generator.log_uniform(0.1, 3000);
    const auto shift = generator.log_integer(1, std::min(60.0, 3 * scale + 1));
    const oracle::DiscreteGaussianOnce truth(Real(scale), shift);
    const double mu = static_cast<double>(shift) / scale;
    check_generated(generator, {DiscreteGaussian{scale, shift}, 1}, truth, mu * mu / 2 + mu * generator.uniform(0, 9));
  }
}

TEST(SingleEvents, ExponentialIsTheWorstPairOfBoundedRange) {
  Generator generator(6);
  for (int i = 0; i < kCases; ++i) {
    const double range = generator.epsilon();
    check_generated(
        generator, {Exponential{range}, 1}, [&](const Real& e) { return oracle::bounded_range(Real(range), e); },
        range * (1 - generator.log_uniform(1e-3, 1)));
  }
}

TEST(SingleEvents, PureAndApproximateAreRandomizedResponseAndALeak) {
  Generator generator(7);
  for (int i = 0; i < kCases; ++i) {
    const double epsilon = generator.epsilon(), leak = generator.delta();
    check_generated(
        generator, {Pure{epsilon}, 1}, [&](const Real& e) { return oracle::pure(Real(epsilon), 1, e); },
        epsilon * (1 - generator.log_uniform(1e-14, 1)));
    check_generated(
        generator, {Approximate{epsilon, leak}, 1},
        [&](const Real& e) { return oracle::approximate(Real(epsilon), Real(leak), 1, e); },
        epsilon * (1 - generator.log_uniform(1e-14, 1)));
  }
}

TEST(SingleEvents, RandomizedResponseIsTheSumOverItsAnswers) {
  Generator generator(8);
  for (int i = 0; i < kCases; ++i) {
    const double epsilon = generator.epsilon();
    const auto values = generator.log_integer(2, 1e6);
    const auto loss = oracle::randomized_response(Real(epsilon), values);
    check_generated(
        generator, {RandomizedResponse{epsilon, values}, 1}, [&](const Real& e) { return loss.delta(e); },
        epsilon * (1 - generator.log_uniform(1e-14, 1)));
  }
}

TEST(SingleEvents, MixtureIsTheLargerOfBothDirections) {
  Generator generator(9);
  for (int i = 0; i < kCases; ++i) {
    const double sigma = generator.log_uniform(0.2, 100);
    Mixture mixture{.p = {}, .q = {}, .noise_multiplier = sigma};
    oracle::Normals exact[2];
    for (int side = 0; side < 2; ++side) {
      auto& into = side == 0 ? mixture.p : mixture.q;
      const auto components = generator.integer(1, 4);
      std::vector<std::int64_t> parts;
      std::int64_t total = 0;
      for (int k = 0; k < components; ++k) total += parts.emplace_back(generator.integer(1, 40));
      for (int k = 0; k < components; ++k) {
        const double mean = std::round(generator.uniform(-3, 3) * 8) / 8;
        into.means.push_back(mean);
        into.weights.push_back(static_cast<double>(parts[static_cast<std::size_t>(k)]) / static_cast<double>(total));
        exact[side].means.push_back(Real(mean) / Real(sigma));
        exact[side].weights.push_back(into.weights.back());
      }
      Real sum = 0;  // weights need sum to one only to 1e-9; the engine normalises
      for (const Real& w : exact[side].weights) sum += w;
      for (Real& w : exact[side].weights) w /= sum;
    }
    const Profile truth = [&](const Real& e) { return oracle::mixture(exact[0], exact[1], e); };
    // Equal sides cost nothing and have no natural δ.
    if (truth(Real(0)) < 1e-12) continue;
    EXPECT_TRUE(is_exact_epsilon({mixture, 1}, generator.log_uniform(1e-20, 1e-1), truth));
    EXPECT_TRUE(is_exact_delta({mixture, 1}, generator.log_uniform(1e-3, 3) / sigma, truth));
  }
}

TEST(SingleEvents, NothingIsChargedWithoutSensitivityOrWithEqualSides) {
  for (const Event& event : {Event{DiscreteGaussian{3, 0}, 1}, Event{DiscreteLaplace{3, 0}, 7}, Event{Pure{0}, 1000},
                             Event{Exponential{0}, 5}, Event{Mixture{{{1, 2}, {0.5, 0.5}}, {{2, 1}, {0.5, 0.5}}, 1}, 1},
                             Event{TimeSubsampling{5, 0, 1, {}, {}}, 9}}) {
    const auto price = epsilon_at(event, *Delta::make(1e-20));
    ASSERT_TRUE(price) << price.error().text();
    EXPECT_EQ(price->epsilon, 0) << to_text(event);
    const auto reverse = delta_at(event, *Epsilon::make(0));
    ASSERT_TRUE(reverse) << reverse.error().text();
    EXPECT_LE(reverse->delta, 1e-18) << to_text(event);
  }
}

}  // namespace
}  // namespace chronoveil::accounting
