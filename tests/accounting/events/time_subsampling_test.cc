// Time subsampling [Koga22] against sums over the number of kept steps, and its filter against all subsets.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "accounting/bracketing.h"
#include "accounting/generated.h"
#include "chronoveil/accounting/events/subsampled/filter_kernel.h"

namespace chronoveil::accounting {
namespace {

const int kCases = cases(40);

// Σ_k Bin(k; I, p) G(√k/σ), over the weights that matter.
Profile kept_steps(std::int64_t participation, double rate, double sigma) {
  std::vector<std::pair<Real, Real>> terms;  // weight, μ
  for (std::int64_t k = 1; k <= participation; ++k)
    if (const Real weight = oracle::binomial_weight(participation, k, Real(rate)); weight > Real(1e-55))
      terms.emplace_back(weight, sqrt(Real(k)) / sigma);
  return [terms](const Real& e) {
    Real sum = 0;
    for (const auto& [weight, mu] : terms) sum += weight * oracle::gaussian(mu, e);
    return sum;
  };
}

double energy_of(const std::vector<std::int64_t>& kernel, unsigned subset, double& highest) {
  const auto n = kernel.size();
  double energy = 0;
  for (std::size_t t = 0; t < n; ++t) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j)
      if (subset >> j & 1) sum += std::ldexp(static_cast<double>(kernel[(t + n - j) % n]), -kFilterBits);
    energy += sum * sum;
    highest = std::max(highest, sum * sum);
  }
  return energy;
}

TEST(TimeSubsampling, WithoutAFilterTheKeptStepsAreCounted) {
  Generator generator(41);
  for (int i = 0; i < kCases; ++i) {
    const auto participation = generator.log_integer(1, 120);
    const double rate = generator.log_uniform(1e-3, 1), sigma = generator.noise();
    const Event event{TimeSubsampling{participation, rate, sigma, {}, {}}, 1};
    const Profile truth = kept_steps(participation, rate, sigma);
    EXPECT_TRUE(is_exact_epsilon(event, generator.delta(), truth));
    const double mu = std::sqrt(rate * static_cast<double>(participation)) / sigma;
    EXPECT_TRUE(is_exact_delta(event, mu * mu / 2 + mu * generator.uniform(0, 8), truth));
  }
}

TEST(TimeSubsampling, RepeatedReleasesKeepStepsAsOneWithAsManyStepsInAll) {
  Generator generator(42);
  for (int i = 0; i < kCases / 2; ++i) {
    const auto participation = generator.integer(1, 20), count = generator.integer(2, 12);
    const double rate = generator.log_uniform(1e-2, 1), sigma = generator.log_uniform(0.3, 300);
    const Event event{TimeSubsampling{participation, rate, sigma, {}, {}}, count};
    const Profile truth = kept_steps(participation * count, rate, sigma);
    EXPECT_TRUE(is_certified_epsilon(event, generator.delta(), truth));
    const double mu = std::sqrt(rate * static_cast<double>(participation * count)) / sigma;
    EXPECT_TRUE(is_certified_delta(event, std::max(0.01 * mu, mu * mu / 2 + mu * generator.uniform(-1, 7)), truth));
  }
}

TEST(TimeSubsampling, TheKernelIsTheGaussianRoundedDownAndSumsToAtMostOne) {
  for (std::int64_t length : {1, 2, 5, 12, 101}) {
    for (double width : {0.3, 1.0, 4.0, 1000.0}) {
      const auto kernel = filter_kernel(length, width);
      Real sum = 0;
      std::vector<Real> shape;
      for (std::int64_t t = 0; t < length; ++t) {
        const Real distance = Real(std::min(t, length - t)) / width;
        sum += shape.emplace_back(exp(-distance * distance / 2));
      }
      std::int64_t total = 0;
      for (std::size_t t = 0; t < kernel.size(); ++t) {
        const Real exact = shape[t] / sum * Real(std::int64_t{1} << kFilterBits);
        EXPECT_LE(kernel[t], exact);
        EXPECT_GE(kernel[t], exact * (1 - Real(1.1e-16)) - 1);
        total += kernel[t];
      }
      EXPECT_LE(total, std::int64_t{1} << kFilterBits);
    }
  }
}

TEST(TimeSubsampling, NoSetOfStepsReachesFurtherThanTheBlock) {
  for (std::int64_t length : {1, 2, 7, 10, 11}) {
    for (double width : {0.4, 1.0, 2.5, 50.0}) {
      const auto kernel = filter_kernel(length, width);
      for (std::int64_t participation = 1; participation <= length; ++participation) {
        double energy = 0, highest = 0;
        for (unsigned subset = 0; subset < 1U << length; ++subset)
          if (std::popcount(subset) <= participation) energy = std::max(energy, energy_of(kernel, subset, highest));
        const FilterReach reach = filter_reach(kernel, participation);
        EXPECT_GE(reach.energy, energy * (1 - 1e-15));
        EXPECT_NEAR(reach.energy, energy, 1e-13 * energy);
        EXPECT_GE(reach.highest, highest * (1 - 1e-15));
        EXPECT_NEAR(reach.highest, highest, 1e-13 * highest);
      }
    }
  }
}

// The bound of the header, from the kernel up: weights c and one remainder, f continued by its tangent.
Real filtered_bound(const TimeSubsampling& e, const Real& epsilon) {
  const auto kernel = filter_kernel(*e.length, *e.filter_width);
  const auto n = kernel.size();
  Real energy = 0, peak = 0;
  for (std::size_t t = 0; t < n; ++t) {
    Real sum = 0;
    for (std::int64_t j = 0; j < e.participation; ++j)
      sum += Real(kernel[(t + n - static_cast<std::size_t>(j)) % n]) / Real(std::int64_t{1} << kFilterBits);
    energy += sum * sum;
  }
  auto sorted = kernel;
  std::sort(sorted.rbegin(), sorted.rend());
  for (std::int64_t j = 0; j < e.participation; ++j)
    peak += Real(sorted[static_cast<std::size_t>(j)]) / Real(std::int64_t{1} << kFilterBits);
  peak *= peak;
  const Real variance = Real(e.noise_multiplier) * e.noise_multiplier;
  auto f = [&](const Real& s) { return oracle::gaussian(sqrt(s / variance), epsilon); };
  const Real bend = 2 * (sqrt(1 + epsilon * epsilon) - 1) * variance;
  auto majorant = [&](const Real& s) {
    if (s <= bend) return f(s);
    const Real mu = sqrt(bend / variance);
    return f(bend) + oracle::density(epsilon / mu - mu / 2) / (2 * mu * variance) * (s - bend);
  };
  const auto whole = static_cast<std::int64_t>(floor(energy / peak));
  const Real rest = energy - whole * peak;
  Real sum = 0;
  for (std::int64_t k = 0; k <= whole; ++k)
    sum += oracle::binomial_weight(whole, k, Real(e.rate)) *
           ((1 - Real(e.rate)) * majorant(k * peak) + Real(e.rate) * majorant(k * peak + rest));
  return std::min({Real(1), f(energy), sum});
}

// The least of all chords between (1/β, h(1/β)) and (β, h(β)) at e^ε, where h(1/β) = 1 − 1/β + h(β)/β. One that takes
// h(β) at both ends is a broken twin.
Real lowest_chord(const TimeSubsampling& e, const Real& epsilon, double furthest, double ratio, bool mirrored = true) {
  Real least = 1;
  for (Real x = epsilon * 1.001; x < furthest; x *= ratio) {
    const Real bound = filtered_bound(e, x), beta = exp(x), alpha = exp(epsilon);
    const Real other = mirrored ? 1 - 1 / beta + bound / beta : bound;
    least = std::min(least, Real(other + (alpha - 1 / beta) / (beta - 1 / beta) * (bound - other)));
  }
  return least;
}

TEST(TimeSubsampling, OnceAfterAFilterCostsTheConvexEnvelopeAndNoMoreThanTwice) {
  const TimeSubsampling e{4, 0.1, 10, 100, 3.0};
  for (const double epsilon : {1e-3, 5e-3, 0.01}) {
    const auto price = delta_at({e, 1}, *Epsilon::make(epsilon));
    ASSERT_TRUE(price);
    const Real least = lowest_chord(e, Real(epsilon), 0.2, 1.1);
    EXPECT_LT(price->delta, filtered_bound(e, Real(epsilon)));
    EXPECT_LT(abs(price->delta / least - 1), Real(4e-3)) << epsilon;
    EXPECT_GT(price->delta, lowest_chord(e, Real(epsilon), 0.2, 1.1, false) * Real(1.01)) << epsilon;
  }
  for (const double delta : {0.03, 0.01, 1e-3}) {
    const auto once = epsilon_at({e, 1}, *Delta::make(delta)), twice = epsilon_at({e, 2}, *Delta::make(delta));
    ASSERT_TRUE(once && twice);
    EXPECT_LE(once->epsilon, twice->epsilon) << delta;
  }
}

TEST(TimeSubsampling, WithAFilterTheBoundIsTheOneOfConvexWeights) {
  Generator generator(43);
  for (int i = 0; i < kCases / 2; ++i) {
    const auto length = generator.log_integer(5, 300);
    const auto participation = generator.integer(1, length);
    const TimeSubsampling e{participation, generator.log_uniform(0.02, 1), generator.log_uniform(0.3, 100), length,
                            generator.log_uniform(0.3, 20)};
    const double epsilon = generator.log_uniform(0.02, 8);
    const auto price = delta_at({e, 1}, *Epsilon::make(epsilon));
    ASSERT_TRUE(price) << price.error().text();
    const Real bound = filtered_bound(e, Real(epsilon));
    // The reach is rounded up by 1e-15, which the profile may magnify.
    EXPECT_LE(price->delta, (1 + Real(1e-9)) * bound + Real(1e-290)) << to_text({e, 1}) << " at " << epsilon;
    if (i % 4 == 0 && price->delta < bound * (1 - Real(1e-11))) {
      EXPECT_GE(price->delta, Real(0.9) * lowest_chord(e, Real(epsilon), 16, 1.6))
          << to_text({e, 1}) << " at " << epsilon;
    }
    EXPECT_EQ(price->certificate, Certificate::upper_bound);
  }
}

// What real neighbours show: the steps J are public, so δ is the mean over J of G(‖(Ad)_J‖/σ).
TEST(TimeSubsampling, WithAFilterNoNeighboursShowMoreThanTheBound) {
  Generator generator(44);
  for (int i = 0; i < kCases / 4 + 1; ++i) {
    const std::int64_t length = 9;
    const TimeSubsampling e{generator.integer(1, 4), generator.uniform(0.1, 0.9), generator.log_uniform(0.3, 4), length,
                            generator.log_uniform(0.4, 3)};
    const auto kernel = filter_kernel(length, *e.filter_width);
    const double epsilon = generator.log_uniform(0.001, 3);
    const auto price = delta_at({e, 1}, *Epsilon::make(epsilon));
    ASSERT_TRUE(price);
    for (const unsigned changed : {(1U << e.participation) - 1, 0b101010101U & ((1U << (2 * e.participation)) - 1)}) {
      double shown = 0;
      for (unsigned kept = 0; kept < 1U << length; ++kept) {
        double distance = 0;
        for (std::size_t t = 0; t < 9; ++t) {
          double moved = 0;
          for (std::size_t j = 0; j < 9; ++j)
            if (changed >> j & 1) moved += std::ldexp(static_cast<double>(kernel[(t + 9 - j) % 9]), -kFilterBits);
          if (kept >> t & 1) distance += moved * moved;
        }
        const int size = std::popcount(kept);
        const double mu = std::sqrt(distance) / e.noise_multiplier;
        if (mu > 0)
          shown += std::pow(e.rate, size) * std::pow(1 - e.rate, 9 - size) *
                   (0.5 * std::erfc((epsilon / mu - mu / 2) / std::sqrt(2)) -
                    std::exp(epsilon) * 0.5 * std::erfc((epsilon / mu + mu / 2) / std::sqrt(2)));
      }
      EXPECT_LE(shown, price->delta * (1 + 1e-9)) << to_text({e, 1}) << " at " << epsilon;
    }
  }
}

TEST(TimeSubsampling, RepeatedFilteredReleasesCostNoMoreThanKeepingEveryStepAndNoLessThanOne) {
  for (std::int64_t count : {2, 10, 200}) {
    const TimeSubsampling e{20, 0.1, 10, 200, 3.0};
    const auto many = epsilon_at({e, count}, *Delta::make(1e-6)), once = epsilon_at({e, 1}, *Delta::make(1e-6));
    TimeSubsampling all = e;
    all.rate = 1;
    const auto every = epsilon_at({all, count}, *Delta::make(1e-6));
    ASSERT_TRUE(many && once && every);
    EXPECT_GT(many->epsilon, once->epsilon);
    EXPECT_LE(many->epsilon, every->epsilon * (1 + 1e-3));
    EXPECT_TRUE(gap_is_allowed(*many));
  }
}

}  // namespace
}  // namespace chronoveil::accounting
