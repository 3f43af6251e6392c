// Random events of every kind over twelve orders of magnitude of every parameter. Each price is finite, or infinite for
// a reason, or refused; bounds are in order; prices move with count, ε, δ and noise as they must; and ε and δ agree.
// CHRONOVEIL_WIDE_EVENTS sets how many events: for a long run.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "accounting/bracketing.h"
#include "accounting/generated.h"
#include "chronoveil/accounting/moments.h"

namespace chronoveil::accounting {
namespace {

constexpr double kLeast = 1e-6, kMost = 1e6;

double size(Generator& generator) { return generator.log_uniform(kLeast, kMost); }
double share(Generator& generator) { return generator.integer(0, 4) == 0 ? 1.0 : generator.log_uniform(1e-12, 1); }
std::int64_t whole(Generator& generator) { return generator.log_integer(1, 1e12); }

Mixture wide_mixture(Generator& generator) {
  Mixture mixture{.p = {}, .q = {}, .noise_multiplier = size(generator)};
  for (GaussianMixture* side : {&mixture.p, &mixture.q}) {
    const double weight = share(generator);
    side->means = {size(generator) - size(generator), size(generator)};
    side->weights = {1 - weight, weight};
  }
  return mixture;
}

TimeSubsampling wide_time_subsampling(Generator& generator) {
  TimeSubsampling e{generator.log_integer(1, 1e4), share(generator), size(generator), {}, {}};
  if (generator.integer(0, 1) == 0) return e;
  e.participation = generator.log_integer(1, 1000);
  e.length = e.participation + generator.log_integer(1, 1000);
  e.filter_width = size(generator);
  return e;
}

StructuredSubsampling wide_structured_subsampling(Generator& generator) {
  StructuredSubsampling e{};
  e.context_length = generator.log_integer(1, 1e4) - 1;
  e.forecast_length = generator.log_integer(1, 1e4);
  e.length = {e.forecast_length + generator.log_integer(1, 1e12)};
  if (generator.integer(0, 2) == 0) e.length.push_back(2 * e.length[0]);
  e.windows_per_series = generator.log_integer(1, 20);
  e.batch_size = e.windows_per_series * generator.log_integer(1, 1000);
  e.series = e.batch_size + generator.log_integer(1, 1e12);
  e.noise_multiplier = size(generator);
  e.width = generator.log_integer(1, 1e4);
  if (generator.integer(0, 1)) e.top_level = StructuredSubsampling::Top::iterate;
  if (generator.integer(0, 1)) e.unit = Unit::user;
  if (generator.integer(0, 1)) {
    e.bottom_level = StructuredSubsampling::Bottom::poisson;
  } else if (generator.integer(0, 1)) {
    e.batch_size /= e.windows_per_series;
    e.windows_per_series = 1;
    e.context_noise = size(generator);
    e.label_noise = size(generator);
  }
  return e;
}

Kind wide_kind(Generator& generator) {
  auto positive = [&] { return size(generator); };
  switch (generator.integer(0, 12)) {
    case 0: return Gaussian{positive()};
    case 1: return Laplace{positive()};
    case 2: return DiscreteGaussian{positive(), whole(generator)};
    case 3: return DiscreteLaplace{positive(), whole(generator)};
    case 4: return Exponential{positive()};
    case 5: return Pure{positive()};
    case 6: return Approximate{positive(), share(generator)};
    case 7: return RandomizedResponse{positive(), whole(generator) + 1};
    case 8: return wide_mixture(generator);
    case 9: return wide_time_subsampling(generator);
    case 10: {
      const std::int64_t window = generator.integer(2, 8);
      return RanSwitch{window, generator.uniform(1.0 / static_cast<double>(window), 1)};
    }
    case 11: return NoisySort{generator.integer(2, 8), positive(), NoisySort::Law::laplace, {}};
    default: return wide_structured_subsampling(generator);
  }
}

// Only what is not NaN passes a comparison that asks for it.
void expect_sane(const Price& price) {
  EXPECT_TRUE(price.epsilon_lower >= 0 && price.epsilon_lower <= price.epsilon)
      << price.epsilon_lower << " .. " << price.epsilon;
  EXPECT_TRUE(price.delta_lower >= 0 && price.delta_lower <= price.delta && price.delta <= 1)
      << price.delta_lower << " .. " << price.delta;
  EXPECT_TRUE(std::isfinite(price.epsilon) || !price.reason.empty());
}

// Checks one event's prices against each other; those that are refused are left out.
class Wide {
 public:
  explicit Wide(Generator& generator) : generator_(generator) {}

  void check(const Event& event) {
    SCOPED_TRACE(to_text(event));
    const double delta = generator_.log_uniform(1e-12, 0.5), epsilon = generator_.log_uniform(1e-6, 1e6);
    const auto price = epsilon_of(event, delta);
    const auto shown = delta_of(event, epsilon);
    if (price) in_line_with(event, *price, delta);
    if (shown) {
      // δ falls with ε.
      if (const auto further = delta_of(event, epsilon * 1.5)) {
        EXPECT_LE(further->delta_lower, shown->delta);
      }
    }
    Event more = event;
    more.count = event.count + std::max<std::int64_t>(1, event.count / 3);
    if (const auto dearer = epsilon_of(more, delta); price && dearer) {
      EXPECT_LE(price->epsilon_lower, dearer->epsilon);
    }
    if (const auto dearer = delta_of(more, epsilon); shown && dearer) {
      EXPECT_LE(shown->delta_lower, dearer->delta);
    }
    if (const auto noisier = with_more_noise(event)) {
      if (const auto cheaper = epsilon_of(*noisier, delta); price && cheaper) {
        EXPECT_LE(cheaper->epsilon_lower, price->epsilon) << to_text(*noisier);
      }
    }
    if (const auto cost = renyi_cost(event, renyi_orders())) {
      for (const double at : cost->epsilon) EXPECT_GE(at, 0);
      EXPECT_GE(cost->delta, 0);
      if (price && delta > 2 * cost->delta) {
        EXPECT_GE(epsilon_from_renyi(renyi_orders(), cost->epsilon, *Delta::make(delta - cost->delta)),
                  price->epsilon_lower * (1 - 1e-9));
      }
    }
  }

  int priced = 0, refused = 0;

 private:
  // δ at the ε found is no more than asked for, and more below it.
  void in_line_with(const Event& event, const Price& price, double delta) {
    if (!std::isfinite(price.epsilon)) return;
    if (const auto back = delta_of(event, price.epsilon)) {
      EXPECT_LE(back->delta_lower, delta);
    }
    if (price.epsilon_lower > 0) {
      if (const auto back = delta_of(event, price.epsilon_lower)) {
        EXPECT_GE(back->delta, delta * (1 - 1e-9));
      }
    }
  }

  static std::optional<Event> with_more_noise(const Event& event) {
    const auto names = noise_names(event);
    if (names.size() != 1 || names[0] == "stay" || names[0] == "threshold") return {};
    const Event open = opened(event);
    double noise = 0;
    std::visit(
        [&](const auto& e) {
          if constexpr (requires { e.noise_multiplier; })
            noise = 2 * e.noise_multiplier;
          else if constexpr (requires { e.scale; })
            noise = 2 * e.scale;
          else if constexpr (requires { e.epsilon; })
            noise = e.epsilon / 2;
        },
        event.kind);
    return with_noise(open, noise);
  }

  std::optional<Price> epsilon_of(const Event& event, double delta) {
    return kept(epsilon_at(event, *Delta::make(delta)));
  }
  std::optional<Price> delta_of(const Event& event, double epsilon) {
    return kept(delta_at(event, *Epsilon::make(epsilon)));
  }
  std::optional<Price> kept(const Result<Price>& price) {
    ++(price ? priced : refused);
    if (!price) {
      EXPECT_EQ(price.error().kind, ErrorKind::cannot_certify) << price.error().message;
      return {};
    }
    expect_sane(*price);
    return *price;
  }

  Generator& generator_;
};

TEST(WideEvents, ArePricedInLineOrRefused) {
  const char* const wanted = std::getenv("CHRONOVEIL_WIDE_EVENTS");
  const int events = wanted ? std::atoi(wanted) : cases(25);
  Generator generator(wanted ? static_cast<std::uint64_t>(events) : 71);
  Wide wide(generator);
  for (int i = 0; i < events; ++i) {
    const std::int64_t count = generator.integer(0, 2) > 0 ? 1 : whole(generator);
    const Event event{wide_kind(generator), count};
    if (!validate(event)) continue;
    const auto start = std::chrono::steady_clock::now();
    wide.check(event);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (wanted && seconds > 3) std::printf("%.1f s  %s\n", seconds, to_text(event).c_str());
  }
  EXPECT_GT(wide.priced, wide.refused);
}

}  // namespace
}  // namespace chronoveil::accounting
