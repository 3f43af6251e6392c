// Compositions whose truth is known exactly by other means, up to a million uses: both bounds enclose it and are as
// close to each other as stated.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "accounting/bracketing.h"
#include "accounting/generated.h"

namespace chronoveil::accounting {
namespace {

const int kCases = cases(45);

// A pair of single normals takes the general path, grid and transform, and is a Gaussian all the same.
Event normal_pair(double sigma, std::int64_t count) { return {Mixture{{{1}, {1}}, {{0}, {1}}, sigma}, count}; }

// ε where N(μ,1) against N(0,1) has a δ worth asking for.
double natural_epsilon(Generator& generator, const Real& mu) {
  const auto m = static_cast<double>(mu);
  return std::max(1e-6, m * m / 2 + generator.uniform(-2, 9) * m);
}

TEST(ComposedEvents, NormalPairsAreOneGaussianUpToAMillionUses) {
  Generator generator(21);
  for (int i = 0; i < kCases; ++i) {
    const double sigma = generator.noise();
    const auto count = generator.log_integer(2, 1e6);
    const Real mu = sqrt(Real(count)) / sigma;
    if (mu > 1000) continue;  // ε in the hundred thousands
    const Profile truth = [&](const Real& e) { return oracle::gaussian(mu, e); };
    EXPECT_TRUE(is_certified_epsilon(normal_pair(sigma, count), generator.delta(), truth));
    EXPECT_TRUE(is_certified_delta(normal_pair(sigma, count), natural_epsilon(generator, mu), truth));
  }
}

TEST(ComposedEvents, NormalPairsOfDifferentNoiseAreOneGaussian) {
  Generator generator(22);
  for (int i = 0; i < kCases / 2; ++i) {
    Compose compose;
    Real square = 0;
    const auto parts = generator.integer(2, 6);
    const double scale = generator.log_uniform(0.5, 100);
    for (int k = 0; k < parts; ++k) {
      const double sigma = scale * generator.log_uniform(0.3, 3);
      const auto count = generator.log_integer(1, 3000);
      compose.events.push_back(normal_pair(sigma, count));
      square += Real(count) / (Real(sigma) * sigma);
    }
    const Real mu = sqrt(square);
    const Profile truth = [&](const Real& e) { return oracle::gaussian(mu, e); };
    EXPECT_TRUE(is_certified_epsilon({compose, 1}, generator.delta(), truth));
    EXPECT_TRUE(is_certified_delta({compose, 1}, natural_epsilon(generator, mu), truth));
  }
}

TEST(ComposedEvents, PureAnswersFollowTheBinomialUpToAMillionUses) {
  Generator generator(23);
  for (int i = 0; i < kCases; ++i) {
    const double epsilon = generator.log_uniform(1e-4, 10);
    const auto count = generator.log_integer(2, 1e6);
    const Profile truth = [&](const Real& e) { return oracle::pure(Real(epsilon), count, e); };
    const Event event{Pure{epsilon}, count};
    const double mean = static_cast<double>(count) * epsilon * std::tanh(epsilon / 2);
    const double deviation = epsilon * std::sqrt(static_cast<double>(count)) / std::cosh(epsilon / 2);
    EXPECT_TRUE(is_certified_epsilon(event, generator.delta(), truth));
    EXPECT_TRUE(is_certified_delta(event, std::max(0.0, mean + generator.uniform(-2, 8) * deviation), truth));
  }
}

TEST(ComposedEvents, ApproximateAnswersLeakWithTheProbabilityThatAnyDoes) {
  Generator generator(24);
  for (int i = 0; i < kCases; ++i) {
    const double epsilon = generator.log_uniform(1e-3, 5), leak = generator.log_uniform(1e-30, 1e-4);
    const auto count = generator.log_integer(2, 1e5);
    const Profile truth = [&](const Real& e) { return oracle::approximate(Real(epsilon), Real(leak), count, e); };
    const Event event{Approximate{epsilon, leak}, count};
    EXPECT_TRUE(is_certified_epsilon(event, generator.delta(), truth));
    const double mean = static_cast<double>(count) * epsilon * std::tanh(epsilon / 2);
    const double deviation = epsilon * std::sqrt(static_cast<double>(count)) / std::cosh(epsilon / 2);
    EXPECT_TRUE(is_certified_delta(event, std::max(1e-3, mean + generator.uniform(-2, 8) * deviation), truth));
  }
}

// 1 − (1 − δ)^n for a δ so small that 1 − δ rounds to 1, by the bounds [lower, upper] that `priced` gives.
using Bounds = std::pair<double, double>;
testing::AssertionResult add_up(const std::function<Bounds(const Event&, double)>& priced) {
  for (const double leak : {1e-300, 1e-40, 1e-17, 3e-17, 1e-16, 1e-12, 1e-6})
    for (const std::int64_t count : {std::int64_t{2}, std::int64_t{1000}, std::int64_t{1'000'000'000}})
      for (const double epsilon : {0.0, 0.25}) {
        const Real all = -expm1(Real(count) * log1p(-Real(leak)));
        const double above = 1.0001 * epsilon * static_cast<double>(count);
        const auto [lower, upper] = priced({Approximate{epsilon, leak}, count}, above);
        const auto enclosed = encloses_delta(lower, upper, above, [&](const Real&) { return all; });
        if (!enclosed) return enclosed;
        if (!(upper <= static_cast<double>(all) * (1 + 1e-12))) return testing::AssertionFailure() << upper;
      }
  return testing::AssertionSuccess();
}

TEST(ComposedEvents, LeaksFarBelowOneAddUp) {
  EXPECT_TRUE(add_up([](const Event& event, double epsilon) -> Bounds {
    const auto price = delta_at(event, *Epsilon::make(epsilon));
    EXPECT_TRUE(price) << price.error().text();
    return price ? Bounds{price->delta_lower, price->delta} : Bounds{};
  }));
  EXPECT_FALSE(add_up([](const Event& event, double) -> Bounds {
    const double all =
        1 - std::pow(1 - std::get<Approximate>(event.kind).delta, static_cast<double>(event.count));  // the twin
    return {all * (1 - 1e-14), all * (1 + 1e-14)};
  }));
}

TEST(ComposedEvents, RandomizedResponseFollowsTheExactConvolution) {
  Generator generator(25);
  for (int i = 0; i < kCases; ++i) {
    const double epsilon = generator.log_uniform(1e-3, 20);
    const auto values = generator.log_integer(2, 1e4), count = generator.integer(2, 30);
    const auto loss = oracle::times(oracle::randomized_response(Real(epsilon), values), static_cast<int>(count));
    const Profile truth = [&](const Real& e) { return loss.delta(e); };
    const Event event{RandomizedResponse{epsilon, values}, count};
    EXPECT_TRUE(is_certified_epsilon(event, generator.delta(), truth));
    EXPECT_TRUE(is_certified_delta(event, epsilon * generator.uniform(0, static_cast<double>(count)), truth));
  }
}

TEST(ComposedEvents, DiscreteLaplaceFollowsTheExactConvolution) {
  Generator generator(26);
  for (int i = 0; i < kCases; ++i) {
    const double scale = generator.noise();
    const auto shift = generator.integer(1, 12), count = generator.integer(2, 8);
    const auto loss = oracle::times(oracle::discrete_laplace(Real(scale), shift), static_cast<int>(count));
    const Profile truth = [&](const Real& e) { return loss.delta(e); };
    const Event event{DiscreteLaplace{scale, shift}, count};
    EXPECT_TRUE(is_certified_epsilon(event, generator.delta(), truth));
    EXPECT_TRUE(is_certified_delta(event, generator.uniform(0, 1) * static_cast<double>(count * shift) / scale, truth));
  }
}

TEST(ComposedEvents, DiscreteGaussianFollowsTheExactConvolution) {
  Generator generator(27);
  for (int i = 0; i < kCases / 2; ++i) {
    const double scale = generator.log_uniform(0.3, 4);
    const auto shift = generator.integer(1, 3), count = generator.integer(2, 4);
    const auto loss = oracle::times(oracle::discrete_gaussian(Real(scale), shift), static_cast<int>(count));
    const Profile truth = [&](const Real& e) { return loss.delta(e); };
    const Event event{DiscreteGaussian{scale, shift}, count};
    EXPECT_TRUE(is_certified_epsilon(event, generator.delta(), truth));
    EXPECT_TRUE(is_certified_delta(event, natural_epsilon(generator, sqrt(Real(count)) * shift / scale), truth));
  }
}

TEST(ComposedEvents, LaplaceFollowsTheIntegralsOfItsPieces) {
  Generator generator(28);
  for (int i = 0; i < kCases / 5; ++i) {
    const double b = generator.log_uniform(0.1, 1e4);
    const auto count = generator.integer(2, 4);
    const oracle::ExponentialPieces truth(1 / Real(b), Real(0.5), static_cast<int>(count));
    const Event event{Laplace{b}, count};
    EXPECT_TRUE(is_certified_epsilon(event, generator.delta(), truth));
    EXPECT_TRUE(is_certified_delta(event, generator.uniform(0, static_cast<double>(count)) / b, truth));
  }
}

TEST(ComposedEvents, ExponentialFollowsTheIntegralsOfItsPieces) {
  Generator generator(29);
  for (int i = 0; i < kCases / 3; ++i) {
    const double range = generator.log_uniform(1e-3, 20);
    const auto count = generator.integer(2, 8);
    const oracle::ExponentialPieces truth(Real(range), Real(0), static_cast<int>(count));
    const Event event{Exponential{range}, count};
    EXPECT_TRUE(is_certified_epsilon(event, generator.delta(), truth));
    EXPECT_TRUE(is_certified_delta(event, generator.uniform(0, static_cast<double>(count)) * range, truth));
  }
}

TEST(ComposedEvents, PureAnswersBesideGaussiansAreSummedOverTheAnswers) {
  Generator generator(30);
  for (int i = 0; i < kCases; ++i) {
    const double epsilon = generator.log_uniform(1e-2, 3), sigma = generator.log_uniform(2, 50);
    const auto answers = generator.integer(1, 40), noises = generator.log_integer(1, 300);
    const Real mu = sqrt(Real(noises)) / sigma, truthful = 1 / (1 + exp(-Real(epsilon)));
    const Profile truth = [&](const Real& e) {
      Real sum = 0;
      for (std::int64_t k = 0; k <= answers; ++k)
        sum +=
            oracle::binomial_weight(answers, k, truthful) * oracle::gaussian(mu, e - (2 * k - answers) * Real(epsilon));
      return sum;
    };
    const Event event{Compose{{{Pure{epsilon}, answers}, {Gaussian{sigma}, noises}}}, 1};
    EXPECT_TRUE(is_certified_epsilon(event, generator.delta(), truth));
    EXPECT_TRUE(is_certified_delta(event, natural_epsilon(generator, mu), truth));
  }
}

TEST(ComposedEvents, CompositionsKeepRelativeAccuracyDownToTheSmallestDelta) {
  for (double delta = 1e-1; delta > 0.5e-30; delta /= 10) {
    const double sigma = 5;
    const std::int64_t count = 1000;
    const Real mu = sqrt(Real(count)) / sigma;
    EXPECT_TRUE(
        is_certified_epsilon(normal_pair(sigma, count), delta, [&](const Real& e) { return oracle::gaussian(mu, e); }));
  }
}

TEST(ComposedEvents, ALossThatIsNothingBesideOthersHasItsPlace) {
  for (const auto& [large, small] : {std::pair{600.0, 5e-324}, {100.0, 1e-300}}) {
    const auto price = epsilon_at({Compose{{{Pure{large}, 1}, {Pure{small}, 1}}}, 1}, *Delta::make(1e-9));
    ASSERT_TRUE(price) << price.error().text();
    EXPECT_NEAR(price->epsilon, large, 1e-3 * large);
  }
}

}  // namespace
}  // namespace chronoveil::accounting
