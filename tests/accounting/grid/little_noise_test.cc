// Hardly any noise on samples and subsets: ε/μ − μ/2 cancels, and a distance μ that is rounded to a double shows in δ.
// The bounds enclose the truth all the same; those of a rounded distance do not.
#include <algorithm>
#include <cmath>

#include "accounting/bracketing.h"
#include "accounting/generated.h"
#include "chronoveil/accounting/events/subsampled/filter_kernel.h"
#include "chronoveil/accounting/grid/loss_model.h"
#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {
namespace {

// P(N(0,1) > x): Laplace's continued fraction from 7 on, Taylor's series φ(x) Σ x^{2k+1}/(2k+1)!! around 0.
Real upper_tail(const Real& x) {
  if (x < 0) return 1 - upper_tail(-x);
  if (x < 7) {
    Real term = x, sum = 0;
    for (int k = 1; k < 400; ++k) {
      sum += term;
      term *= x * x / (2 * k + 1);
    }
    return Real(0.5) - oracle::density(x) * sum;
  }
  Real fraction = x;
  for (int k = 160; k >= 1; --k) fraction = x + k / fraction;
  return oracle::density(x) / fraction;
}

// N(μ,1) against N(0,1) for μ of 100 and more: e^ε Φ(−x − μ) = φ(x) M(x + μ), M(y) = 1/(y + 1/(y + …)).
Real large_gaussian(const Real& mu, const Real& epsilon) {
  const Real x = epsilon / mu - mu / 2, y = x + mu;
  if (x > 200) return 0;  // below 1e-8000, and 1 on the other side
  if (x < -200) return 1;
  EXPECT_GT(y, Real(7));
  Real fraction = y;
  for (int k = 160; k >= 1; --k) fraction = y + k / fraction;
  return upper_tail(x) - oracle::density(x) / fraction;
}

// On a sample: r G(μ) at ln(1 + (e^ε − 1)/r), which is ε − ln r to sixty digits from ε = 1000 on.
Real sampled_gaussian(const Real& mu, const Real& rate, const Real& epsilon) {
  EXPECT_GT(epsilon, Real(1000));
  return rate * large_gaussian(mu, epsilon - log(rate));
}

void expect_enclosed(const Event& event, double epsilon, const Profile& truth) {
  const auto price = delta_at(event, *Epsilon::make(epsilon));
  ASSERT_TRUE(price) << to_text(event) << ": " << price.error().text();
  EXPECT_TRUE(encloses_delta(price->delta_lower, price->delta, epsilon, truth))
      << to_text(event) << " at epsilon " << epsilon;
}

struct SampledCase {
  double noise, rate, epsilon;
};
constexpr SampledCase kSampled[] = {{0.0018292340652491523, 0.01, 166063.1930666198},
                                    {2.4624183627007415e-05, 0.6930073499101788, 825416368.3769698},
                                    {1.2819173518975435e-06, 2.10551788602072e-06, 304284981937.30914}};

TEST(LittleNoise, OnASampleIsRoundedOutward) {
  const auto check = [](const SampledCase& c) {
    const Profile truth = [&](const Real& e) { return sampled_gaussian(1 / Real(c.noise), Real(c.rate), e); };
    expect_enclosed({DpSgd{c.rate, c.noise}, 1}, c.epsilon, truth);
    const auto inner = std::make_shared<const Event>(Event{Gaussian{c.noise}, 1});
    expect_enclosed({PoissonSampled{c.rate, inner}, 1}, c.epsilon, truth);
  };
  for (const SampledCase& c : kSampled) check(c);
  Generator generator(171);
  for (int i = 0; i < cases(60); ++i) {
    SampledCase c{generator.log_uniform(1e-6, 5e-3), generator.log_uniform(1e-6, 1), 0};
    const double mu = 1 / c.noise;
    c.epsilon = mu * mu / 2 + generator.uniform(-3, 30) * mu + std::log(c.rate);
    check(c);
  }
}

TEST(LittleNoise, AllOfASampleIsTheGaussianItself) {
  for (const double noise : {1.9e-3, 3.1e-5, 7.3e-7}) {
    const Real mu = 1 / Real(noise);
    for (const double deviations : {8.0, 20.0, 36.0}) {
      const auto epsilon = static_cast<double>(mu * mu / 2 + deviations * mu);
      expect_enclosed({DpSgd{1, noise}, 1}, epsilon, [&](const Real& e) { return large_gaussian(mu, e); });
    }
  }
}

Profile kept_of(std::int64_t participation, double rate, double noise) {
  return [=](const Real& e) {
    Real sum = 0;
    for (std::int64_t k = 1; k <= participation; ++k)
      sum += oracle::binomial_weight(participation, k, Real(rate)) * large_gaussian(sqrt(Real(k)) / Real(noise), e);
    return sum;
  };
}

TEST(LittleNoise, OnASubsetOfTheStepsIsRoundedOutward) {
  expect_enclosed({TimeSubsampling{20, 0.9, 2.5360115933787774e-06, {}, {}}, 1}, 1554892821521.7246,
                  kept_of(20, 0.9, 2.5360115933787774e-06));
  Generator generator(172);
  for (int i = 0; i < cases(25); ++i) {
    const auto participation = generator.integer(1, 12);
    const double rate = generator.uniform(0.05, 0.95), noise = generator.log_uniform(1e-6, 5e-3);
    const double mu = std::sqrt(static_cast<double>(generator.integer(1, participation))) / noise;
    const double epsilon = mu * mu / 2 + generator.uniform(-3, 30) * mu;
    expect_enclosed({TimeSubsampling{participation, rate, noise, {}, {}}, 1}, epsilon,
                    kept_of(participation, rate, noise));
  }
}

// All steps are kept, so that the noise of all of them is one Gaussian.
TEST(LittleNoise, AfterAFilterIsRoundedOutward) {
  struct FilteredCase {
    std::int64_t participation, length;
    double noise, width, epsilon;
  };
  for (const FilteredCase& c : {FilteredCase{4, 4, 1.6147464735535694e-06, 0.9956048541998684, 767057831063.8654},
                                FilteredCase{4, 4, 1.0270243258768626e-06, 1.935944958702949, 1896129275368.167}}) {
    const auto kernel = filter_kernel(c.length, c.width);
    Real energy = 0;
    for (std::size_t t = 0; t < kernel.size(); ++t) {
      Real sum = 0;
      for (std::size_t j = 0; j < static_cast<std::size_t>(c.participation); ++j)
        sum += Real(kernel[(t + kernel.size() - j) % kernel.size()]) / Real(std::int64_t{1} << kFilterBits);
      energy += sum * sum;
    }
    expect_enclosed({TimeSubsampling{c.participation, 1, c.noise, c.length, c.width}, 1}, c.epsilon,
                    [&](const Real& e) { return large_gaussian(sqrt(energy) / Real(c.noise), e); });
  }
}

// A unit drawn k times has 1/k of the noise, which a double need not hold.
TEST(LittleNoise, DrawnSeveralTimesIsRoundedOutward) {
  const std::int64_t population = 7, batch = 5;
  for (const double noise : {2.3e-3, 4.7e-5, 1.9e-6})
    for (const int drawn : {1, 3, 5})
      for (const double deviations : {6.0, 20.0, 33.0}) {
        const double mu = drawn / noise, epsilon = mu * mu / 2 + deviations * mu;
        const Profile truth = [&](const Real& e) {
          const Real share = 1 - exp(batch * log1p(-1 / Real(population)));
          Real sum = 0;
          for (std::int64_t k = 1; k <= batch; ++k)
            sum += oracle::binomial_weight(batch, k, 1 / Real(population)) *
                   large_gaussian(k / Real(noise), e - log(share));
          return sum;
        };
        expect_enclosed(
            {SampledWithReplacement{population, batch, std::make_shared<const Event>(Event{Gaussian{noise}, 1})}, 1},
            epsilon, truth);
      }
}

// Windows drawn by coins: MoG(i/σ) against MoG(−i/σ), i ~ Bin(K, r), whose means are rounded too.
TEST(LittleNoise, OnWindowsIsRoundedOutward) {
  StructuredSubsampling e{};
  e.series = 3;
  e.length = {11};
  e.context_length = 1;
  e.forecast_length = 2;
  e.batch_size = 1;
  e.top_level = StructuredSubsampling::Top::iterate;
  e.bottom_level = StructuredSubsampling::Bottom::poisson;
  for (const double noise : {1.7e-3, 3.3e-5, 7.7e-7})
    for (const double deviations : {0.0, 7.0, 25.0}) {
      e.noise_multiplier = noise;
      // Three windows of ten show a step, and each is drawn once in ten times. At this ε the largest of both mixtures
      // decide: a single x divides them, found by halving.
      const double epsilon = 6 / noise * (3 / noise + deviations);
      const Profile truth = [&](const Real& at) {
        auto weight = [](int i) { return oracle::binomial_weight(3, i, Real(1) / 10); };
        auto log_density = [&](const Real& x, int sign) {
          Real peak = -(x - sign * 3 / Real(noise)) * (x - sign * 3 / Real(noise)) / 2, sum = 0;
          for (int i = 0; i <= 3; ++i) {
            const Real y = x - sign * i / Real(noise);
            peak = std::max(peak, Real(-y * y / 2));
          }
          for (int i = 0; i <= 3; ++i) {
            const Real y = x - sign * i / Real(noise);
            if (const Real exponent = -y * y / 2 - peak; exponent > -300) sum += weight(i) * exp(exponent);
          }
          return peak + log(sum);
        };
        Real low = 0, high = 100 / Real(noise);
        for (int i = 0; i < 220; ++i) {
          const Real x = (low + high) / 2;
          (log_density(x, 1) - log_density(x, -1) < at ? low : high) = x;
        }
        // e^ε Q(X > x) = e^{ε + log q(x)} Σ share × M(x − mean), where all means of Q are far below x.
        Real p = 0, q = 0;
        const Real log_q = log_density(low, -1);
        for (int i = 0; i <= 3; ++i) {
          p += weight(i) * upper_tail(low - i / Real(noise));
          const Real y = low + i / Real(noise), exponent = -y * y / 2 - log_q;
          if (exponent < -300) continue;
          Real fraction = y;
          for (int k = 160; k >= 1; --k) fraction = y + k / fraction;
          q += weight(i) * exp(exponent) / fraction;
        }
        return p - exp(at + log_q) / sqrt(8 * atan(Real(1))) * q;
      };
      expect_enclosed({e, 1}, epsilon, truth);
    }
}

TEST(LittleNoise, ADistanceRoundedToADoubleIsRejected) {
  auto encloses_all = [](auto distance) {
    for (const SampledCase& c : kSampled) {
      auto at = [&](int sign) {
        const long double inside = c.epsilon - std::log(static_cast<long double>(c.rate));
        return static_cast<double>(c.rate * gaussian_profile(distance(c.noise, sign), inside) * (1 + sign * 1e-12L));
      };
      const Profile truth = [&](const Real& e) { return sampled_gaussian(1 / Real(c.noise), Real(c.rate), e); };
      if (!encloses_delta(at(-1), at(+1), c.epsilon, truth)) return false;
    }
    return true;
  };
  EXPECT_FALSE(encloses_all([](double noise, int) { return static_cast<long double>(1 / noise); }));
  EXPECT_TRUE(encloses_all([](long double noise, int sign) { return (1 + sign * 4e-16L) / noise; }));
}

// Beside one that is a million million times as large, each of these alone is lost even in 64 bits.
TEST(LittleNoise, WithMuchOfManyIsAddedToTheLast) {
  constexpr int kMany = 20'000;
  constexpr double kLittle = 1e-6, kMuch = 6600;
  Compose all{{Event{Gaussian{kLittle}, 1}}};
  Real squares = 1 / (Real(kLittle) * kLittle);
  long double twin = 1 / (static_cast<long double>(kLittle) * kLittle);
  for (int i = 0; i < kMany; ++i) {
    const double noise = kMuch + i / 16.0;
    all.events.push_back({Gaussian{noise}, 1});
    squares += 1 / (Real(noise) * noise);
    twin += 1 / (static_cast<long double>(noise) * noise);
  }
  const Real mu = sqrt(squares);
  const auto epsilon = static_cast<double>(mu * mu / 2 + 5 * mu);
  const Profile truth = [&](const Real& e) { return large_gaussian(mu, e); };
  const auto price = delta_at({std::move(all), 1}, *Epsilon::make(epsilon));
  ASSERT_TRUE(price) << price.error().text();
  EXPECT_TRUE(encloses_delta(price->delta_lower, price->delta, epsilon, truth));
  const auto model = gaussian_model(std::sqrt(twin));
  EXPECT_FALSE(encloses_delta(static_cast<double>(model->delta_lower(epsilon) * (1 - kProfileError)),
                              static_cast<double>(model->delta(epsilon) * (1 + kProfileError)), epsilon, truth))
      << "the twin is not caught";
}

}  // namespace
}  // namespace chronoveil::accounting
