// The filter and the controller of FAST against the formulas, written out in long double over the whole past.
#include "chronoveil/post/causal/fast_control.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <limits>
#include <random>

namespace chronoveil::post {
namespace {

using Real = long double;

struct Measurement {
  std::int64_t step;
  double value;
};

// −2 log of the density of all measurements after the first, under a walk with steps of variance q R.
Real unlikeliness(const std::vector<Measurement>& past, Real noise, Real q) {
  Real mean = past[0].value, variance = noise, sum = 0;
  for (std::size_t i = 1; i < past.size(); ++i) {
    variance += static_cast<Real>(past[i].step - past[i - 1].step) * q * noise;
    const Real spread = variance + noise, apart = past[i].value - mean;
    sum += std::log(spread) + apart * apart / spread;
    mean += variance / spread * apart;
    variance = variance * noise / spread;
  }
  return sum;
}

Real likeliest(const std::vector<Measurement>& past, Real noise) {
  if (past.size() < 2) return 0;
  Real best = 0, least = unlikeliness(past, noise, 0);
  for (int k = -12; k <= 12; ++k) {
    const Real q = std::pow(Real{4}, k), here = unlikeliness(past, noise, q);
    if (here < least) {
      least = here;
      best = q;
    }
  }
  return best * noise;
}

// The formula of intervals.h, sums over the differences one by one.
Real plausible(const std::vector<Measurement>& past, Real noise) {
  if (past.size() < 2) return std::numeric_limits<Real>::infinity();
  Real squares = 0, spread = 4 * noise * noise * static_cast<Real>(past.size() - 2), expected = 0;
  const Real pairs = static_cast<Real>(past.size() - 1), span = static_cast<Real>(past.back().step - past.front().step);
  for (std::size_t i = 1; i < past.size(); ++i) squares += std::pow(Real{past[i].value} - past[i - 1].value, 2);
  const Real estimate = std::max<Real>(0, (squares - 2 * noise * pairs) / span);
  for (std::size_t i = 1; i < past.size(); ++i) {
    const Real one = 2 * noise + estimate * static_cast<Real>(past[i].step - past[i - 1].step);
    spread += 2 * one * one;
    expected += one;
  }
  const Real freedom = 2 * expected * expected / spread;
  const Real low = boost::math::quantile(boost::math::chi_squared_distribution<Real>(freedom), Real{0.16});
  return std::max<Real>(0, (squares * freedom / low - 2 * noise * pairs) / span);
}

void expect_close(double ours, Real truth, double scale) {
  EXPECT_NEAR(ours, static_cast<double>(truth), 1e-9 * scale);
}

void follow(double noise_variance, std::optional<double> fixed, double asked, double drift, std::uint64_t seed,
            std::optional<double> assumed = std::nullopt) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  ScalarFilter filter(noise_variance, fixed, assumed);
  const Real r = assumed.value_or(noise_variance);
  std::vector<Measurement> past;
  Real x = 0, p = 0, v = 0, q = fixed.value_or(0);
  double truth = 500;
  for (std::int64_t k = 0; k < 300; ++k) {
    truth += drift * normal(random);
    filter.predict();
    if (!past.empty()) p += q;
    if (uniform(random) < asked) {
      const double z = truth + std::sqrt(noise_variance) * normal(random);
      filter.correct(z);
      const std::int64_t last = past.empty() ? 0 : past.back().step;
      past.push_back({k, z});
      if (past.size() == 1) {
        x = z;
        p = r;
        v = noise_variance;
      } else {
        const Real gain = p / (p + r);
        x += gain * (z - x);
        p = (1 - gain) * p;
        v = (1 - gain) * (1 - gain) * (v + static_cast<Real>(k - last) * plausible(past, noise_variance)) +
            gain * gain * noise_variance;
        if (!fixed) q = likeliest(past, r);
      }
    }
    if (past.empty()) {
      EXPECT_EQ(filter.estimate(), 0);
      EXPECT_TRUE(std::isinf(filter.variance()));
      EXPECT_TRUE(std::isinf(filter.error_variance()));
      EXPECT_FALSE(filter.started());
      continue;
    }
    EXPECT_TRUE(filter.started());
    expect_close(filter.process_variance(), q, static_cast<double>(q));
    expect_close(filter.estimate(), x, 1000);
    expect_close(filter.variance(), p, static_cast<double>(p));
    const std::int64_t gap = k - past.back().step;
    if (gap > 0 && past.size() < 2)
      EXPECT_TRUE(std::isinf(filter.error_variance()));
    else
      expect_close(filter.error_variance(), gap == 0 ? v : v + static_cast<Real>(gap) * plausible(past, noise_variance),
                   static_cast<double>(v) + noise_variance);
  }
}

TEST(ScalarFilter, WithAFixedProcessVarianceIsTheFormulas) {
  follow(100, 25, 1, 5, 1);
  follow(100, 0, 0.3, 5, 2);
  follow(0.5, 1e6, 0.1, 1, 3);
  follow(100, 25, 0.5, 5, 11, 10);
}

TEST(ScalarFilter, ThatEstimatesItsProcessVarianceIsTheFormulas) {
  follow(100, std::nullopt, 1, 5, 4);
  follow(100, std::nullopt, 0.3, 0, 5);
  follow(1, std::nullopt, 0.1, 100, 6);
  follow(100, std::nullopt, 0.5, 5, 12, 1e6);
}

TEST(ScalarFilter, TheFirstMeasurementIsTheEstimate) {
  ScalarFilter filter(9, 4);
  filter.predict();
  filter.correct(-3);
  EXPECT_EQ(filter.estimate(), -3);
  EXPECT_EQ(filter.variance(), 9);
  EXPECT_EQ(filter.error_variance(), 9);
}

TEST(ScalarFilter, BeforeTwoMeasurementsTheProcessVarianceIsZero) {
  ScalarFilter filter(9, std::nullopt);
  EXPECT_EQ(filter.process_variance(), 0);
  filter.correct(1);
  EXPECT_EQ(filter.process_variance(), 0);
  filter.predict();
  filter.correct(1e6);
  EXPECT_EQ(filter.process_variance(), 9 * std::pow(4, 12));
}

TEST(ScalarFilter, EqualMeasurementsMoveNotAtAll) {
  ScalarFilter filter(9, std::nullopt);
  for (int k = 0; k < 50; ++k) {
    filter.predict();
    filter.correct(7);
  }
  EXPECT_EQ(filter.process_variance(), 0);
  EXPECT_NEAR(filter.variance(), 9.0 / 50, 1e-12);
}

// A frozen filter on a series that moves: P says that all is well, the error variance does not.
TEST(ScalarFilter, TheErrorVarianceIsHonestWhereTheProcessVarianceIsNot) {
  constexpr int kTrials = 1000;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  int inside = 0, claimed = 0;
  for (int i = 0; i < kTrials; ++i) {
    ScalarFilter filter(1, 1e-6);
    double truth = 0;
    for (int k = 0; k < 60; ++k) {
      truth += normal(random);
      filter.predict();
      filter.correct(truth + normal(random));
    }
    const double error = std::abs(filter.estimate() - truth);
    inside += error <= 1.96 * std::sqrt(filter.error_variance());
    claimed += error <= 1.96 * std::sqrt(filter.variance());
  }
  // If 95 of 100 were inside, fewer than 90 of 100 would be with probability below 1e-9 (seven deviations).
  EXPECT_GE(inside, 0.9 * kTrials);
  EXPECT_LT(claimed, 0.9 * kTrials);
}

TEST(ScalarFilter, ALoadedFilterContinuesBitByBit) {
  for (const std::optional<double> q : {std::optional<double>{}, std::optional<double>{3}})
    for (const int cut : {0, 1, 2, 40}) {
      std::mt19937_64 random(8);
      std::normal_distribution<double> normal;
      ScalarFilter first(4, q), second(4, q);
      const auto step = [&](ScalarFilter& filter, int k, double z) {
        filter.predict();
        if (k % 3 != 1) filter.correct(z);
      };
      for (int k = 0; k < cut; ++k) step(first, k, normal(random));
      StateWriter writer;
      first.save(writer);
      const std::vector<std::uint64_t> words = std::move(writer).take();
      StateReader reader(words);
      second.correct(99);  // what it was before must not matter
      second.load(reader);
      EXPECT_TRUE(reader.complete());
      for (int k = cut; k < cut + 40; ++k) {
        const double z = 3 * normal(random);
        step(first, k, z);
        step(second, k, z);
        EXPECT_EQ(first.started(), second.started());
        EXPECT_EQ(first.estimate(), second.estimate());
        EXPECT_EQ(first.variance(), second.variance());
        EXPECT_EQ(first.error_variance(), second.error_variance());
      }
    }
}

// The whole history, looked up anew at every query.
class DirectController {
 public:
  explicit DirectController(const PidSettings& settings) : settings_(settings), s_(settings.shortest) {}

  std::int64_t next(std::int64_t k, std::optional<double> error) {
    if (error) history_.push_back({k, *error});
    if (k < settings_.window - 1) return k + 1;
    if (error) {
      const std::size_t n = history_.size(), last = std::min(n, static_cast<std::size_t>(settings_.window));
      Real sum = 0;
      for (std::size_t i = n - last; i < n; ++i) sum += history_[i].value;
      Real delta = Real{settings_.proportional} * *error + Real{settings_.integral} * sum / static_cast<Real>(last);
      if (n > 1)
        delta += Real{settings_.derivative} * (Real{*error} - history_[n - 2].value) /
                 static_cast<Real>(k - history_[n - 2].step);
      const Real changed = s_ + Real{settings_.theta} * (1 - std::exp((delta - settings_.xi) / settings_.xi));
      s_ = std::max(Real{settings_.shortest}, changed);
    }
    return k + static_cast<std::int64_t>(std::floor(s_ + Real{0.5}));
  }
  Real interval() const { return s_; }

 private:
  PidSettings settings_;
  Real s_;
  std::vector<Measurement> history_;
};

TEST(PidController, IsTheFormulas) {
  std::mt19937_64 random(9);
  for (const PidSettings& settings : {PidSettings{}, PidSettings{.derivative = 0.3},
                                      PidSettings{.proportional = 0.2, .integral = 0.7, .derivative = -2, .window = 5},
                                      PidSettings{.window = 1, .theta = 1.5, .xi = 0.1, .shortest = 2.5},
                                      PidSettings{.window = 2, .theta = 20, .xi = 1}}) {
    PidController ours(settings);
    DirectController truth(settings);
    std::exponential_distribution<double> error(2);
    std::int64_t k = 0;
    bool slept = false, woke = false;
    for (int n = 0; n < 1000; ++n) {
      // A quiet stretch, then a burst: intervals grow, and are cut short.
      const double scale = n / 100 % 2 == 0 ? 0.1 : 3;
      const std::optional<double> e = n == 0 ? std::nullopt : std::optional(scale * error(random));
      const std::int64_t next = ours.next(k, e);
      ASSERT_EQ(next, truth.next(k, e)) << n;
      EXPECT_NEAR(ours.interval(), static_cast<double>(truth.interval()), 1e-9 * ours.interval());
      if (k < settings.window - 1) {
        EXPECT_EQ(next, k + 1);
      }
      slept |= next - k > 5;
      woke |= slept && ours.interval() == settings.shortest;
      k = next;
    }
    EXPECT_TRUE(slept && woke);
  }
}

TEST(PidController, WithoutAnErrorWaitsTheShortestInterval) {
  EXPECT_EQ(PidController({.window = 1, .shortest = 3.5}).next(0, std::nullopt), 4);
  EXPECT_EQ(PidController({.window = 3, .shortest = 3.5}).next(0, std::nullopt), 1);
  EXPECT_EQ(PidController({.window = 3, .shortest = 3.5}).next(5, std::nullopt), 9);
}

TEST(PidController, TheLastQueryOfTheWarmUpSetsTheInterval) {
  PidController control({.window = 3, .theta = 5, .xi = 0.4, .shortest = 1});
  EXPECT_EQ(control.next(0, std::nullopt), 1);
  EXPECT_EQ(control.next(1, 0), 2);
  EXPECT_EQ(control.interval(), 1);
  EXPECT_EQ(control.next(2, 0), 6);  // 1 + 5(1 − 1/e) = 4.16
  EXPECT_NEAR(control.interval(), 1 + 5 * (1 - std::exp(-1.0)), 1e-12);
}

TEST(PidController, AlwaysGoesForward) {
  PidController control({.window = 1, .shortest = 0.1});
  EXPECT_EQ(control.next(7, std::nullopt), 8);
  EXPECT_EQ(control.next(8, 100), 9);
}

TEST(PidController, EnormousErrorsAndIntervalsStayInRange) {
  PidController control({.window = 1, .theta = 1e300});
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(control.next(0, std::nullopt), 1);
  EXPECT_EQ(control.next(1, 0), 1 + (std::int64_t{1} << 62));
  EXPECT_EQ(control.next(kEnd - 5, 0), kEnd);
  EXPECT_EQ(control.next(kEnd - 4, 1e308), kEnd - 3);
  EXPECT_EQ(control.interval(), 1);
}

TEST(PidController, ALoadedControllerContinuesBitByBit) {
  for (const int cut : {0, 1, 3, 30}) {
    const PidSettings settings{.derivative = 0.2, .window = 4};
    std::mt19937_64 random(10);
    std::exponential_distribution<double> error(2);
    PidController first(settings), second(settings);
    std::int64_t k = 0;
    for (int n = 0; n < cut; ++n) k = first.next(k, n == 0 ? std::nullopt : std::optional(error(random)));
    StateWriter writer;
    first.save(writer);
    const std::vector<std::uint64_t> words = std::move(writer).take();
    StateReader reader(words);
    second.next(99, 5);  // what it was before must not matter
    second.load(reader);
    EXPECT_TRUE(reader.complete());
    for (int n = 0; n < 30; ++n) {
      const double e = error(random);
      const std::int64_t next = first.next(k, e);
      ASSERT_EQ(next, second.next(k, e));
      EXPECT_EQ(first.interval(), second.interval());
      k = next;
    }
  }
}

}  // namespace
}  // namespace chronoveil::post
