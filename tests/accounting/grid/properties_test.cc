// What must hold whatever the numbers are: prices move with their parameters, do not depend on how an event is
// written, and never beat what they are made of.
#include <algorithm>
#include <cmath>
#include <vector>

#include "accounting/bracketing.h"
#include "accounting/generated.h"
#include "accounting/samples.h"

namespace chronoveil::accounting {
namespace {

// For samples with different neighbours: what they cost for each other's neighbours is tested elsewhere.
const Options kAsGiven{.fitted = true};

double price_of(const Event& event, double delta = 1e-6) {
  const auto price = epsilon_at(event, *Delta::make(delta), kAsGiven);
  EXPECT_TRUE(price) << to_text(event) << ": " << price.error().text();
  return price ? price->epsilon : -1;
}

// The second costs at least the first, up to the tolerance of both.
void expect_no_less(const Event& cheaper, const Event& dearer, double delta = 1e-6) {
  const double room = cheaper.count > 1 || dearer.count > 1 ? 1e-3 : 1e-9;
  EXPECT_LE(price_of(cheaper, delta), price_of(dearer, delta) * (1 + room) + 1e-6)
      << to_text(cheaper) << " against " << to_text(dearer);
}

TEST(Properties, MoreNoiseCostsLessForEveryEvent) {
  for (const Event& sample : sample_events())
    for (std::int64_t count : {1, 30}) {
      Event event = opened(sample);
      event.count = count;
      const bool inverse = noise_names(sample).front() == "epsilon";
      for (double noise = 0.7; noise < 12; noise *= 2)
        expect_no_less(with_noise(event, inverse ? 0.1 / (2 * noise) : 2 * noise),
                       with_noise(event, inverse ? 0.1 / noise : noise));
    }
}

TEST(Properties, MoreUsesAndSmallerDeltasCostMoreForEveryEvent) {
  for (const Event& sample : sample_events()) {
    Event event = sample;
    for (std::int64_t count : {1, 9, 1000}) {
      Event more = event;
      more.count = count + 1;
      event.count = count;
      expect_no_less(event, more, 1e-5);
    }
    event.count = 20;
    double before = 0;
    for (double delta = 1e-1; delta > 0.5e-30; delta *= 1e-4) {
      const double now = price_of(event, delta);
      EXPECT_GE(now, before * (1 - 1e-3)) << to_text(event) << " at " << delta;
      before = now;
    }
  }
}

TEST(Properties, TimeSubsamplingCostsMoreWithParticipationAndRateAndLessWithAFilter) {
  for (const bool filtered : {false, true}) {
    TimeSubsampling e{4, 0.05, 3, 60, {}};
    if (filtered) e.filter_width = 2.0;
    for (std::int64_t count : {1, 12}) {
      for (std::int64_t more : {5, 9, 30, 60}) {
        TimeSubsampling bigger = e;
        bigger.participation = more;
        expect_no_less({e, count}, {bigger, count});
      }
      for (double rate : {0.06, 0.3, 1.0}) {
        TimeSubsampling oftener = e;
        oftener.rate = rate;
        expect_no_less({e, count}, {oftener, count});
      }
    }
  }
  EXPECT_LT(price_of({TimeSubsampling{20, 0.1, 5, 100, 10.0}, 1}), price_of({TimeSubsampling{20, 0.1, 5, 100, {}}, 1}));
}

TEST(Properties, StructuredSubsamplingCostsMoreWithEverythingThatIsTouchedMore) {
  using Top = StructuredSubsampling::Top;
  using Bottom = StructuredSubsampling::Bottom;
  for (Top top : {Top::iterate, Top::without_replacement})
    for (Bottom bottom : {Bottom::with_replacement, Bottom::poisson})
      for (std::int64_t windows : {1, 3}) {
        StructuredSubsampling e = sample_structured();
        e.top_level = top;
        e.bottom_level = bottom;
        e.windows_per_series = windows;
        e.batch_size = 6;
        auto dearer = [&](auto change) {
          StructuredSubsampling changed = e;
          change(changed);
          expect_no_less({e, 1}, {changed, 1});
          expect_no_less({e, 15}, {changed, 15});
        };
        dearer([](auto& c) { c.width = 4; });
        dearer([](auto& c) { c.unit = Unit::user; });
        dearer([](auto& c) { c.context_length += 3; });
        dearer([](auto& c) { c.batch_size = 30; });
        // A shorter series beside the others decides.
        dearer([](auto& c) { c.length.insert(c.length.begin(), 30); });
        if (top == Top::without_replacement) dearer([](auto& c) { c.series = 41; });
      }
  StructuredSubsampling plain = sample_structured(), blurred = plain, more = plain;
  blurred.context_noise = blurred.label_noise = 2;
  more.context_noise = more.label_noise = 5;
  expect_no_less({blurred, 1}, {plain, 1});
  expect_no_less({more, 1}, {blurred, 1});
}

TEST(Properties, TwoChangesCostAtLeastOneAndNoMoreThanTheGroupBound) {
  // k neighbours in a row are (kε, δ Σ e^{iε})-close [DworkRoth14].
  for (double scale : {1.0, 4.0, 30.0}) {
    for (const bool normal : {true, false}) {
      const Event one = normal ? Event{DiscreteGaussian{scale, 1}, 1} : Event{DiscreteLaplace{scale, 1}, 1};
      const Event two = normal ? Event{DiscreteGaussian{scale, 2}, 1} : Event{DiscreteLaplace{scale, 2}, 1};
      const double epsilon = price_of(one);
      EXPECT_LE(epsilon, price_of(two));
      const auto grouped = delta_at(two, *Epsilon::make(2 * epsilon));
      ASSERT_TRUE(grouped);
      EXPECT_LE(grouped->delta, 1e-6 * (1 + std::exp(epsilon)) * (1 + 1e-9));
    }
  }
}

TEST(Properties, ACountEqualsAsManyExplicitEvents) {
  for (const Event& sample : sample_events()) {
    Event counted = sample;
    counted.count = 12;
    const Event listed{Compose{std::vector<Event>(12, sample)}, 1};
    const Event mixed{Compose{{{sample.kind, 4}, {Compose{{{sample.kind, 2}}}, 4}}}, 1};
    EXPECT_EQ(price_of(counted), price_of(listed)) << to_text(counted);
    EXPECT_EQ(price_of(counted), price_of(mixed)) << to_text(counted);
  }
}

TEST(Properties, OrderAndNestingDoNotMatter) {
  std::vector<Event> events = sample_events();
  Event forward{Compose{events}, 2};
  std::reverse(events.begin(), events.end());
  Event backward{Compose{{{Compose{events}, 1}, {Compose{events}, 1}}}, 1};
  const Delta delta = *Delta::make(1e-5);
  const auto one = epsilon_at(forward, delta, kAsGiven), other = epsilon_at(backward, delta, kAsGiven);
  ASSERT_TRUE(one) << one.error().text();
  ASSERT_TRUE(other) << other.error().text();
  EXPECT_EQ(one->epsilon, other->epsilon);
  EXPECT_EQ(one->epsilon_lower, other->epsilon_lower);
  EXPECT_TRUE(gap_is_allowed(*one));
}

TEST(Properties, ACompositionCostsAtLeastEachPartAndAtMostTheirSum) {
  const auto events = sample_events();
  for (std::size_t i = 0; i + 1 < events.size(); i += 2) {
    const Event both{Compose{{events[i], events[i + 1]}}, 1};
    const double together = price_of(both, 2e-6);
    EXPECT_LE(together, (price_of(events[i]) + price_of(events[i + 1])) * (1 + 1e-3)) << to_text(both);
    EXPECT_GE(together * (1 + 1e-3), price_of(events[i], 2e-6)) << to_text(both);
    EXPECT_GE(together * (1 + 1e-3), price_of(events[i + 1], 2e-6)) << to_text(both);
  }
}

TEST(Properties, EpsilonAtDeltaAndDeltaAtEpsilonAreInverse) {
  for (const Event& sample : sample_events())
    for (std::int64_t count : {1, 25}) {
      const Event event{sample.kind, count};
      const auto forward = epsilon_at(event, *Delta::make(1e-7));
      ASSERT_TRUE(forward);
      if (!std::isfinite(forward->epsilon)) continue;
      const auto back = delta_at(event, *Epsilon::make(forward->epsilon));
      ASSERT_TRUE(back) << to_text(event) << back.error().text();
      // Another grid may serve the way back: the bounds overlap.
      EXPECT_LE(back->delta_lower, 1e-7 * (1 + 1e-9)) << to_text(event);
    }
}

}  // namespace
}  // namespace chronoveil::accounting
