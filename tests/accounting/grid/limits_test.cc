// Whatever is asked, the answer comes, and is a price or an error that says why: never a crash, a hang, NaN, a
// negative number or an infinite ε without a reason. That each answer comes quickly is not timed here: a transform over
// 2^22 points is refused, so no request can take long.
#include <algorithm>
#include <cmath>
#include <utility>

#include "accounting/bracketing.h"
#include "accounting/generated.h"
#include "accounting/samples.h"

namespace chronoveil::accounting {
namespace {

void expect_sane(const Event& event, const Result<Price>& price) {
  if (!price) {
    EXPECT_TRUE(price.error().kind == ErrorKind::cannot_certify || price.error().kind == ErrorKind::usage)
        << to_text(event) << ": " << price.error().text();
    EXPECT_FALSE(price.error().text().empty());
    return;
  }
  for (double value : {price->epsilon, price->epsilon_lower, price->delta, price->delta_lower})
    EXPECT_GE(value, 0) << to_text(event);
  EXPECT_LE(price->epsilon_lower, price->epsilon) << to_text(event);
  EXPECT_LE(price->delta_lower, price->delta) << to_text(event);
  EXPECT_LE(price->delta, 1) << to_text(event);
  if (std::isinf(price->epsilon)) {
    EXPECT_FALSE(price->reason.empty()) << to_text(event);
  }
}

Event absurd_event(Generator& generator) {
  auto size = [&] { return generator.log_uniform(1e-3, 1e6); };
  auto whole = [&] { return generator.log_integer(1, generator.integer(0, 3) == 0 ? 4e18 : 1e4); };
  auto share = [&] { return generator.integer(0, 4) == 0 ? 1.0 : generator.log_uniform(1e-30, 1); };
  const std::int64_t count = generator.integer(0, 19) ? 1 : generator.integer(2, 50);
  switch (generator.integer(0, 10)) {
    case 0: return {Gaussian{size()}, count};
    case 1: return {Laplace{size()}, count};
    case 2: return {DiscreteGaussian{size(), whole()}, count};
    case 3: return {DiscreteLaplace{size(), whole()}, count};
    case 4: return {Exponential{size()}, count};
    case 5: return {Pure{size()}, count};
    case 6: return {Approximate{size(), share()}, count};
    case 7: return {RandomizedResponse{size(), whole() + 1}, count};
    case 8: {
      Mixture mixture{.p = {}, .q = {}, .noise_multiplier = size()};
      for (GaussianMixture* side : {&mixture.p, &mixture.q}) {
        const double weight = share();
        side->means = {size() - size(), size()};
        side->weights = {1 - weight, weight};
      }
      return {mixture, 1};
    }
    case 9: {
      const std::int64_t participation = std::min<std::int64_t>(whole(), 300);
      TimeSubsampling e{participation, share(), size(), {}, {}};
      if (generator.integer(0, 1)) {
        e.participation = std::min<std::int64_t>(participation, 100);
        e.length = e.participation + generator.integer(0, 50);
        e.filter_width = size();
      }
      return {e, 1};
    }
    default: {
      StructuredSubsampling e{};
      e.context_length = generator.integer(0, 50);
      e.forecast_length = generator.integer(1, 50);
      e.length = {e.forecast_length + generator.log_integer(1, 1e9)};
      e.windows_per_series = generator.log_integer(1, 30);
      e.batch_size = e.windows_per_series * generator.integer(1, 20);
      e.series = generator.log_integer(20, 1e9);
      e.noise_multiplier = size();
      e.width = generator.log_integer(1, 300);
      if (generator.integer(0, 1)) e.top_level = StructuredSubsampling::Top::iterate;
      if (generator.integer(0, 1)) e.bottom_level = StructuredSubsampling::Bottom::poisson;
      if (generator.integer(0, 1)) e.unit = Unit::user;
      return {e, 1};
    }
  }
}

TEST(Limits, AbsurdParametersNeverCrashHangOrReturnNonsense) {
  Generator generator(91);
  for (int i = 0; i < cases(600); ++i) {
    const Event event = absurd_event(generator);
    SCOPED_TRACE(to_text(event));
    const double delta = generator.integer(0, 5) == 0 ? 0 : generator.log_uniform(1e-300, 0.999);
    expect_sane(event, epsilon_at(event, *Delta::make(delta)));
    const double epsilon = generator.integer(0, 5) == 0 ? 0 : generator.log_uniform(1e-30, 1e30);
    expect_sane(event, delta_at(event, *Epsilon::make(epsilon)));
  }
}

TEST(Limits, HugeCountsAreAnsweredOrRefused) {
  for (const Event& sample : sample_events())
    for (std::int64_t count : {std::int64_t{1} << 40, std::int64_t{1} << 62, INT64_MAX}) {
      const Event event{sample.kind, count};
      expect_sane(event, epsilon_at(event, *Delta::make(1e-6)));
      expect_sane(event, delta_at(event, *Epsilon::make(1)));
    }
}

TEST(Limits, AnInfiniteEpsilonHasAReason) {
  for (const Event& event : {Event{Gaussian{1}, 1}, Event{DiscreteGaussian{3, 1}, 1}, Event{DiscreteGaussian{3, 1}, 9},
                             Event{TimeSubsampling{3, 0.1, 1, {}, {}}, 1}, Event{sample_structured(), 4}}) {
    const auto price = epsilon_at(event, *Delta::make(0));
    ASSERT_TRUE(price);
    EXPECT_TRUE(std::isinf(price->epsilon)) << to_text(event);
    EXPECT_FALSE(price->reason.empty());
  }
  for (std::int64_t count : {1, 5}) {
    const auto price = epsilon_at({Approximate{1, 1e-3}, count}, *Delta::make(1e-4));
    ASSERT_TRUE(price);
    EXPECT_TRUE(std::isinf(price->epsilon));
    EXPECT_NE(price->reason.find("infinite with probability"), std::string::npos) << price->reason;
  }
}

// A loss beyond the range of numbers has no bins to count, and one that is next to nothing has no width for them.
TEST(Limits, LossesBeyondTheRangeOfNumbersAreRefused) {
  for (const Kind& other : {Kind(Pure{0.1}), Kind(Exponential{1e-149}), Kind(Laplace{3})}) {
    const Event event{Compose{{{Gaussian{1.1e-150}, 1'000'000'000'000}, {other, 2}}}, 1};
    for (const auto& price : {epsilon_at(event, *Delta::make(1e-5)), delta_at(event, *Epsilon::make(1))}) {
      ASSERT_FALSE(price);
      EXPECT_EQ(price.error().kind, ErrorKind::cannot_certify) << price.error().text();
    }
  }
  for (const double tiny : {5e-324, 1e-322, 1e-320, 1e-310, 1e-300, 1e-200}) {
    const Event event{Pure{tiny}, 2};
    expect_sane(event, epsilon_at(event, *Delta::make(1e-9)));
    expect_sane(event, delta_at(event, *Epsilon::make(tiny)));
  }
}

// The grid of the engine may end a little above the sum of all losses, its price does not.
TEST(Limits, BoundedLossesCostNoMoreThanTheirSum) {
  for (const Event& event : {Event{Exponential{21.74544418854006}, 2}, Event{Laplace{0.3}, 7}, Event{Pure{0.1}, 3},
                             Event{Compose{{{DiscreteLaplace{3, 2}, 5}, {Exponential{0.7}, 2}}}, 1}}) {
    const auto sum = epsilon_at(event, *Delta::make(0));
    ASSERT_TRUE(sum);
    for (const double delta : {5e-110, 1e-60, 1e-20}) {
      const auto price = epsilon_at(event, *Delta::make(delta));
      ASSERT_TRUE(price) << price.error().text();
      EXPECT_LE(price->epsilon, sum->epsilon) << to_text(event) << " at delta " << delta;
      EXPECT_LE(price->epsilon_lower, price->epsilon);
    }
  }
}

TEST(Limits, PureMechanismsHaveAFiniteEpsilonAtDeltaZero) {
  for (const auto& [event, epsilon] :
       std::initializer_list<std::pair<Event, double>>{{{Laplace{4}, 6}, 1.5},
                                                       {{DiscreteLaplace{8, 2}, 3}, 0.75},
                                                       {{Exponential{0.2}, 5}, 1},
                                                       {{Pure{0.5}, 4}, 2},
                                                       {{RandomizedResponse{0.25, 9}, 2}, 0.5}}) {
    const auto price = epsilon_at(event, *Delta::make(0));
    ASSERT_TRUE(price);
    EXPECT_GE(price->epsilon, epsilon);
    EXPECT_NEAR(price->epsilon, epsilon, 1e-13) << to_text(event);
  }
}

TEST(Limits, MeansFarFromZeroChangeNothing) {
  for (double shift : {1e3, 1e15, 1e17, 1e100}) {
    const Event far{Mixture{{{shift}, {1}}, {{shift}, {1}}, 1}, 3};
    const auto price = epsilon_at(far, *Delta::make(1e-6));
    expect_sane(far, price);
    if (price) {
      EXPECT_LE(price->epsilon, 1e-6) << shift;
    }
  }
}

TEST(Limits, ARequestOverTwoToThe22PointsIsRefused) {
  // Rare and huge losses beside small ones: a range that no grid of that size resolves.
  const Event event{TimeSubsampling{300, 8.9e-4, 0.0334, {}, {}}, 146};
  const auto price = epsilon_at(event, *Delta::make(1e-6));
  ASSERT_FALSE(price);
  EXPECT_EQ(price.error().kind, ErrorKind::cannot_certify);
  EXPECT_NE(price.error().text().find("2^22"), std::string::npos) << price.error().text();
  // Bins enough for one term each, but hundreds of terms in every bin.
  const auto dear = delta_at({TimeSubsampling{1532, 0.037, 0.125, {}, {}}, 100}, *Epsilon::make(1));
  ASSERT_FALSE(dear);
  EXPECT_EQ(dear.error().kind, ErrorKind::cannot_certify) << dear.error().text();
  EXPECT_NE(dear.error().text().find("2^24 terms"), std::string::npos) << dear.error().text();
  // Many Poisson batches with little noise: hundreds of means in a step of the windows drawn from one series.
  StructuredSubsampling batches{};
  batches.series = 100;
  batches.length = {1000};
  batches.context_length = 10;
  batches.forecast_length = 5;
  batches.batch_size = 10;
  batches.noise_multiplier = 0.23;
  batches.bottom_level = StructuredSubsampling::Bottom::poisson;
  const auto little = epsilon_at({batches, 1'000'000}, *Delta::make(1e-6));
  ASSERT_FALSE(little);
  EXPECT_NE(little.error().text().find("2^24 terms"), std::string::npos) << little.error().text();
  const auto many = epsilon_at({Pure{1}, std::int64_t{1} << 60}, *Delta::make(1e-6));
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().kind, ErrorKind::cannot_certify) << many.error().text();
  for (double tolerance : {0.0, -1.0, 2.0, std::nan("")}) {
    Options wrong;
    wrong.tolerance = tolerance;
    const auto refused = epsilon_at({Pure{1}, 2}, *Delta::make(1e-6), wrong);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().text().find("tolerance"), std::string::npos);
  }
}

// However large the losses: what has no room on a grid is refused, and never comes out cheap.
TEST(Limits, SeveralUsesWithHardlyAnyNoiseAreRefusedOrCostMoreThanOne) {
  int refused = 0, priced = 0;
  for (double noise = 0.1; noise > 1e-140; noise *= 1e-3) {
    for (const Kind& kind :
         {Kind(Laplace{noise}), Kind(Gaussian{noise}), Kind(Pure{1 / noise}), Kind(RandomizedResponse{1 / noise, 3})}) {
      const Event once{kind, 1}, thrice{kind, 3};
      if (!validate(once)) continue;
      for (const double delta : {1e-6, 0.5}) {
        const Result<Price> one = epsilon_at(once, Delta::make(delta).value());
        const Result<Price> three = epsilon_at(thrice, Delta::make(delta).value());
        if (!one || !three) {
          ++refused;
          continue;
        }
        ++priced;
        EXPECT_GE(three->epsilon, one->epsilon_lower) << name(once) << ' ' << noise << ' ' << delta;
      }
    }
  }
  EXPECT_GT(refused, 10);
  EXPECT_GT(priced, 10);
}

}  // namespace
}  // namespace chronoveil::accounting
