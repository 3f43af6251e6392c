// Structured subsampling [Schuchardt25]: which windows a change touches, by listing them; the profiles, by quadrature
// of the mixtures or from their sums.
#include "chronoveil/accounting/events/subsampled/structured_subsampling.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "accounting/bracketing.h"
#include "accounting/generated.h"

namespace chronoveil::accounting {
namespace {

using Top = StructuredSubsampling::Top;
using Bottom = StructuredSubsampling::Bottom;
using oracle::Normals;

const int kCases = cases(14);

StructuredSubsampling small(Generator& generator) {
  StructuredSubsampling e{};
  e.context_length = generator.integer(0, 4);
  e.forecast_length = generator.integer(1, 3);
  e.length = {e.forecast_length + generator.integer(0, 9)};
  e.series = generator.integer(4, 40);
  e.batch_size = generator.integer(1, 4);
  e.windows_per_series = 1;
  e.noise_multiplier = generator.log_uniform(0.4, 30);
  e.unit = generator.integer(0, 1) ? Unit::user : Unit::event;
  e.width = generator.integer(1, 3);
  return e;
}

// The steps of window t = 1..T: L_C zeros are prepended, so the window reads its context from t − L_C .. t − 1 (steps
// below 1 are zeros) and its forecast from t .. t + L_F − 1, in steps 1..L.
struct Reads {
  std::vector<std::int64_t> context, forecast;
};
Reads reads(const StructuredSubsampling& e, std::int64_t t) {
  Reads out;
  for (std::int64_t s = t - e.context_length; s < t; ++s)
    if (s >= 1) out.context.push_back(s);
  for (std::int64_t s = t; s < t + e.forecast_length; ++s) out.forecast.push_back(s);
  return out;
}

// Every change that a neighbour may make: w steps in a row, or any w steps.
std::vector<unsigned> changes(const StructuredSubsampling& e, std::int64_t length) {
  std::vector<unsigned> out;
  for (unsigned set = 1; set < 1U << length; ++set) {
    const int size = std::popcount(set);
    if (size > e.width) continue;
    if (e.unit == Unit::user || (std::bit_width(set) - std::countr_zero(set)) <= e.width) out.push_back(set);
  }
  return out;
}

int among(const std::vector<std::int64_t>& steps, unsigned set) {
  int count = 0;
  for (std::int64_t s : steps) count += static_cast<int>(set >> (s - 1) & 1);
  return count;
}

TEST(StructuredSubsampling, NoChangeTouchesMoreWindowsThanCounted) {
  Generator generator(51);
  for (int i = 0; i < 300; ++i) {
    const StructuredSubsampling e = small(generator);
    const std::int64_t length = e.length[0], windows = windows_of(e, length);
    std::int64_t most = 0;
    for (unsigned change : changes(e, length)) {
      std::int64_t touched = 0;
      for (std::int64_t t = 1; t <= windows; ++t) {
        const Reads window = reads(e, t);
        ASSERT_LE(window.forecast.back(), length);
        touched += among(window.context, change) + among(window.forecast, change) > 0;
      }
      most = std::max(most, touched);
    }
    EXPECT_LE(most, touched_windows(e, length)) << to_text({e, 1});
    const std::int64_t span = e.context_length + e.forecast_length;
    EXPECT_EQ(touched_windows(e, length),
              std::min(e.unit == Unit::user ? e.width * span : span + e.width - 1, windows));
    // Where the series is long enough for one step in its middle, the count is attained.
    if (e.width == 1 && length >= 2 * span) {
      EXPECT_EQ(most, touched_windows(e, length));
    }
  }
}

TEST(StructuredSubsampling, NoPlacementShowsMoreOfAnAugmentedWindowThanCounted) {
  Generator generator(52);
  for (int i = 0; i < 300; ++i) {
    StructuredSubsampling e = small(generator);
    e.context_noise = generator.integer(0, 3) == 0 ? 0 : generator.log_uniform(0.2, 20);
    e.label_noise = generator.integer(0, 3) == 0 ? 0 : generator.log_uniform(0.2, 20);
    if (generator.integer(0, 1)) e.length.push_back(e.length[0] + generator.integer(1, 3));
    double most = 0;
    for (std::int64_t length : e.length) {
      const std::int64_t windows = windows_of(e, length);
      for (unsigned change : changes(e, length)) {
        double shown = 0;
        for (std::int64_t t = 1; t <= windows; ++t) {
          const Reads window = reads(e, t);
          const int context = among(window.context, change), forecast = among(window.forecast, change);
          if (context + forecast == 0) continue;
          if ((context > 0 && e.context_noise == 0) || (forecast > 0 && e.label_noise == 0)) {
            shown += 1;
            continue;
          }
          double square = 0;
          if (context > 0) square += context / (e.context_noise * e.context_noise);
          if (forecast > 0) square += forecast / (e.label_noise * e.label_noise);
          shown += std::erf(0.5 * std::sqrt(square) / std::sqrt(2));
        }
        most = std::max(most, shown / static_cast<double>(windows));
      }
    }
    EXPECT_LE(most, augmented_share(e) * (1 + 1e-12)) << to_text({e, 1});
    if (e.unit == Unit::event || e.width == 1) {
      EXPECT_NEAR(most, augmented_share(e), 1e-9) << to_text({e, 1});
    }
  }
}

Normals ladder(std::int64_t n, const Real& p, const Real& rung) {
  Normals out;
  for (std::int64_t k = 0; k <= n; ++k) {
    out.means.push_back(k * rung);
    out.weights.push_back(oracle::binomial_weight(n, k, p));
  }
  return out;
}
Normals mirrored(Normals normals) {
  for (Real& mean : normals.means) mean = -mean;
  return normals;
}

Real share_of(const StructuredSubsampling& e) {
  Real share = 0;
  for (std::int64_t length : e.length) {
    const std::int64_t windows = length - e.forecast_length + 1, span = e.context_length + e.forecast_length;
    const std::int64_t touched = e.unit == Unit::user ? e.width * span : span + e.width - 1;
    share = std::max<Real>(share, Real(std::min(touched, windows)) / windows);
  }
  return share;
}
Real batch_share(const StructuredSubsampling& e) {
  return e.top_level == Top::iterate ? Real(1) : Real(e.batch_size / e.windows_per_series) / e.series;
}
double some_epsilon(Generator& generator, const StructuredSubsampling& e) {
  return generator.log_uniform(0.05, 4) / e.noise_multiplier;
}

TEST(StructuredSubsampling, OneWindowWithReplacementIsTheMixtureAgainstTheNormal) {
  Generator generator(53);
  for (int i = 0; i < kCases; ++i) {
    StructuredSubsampling e = small(generator);
    e.top_level = generator.integer(0, 1) ? Top::iterate : Top::without_replacement;
    if (generator.integer(0, 1)) e.length.push_back(e.length[0] + generator.integer(1, 30));
    const Real share = share_of(e) * batch_share(e);
    const Normals p{{0, 2 / Real(e.noise_multiplier)}, {1 - share, share}}, q{{0}, {1}};
    const Profile truth = [&](const Real& epsilon) { return oracle::mixture(p, q, epsilon); };
    EXPECT_TRUE(is_exact_epsilon({e, 1}, generator.log_uniform(1e-20, 1e-2), truth));
    EXPECT_TRUE(is_exact_delta({e, 1}, some_epsilon(generator, e), truth));
  }
}

TEST(StructuredSubsampling, PoissonWindowsAreTheMirroredLadders) {
  Generator generator(54);
  for (int i = 0; i < kCases; ++i) {
    StructuredSubsampling e = small(generator);
    e.bottom_level = Bottom::poisson;
    e.top_level = Top::iterate;
    e.batch_size = 4;
    e.windows_per_series = generator.integer(1, 4);
    const std::int64_t windows = windows_of(e, e.length[0]);
    const Real rate = std::min<Real>(Real(1), Real(e.windows_per_series) / windows);
    const auto touched = static_cast<std::int64_t>(share_of(e) * windows + Real(0.5));
    const Normals up = ladder(touched, rate, 1 / Real(e.noise_multiplier));
    const Profile truth = [&](const Real& epsilon) { return oracle::mixture(up, mirrored(up), epsilon); };
    EXPECT_TRUE(is_exact_epsilon({e, 1}, generator.log_uniform(1e-20, 1e-2), truth));
    EXPECT_TRUE(is_exact_delta({e, 1}, some_epsilon(generator, e), truth));
  }
}

TEST(StructuredSubsampling, PoissonWindowsOfSeveralLengthsAndBatchesAreTheWorstLengthThinned) {
  Generator generator(55);
  for (int i = 0; i < kCases; ++i) {
    StructuredSubsampling e = small(generator);
    e.bottom_level = Bottom::poisson;
    e.batch_size = 4;
    e.windows_per_series = generator.integer(1, 4);
    for (int k = 0; k < 2; ++k) e.length.push_back(e.length.back() + generator.integer(1, 6));
    const double epsilon = some_epsilon(generator, e);
    Real worst = 0;
    for (std::int64_t length : e.length) {
      const std::int64_t windows = windows_of(e, length), touched = touched_windows(e, length);
      const Normals up =
          ladder(touched, std::min<Real>(Real(1), Real(e.windows_per_series) / windows), 1 / Real(e.noise_multiplier));
      worst = std::max(worst, oracle::mixture(up, mirrored(up), Real(epsilon)));
    }
    EXPECT_TRUE(is_exact_delta({e, 1}, epsilon, [&](const Real&) { return batch_share(e) * worst; }));
  }
}

TEST(StructuredSubsampling, SeveralWindowsWithReplacementTakeTheBestOfThreeBounds) {
  Generator generator(56);
  for (int i = 0; i < kCases; ++i) {
    StructuredSubsampling e = small(generator);
    e.windows_per_series = generator.integer(2, 4);
    e.batch_size = e.windows_per_series * generator.integer(1, 3);
    e.top_level = generator.integer(0, 1) ? Top::iterate : Top::without_replacement;
    const Real share = share_of(e), sigma = e.noise_multiplier;
    const std::int64_t windows = e.windows_per_series;
    const Normals up = ladder(windows, share, 2 / sigma);
    const double epsilon = some_epsilon(generator, e);
    const Real first = oracle::mixture(up, mirrored(up), Real(epsilon));
    const Real any = 1 - pow(1 - share, static_cast<int>(windows));
    Real second = 0;
    for (std::int64_t k = 1; k <= windows; ++k)
      second += oracle::binomial_weight(windows, k, share) *
                oracle::gaussian(2 * k / sigma, log1p(expm1(Real(epsilon)) / any));
    // Of a series that is drawn with probability ρ: both thinned, or all its windows as one event of probability ρ any.
    const Real rho = batch_share(e);
    Real least = rho * std::min(first, second);
    if (rho < 1)
      least = std::min<Real>(
          least, rho * any * oracle::gaussian(2 * windows / sigma, log1p(expm1(Real(epsilon)) / (rho * any))));
    const auto price = delta_at({e, 1}, *Epsilon::make(epsilon));
    ASSERT_TRUE(price) << price.error().text();
    EXPECT_LE(price->delta, least * (1 + Real(1e-9))) << to_text({e, 1});
    // What real neighbours show, in either direction: all gradients are 0 but those of windows that the unit touches.
    Normals shown = up;
    for (Real& weight : shown.weights) weight *= rho;
    shown.weights.front() += 1 - rho;
    EXPECT_GE(price->delta, oracle::mixture(shown, {{0}, {1}}, Real(epsilon)) * (1 - Real(1e-12))) << to_text({e, 1});
    // Convex in e^ε, so no lower than the lowest chord of any bound nearby.
    EXPECT_GE(price->delta, least * Real(0.5));
    EXPECT_EQ(price->certificate, Certificate::upper_bound);
  }
}

// Windows of two days and one to come, of 300 series.
StructuredSubsampling hourly(std::int64_t length, std::int64_t batch_size) {
  StructuredSubsampling e{};
  e.series = 300;
  e.length = {length};
  e.context_length = 48;
  e.forecast_length = 24;
  e.batch_size = batch_size;
  return e;
}

// What the sets {X > x} alone show of a pair of mixtures at δ, an ε that no price may be below.
double shown_by_tails(const Normals& p, const Normals& q, double delta) {
  const auto tail = [](const Normals& mixture, long double x) {
    long double sum = 0;
    for (std::size_t k = 0; k < mixture.means.size(); ++k)
      sum += static_cast<long double>(mixture.weights[k]) *
             std::erfc((x - static_cast<long double>(mixture.means[k])) / std::sqrt(2.0L)) / 2;
    return sum;
  };
  long double most = 0;
  for (std::size_t k = 0; k < p.means.size(); ++k) {
    if (p.weights[k] < delta / 100) continue;
    const auto mean = static_cast<long double>(p.means[k]);
    for (long double x = mean - 6; x < mean + 6; x += 0.1L)
      if (const long double above = tail(p, x) - delta, other = tail(q, x); above > 0 && other > 1e-4900L)
        most = std::max(most, std::log(above) - std::log(other));
  }
  return static_cast<double>(most);
}

// With little noise the means of a ladder lie far apart, and the loss between them is flat.
TEST(StructuredSubsampling, LittleNoiseCostsMoreThanMuchAndNoLessThanItShows) {
  for (const Bottom bottom : {Bottom::poisson, Bottom::with_replacement})
    for (const std::int64_t windows : {1, 16})
      for (const std::int64_t length : {300, 2000}) {
        StructuredSubsampling e = hourly(length, 64);
        e.windows_per_series = windows;
        e.top_level = Top::iterate;
        e.bottom_level = bottom;
        double before = 0;
        for (double sigma = 8; sigma > 0.004; sigma *= in_torture() ? 0.6 : 0.36) {
          e.noise_multiplier = sigma;
          const auto price = epsilon_at({e, 1}, *Delta::make(1e-5));
          ASSERT_TRUE(price) << price.error().text();
          EXPECT_GE(price->epsilon, before) << to_text({e, 1});
          before = price->epsilon;
          const Real rate = std::min<Real>(Real(1), Real(windows) / windows_of(e, length));
          const std::int64_t touched = touched_windows(e, length);
          const Normals up = bottom == Bottom::poisson ? ladder(touched, rate, 1 / Real(sigma))
                                                       : ladder(windows, share_of(e), 2 / Real(sigma));
          const Normals other = bottom == Bottom::poisson ? mirrored(up) : Normals{{0}, {1}};
          if (sigma < 0.02) continue;  // beyond it no tail of Q is left in a long double
          EXPECT_GE(price->epsilon, shown_by_tails(up, other, 1e-5) * (1 - 1e-9)) << to_text({e, 1});
        }
      }
}

TEST(StructuredSubsampling, LittleNoiseCostsMoreThanMuchInCompositionsToo) {
  for (const std::int64_t windows : {1, 4}) {
    StructuredSubsampling e = hourly(2000, 32);
    e.windows_per_series = windows;
    e.bottom_level = windows == 1 ? Bottom::poisson : Bottom::with_replacement;
    double before = 0;
    for (const double sigma : {1.0, 0.5, 0.3, 0.2, 0.15, 0.12, 0.1}) {
      e.noise_multiplier = sigma;
      const auto price = epsilon_at({e, 2}, *Delta::make(1e-5), {.tolerance = 0.05});
      ASSERT_TRUE(price) << price.error().text();
      EXPECT_GE(price->epsilon, before * 0.9) << to_text({e, 2});
      before = std::max(before, price->epsilon);
    }
  }
}

// ε beyond the range of e^ε: P against Q with a tenth of the mass 10^6 standard deviations away.
TEST(StructuredSubsampling, PricesGoOnWhereTheExponentialEnds) {
  StructuredSubsampling e = hourly(200, 30);
  for (const Bottom bottom : {Bottom::with_replacement, Bottom::poisson}) {
    e.bottom_level = bottom;
    for (const double sigma : {1e-2, 1e-3, 1e-6}) {
      e.noise_multiplier = sigma;
      const auto price = epsilon_at({e, 1}, *Delta::make(1e-7));
      ASSERT_TRUE(price) << price.error().text();
      EXPECT_GE(price->epsilon, 0.9 * 2 / (sigma * sigma)) << to_text({e, 1});  // (2/σ)²/2 and more
    }
  }
}

TEST(StructuredSubsampling, AugmentationThinsTheMixture) {
  Generator generator(57);
  for (int i = 0; i < kCases; ++i) {
    StructuredSubsampling e = small(generator);
    e.context_noise = generator.log_uniform(0.3, 10);
    e.label_noise = generator.log_uniform(0.3, 10);
    const Real share = Real(augmented_share(e)) * batch_share(e);  // itself tested against every placement
    const Normals p{{0, 2 / Real(e.noise_multiplier)}, {1 - share, share}}, q{{0}, {1}};
    const double epsilon = some_epsilon(generator, e);
    EXPECT_TRUE(is_exact_delta({e, 1}, epsilon, [&](const Real& at) { return oracle::mixture(p, q, at); }));
    StructuredSubsampling plain = e;
    plain.context_noise = plain.label_noise = 0;
    EXPECT_LE(delta_at({e, 1}, *Epsilon::make(epsilon))->delta,
              delta_at({plain, 1}, *Epsilon::make(epsilon))->delta * (1 + 1e-9));
  }
}

TEST(StructuredSubsampling, EveryWindowTouchedAndEverySeriesDrawnIsTheGaussian) {
  StructuredSubsampling e{};
  e.series = 1;
  e.length = {5};
  e.context_length = 5;
  e.forecast_length = 1;
  e.batch_size = 1;
  e.noise_multiplier = 3;
  e.top_level = Top::iterate;
  EXPECT_TRUE(is_exact_epsilon({e, 1}, 1e-9, [](const Real& at) { return oracle::gaussian(Real(2) / 3, at); }));
}

// N = 20, Λ = 20, λ = 2: half of the series in a batch, every window touched. R G_{α'}(2λ/σ) with R = ½ is the least of
// the bounds, and lists of their values agree with it.
TEST(StructuredSubsampling, SeveralWindowsOfADrawnSeriesAreOneEvent) {
  StructuredSubsampling e{};
  e.series = 20;
  e.length = {40};
  e.context_length = 30;
  e.forecast_length = 10;
  e.batch_size = 20;
  e.windows_per_series = 2;
  e.noise_multiplier = 1;
  for (const auto& [epsilon, shown] : {std::pair{1.0, 0.4545}, {5.0, 0.3132}}) {
    const auto price = delta_at({e, 1}, *Epsilon::make(epsilon));
    ASSERT_TRUE(price) << price.error().text();
    const Real inner = log(1 + (exp(Real(epsilon)) - 1) * 2);
    const Real truth = oracle::gaussian(Real(4), inner) / 2;
    EXPECT_NEAR(price->delta, static_cast<double>(truth), 1e-9);
    EXPECT_NEAR(price->delta, shown, 5e-5);
  }
  const auto many = epsilon_at({e, 10}, *Delta::make(1e-6));
  EXPECT_TRUE(many) << many.error().text();
}

}  // namespace
}  // namespace chronoveil::accounting
