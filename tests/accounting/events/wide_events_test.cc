// Random events of every kind over twelve orders of magnitude of every parameter. Each price is finite, or infinite for
// a reason, or refused; bounds are in order; prices move with count, ε, δ and noise as they must; and ε and δ agree.
// CHRONOVEIL_WIDE_EVENTS sets how many events: for a long run.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

Kind simple_kind(Generator& generator, std::int64_t most = 8) {
  auto positive = [&] { return size(generator); };
  switch (generator.integer(0, most)) {
    case 0: return Gaussian{positive()};
    case 1: return Laplace{positive()};
    case 2: return DiscreteGaussian{positive(), whole(generator)};
    case 3: return DiscreteLaplace{positive(), whole(generator)};
    case 4: return Exponential{positive()};
    case 5: return Pure{positive()};
    case 6: return Approximate{positive(), share(generator)};
    case 7: return RandomizedResponse{positive(), whole(generator) + 1};
    default: return wide_mixture(generator);
  }
}

// An event into which a unit is drawn several times is one of the first six.
std::shared_ptr<const Event> inside(Generator& generator, std::int64_t most = 8) {
  return std::make_shared<const Event>(Event{simple_kind(generator, most), 1});
}

Compose wide_composition(Generator& generator) {
  Compose all;
  for (std::int64_t parts = generator.integer(2, 3); parts > 0; --parts)
    all.events.push_back({simple_kind(generator), generator.log_integer(1, 1e6)});
  return all;
}

Kind wide_kind(Generator& generator) {
  const auto relation = [&] { return generator.integer(0, 1) == 0 ? Relation::add_remove : Relation::replace; };
  const auto window = [&] { return generator.integer(2, 8); };
  switch (generator.integer(0, 19)) {
    case 9: return wide_time_subsampling(generator);
    case 10: {
      const std::int64_t steps = window();
      return RanSwitch{steps, generator.uniform(1.0 / static_cast<double>(steps), 1)};
    }
    case 11: return NoisySort{window(), size(generator), NoisySort::Law::laplace, {}};
    case 12: return wide_structured_subsampling(generator);
    case 13: {
      const std::int64_t steps = generator.integer(2, 5);
      return StaSwitch{steps, generator.uniform(1.0 / static_cast<double>(steps), 1)};
    }
    case 14: {
      const std::int64_t steps = window();
      return Threshold{steps, generator.integer(1, steps - 1)};
    }
    case 15: return DpSgd{share(generator), size(generator)};
    case 16: return PoissonSampled{share(generator), inside(generator), relation()};
    case 17: {
      const std::int64_t batch = whole(generator);
      return SampledWithoutReplacement{batch + whole(generator), batch, inside(generator), relation()};
    }
    case 18: {
      const std::int64_t batch = generator.log_integer(1, 1e4);
      return SampledWithReplacement{batch + whole(generator), batch, inside(generator, 5), relation()};
    }
    case 19: return wide_composition(generator);
    default: return simple_kind(generator);
  }
}

// Whose prices are checked: the accountant's, or a twin's.
struct Prices {
  std::function<Result<Price>(const Event&, Delta)> epsilon = [](const Event& event, Delta at) {
    return epsilon_at(event, at);
  };
  std::function<Result<Price>(const Event&, Epsilon)> delta = [](const Event& event, Epsilon at) {
    return delta_at(event, at);
  };
};

// Checks one event's prices against each other; refused ones are left out. A comparison passes only if it is true,
// which it never is for NaN.
class Wide {
 public:
  explicit Wide(Generator& generator, Prices prices = {}) : generator_(generator), prices_(std::move(prices)) {}

  void check(const Event& event) {
    const double delta = generator_.log_uniform(1e-12, 0.5), epsilon = generator_.log_uniform(1e-6, 1e6);
    const auto price = epsilon_of(event, delta);
    const auto shown = delta_of(event, epsilon);
    if (price) in_line_with(event, *price, delta);
    if (shown) {
      if (const auto further = delta_of(event, epsilon * 1.5))
        demand(further->delta_lower <= shown->delta, "δ falls with ε", event);
    }
    Event more = event;
    more.count = event.count + std::max<std::int64_t>(1, event.count / 3);
    if (const auto dearer = epsilon_of(more, delta); price && dearer)
      demand(price->epsilon_lower <= dearer->epsilon, "ε grows with the count", event);
    if (const auto dearer = delta_of(more, epsilon); shown && dearer)
      demand(shown->delta_lower <= dearer->delta, "δ grows with the count", event);
    if (const auto noisier = with_more_noise(event)) {
      if (const auto cheaper = epsilon_of(*noisier, delta); price && cheaper)
        demand(cheaper->epsilon_lower <= price->epsilon, "ε falls with the noise", event);
    }
    if (const auto cost = renyi_cost(event, renyi_orders())) {
      for (const double at : cost->epsilon) demand(at >= 0, "a Rényi divergence is not negative", event);
      demand(cost->delta >= 0, "nor is what is set aside", event);
      if (price && delta > 2 * cost->delta)
        demand(epsilon_from_renyi(renyi_orders(), cost->epsilon, *Delta::make(delta - cost->delta)) >=
                   price->epsilon_lower * (1 - 1e-9),
               "moments imply no less", event);
    }
  }

  int priced = 0, refused = 0;
  std::vector<std::string> broken;  // which rule, and by which event

 private:
  void demand(bool holds, const char* rule, const Event& event) {
    if (!holds) broken.push_back(std::string(rule) + ": " + to_text(event));
  }

  // δ at the ε found is no more than asked for, and more below it.
  void in_line_with(const Event& event, const Price& price, double delta) {
    if (!std::isfinite(price.epsilon)) return;
    if (const auto back = delta_of(event, price.epsilon))
      demand(back->delta_lower <= delta, "δ at the ε of a δ is no more", event);
    if (price.epsilon_lower > 0) {
      if (const auto back = delta_of(event, price.epsilon_lower))
        demand(back->delta >= delta * (1 - 1e-9), "δ below the ε of a δ is more", event);
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
        (inner_of(event) ? *inner_of(event) : event).kind);
    return with_noise(open, noise);
  }

  std::optional<Price> epsilon_of(const Event& event, double delta) {
    return kept(event, prices_.epsilon(event, *Delta::make(delta)));
  }
  std::optional<Price> delta_of(const Event& event, double epsilon) {
    return kept(event, prices_.delta(event, *Epsilon::make(epsilon)));
  }
  std::optional<Price> kept(const Event& event, const Result<Price>& price) {
    ++(price ? priced : refused);
    if (!price) {
      demand(price.error().kind == ErrorKind::cannot_certify, price.error().text().c_str(), event);
      return {};
    }
    demand(price->epsilon_lower >= 0 && price->epsilon_lower <= price->epsilon, "bounds of ε are in order", event);
    demand(price->delta_lower >= 0 && price->delta_lower <= price->delta && price->delta <= 1,
           "bounds of δ are in order", event);
    demand(std::isfinite(price->epsilon) || !price->reason.empty(), "what is infinite has a reason", event);
    return *price;
  }

  Generator& generator_;
  Prices prices_;
};

TEST(WideEvents, ArePricedInLineOrRefused) {
  const char* const wanted = std::getenv("CHRONOVEIL_WIDE_EVENTS");
  const int events = wanted ? std::atoi(wanted) : cases(12);
  Generator generator(wanted ? static_cast<std::uint64_t>(events) : 73);
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
  EXPECT_EQ(wide.broken, std::vector<std::string>());
  EXPECT_GT(wide.priced, wide.refused);
}

// Each twin prices like the accountant with one mistake, and breaks the rules above.
TEST(WideEvents, PricesWithOneMistakeAreRejected) {
  const Prices sound;
  const auto changed = [](const auto& price, auto change) {
    return [price, change](const Event& event, auto at) {
      Result<Price> found = price(event, at);
      if (found) change(*found);
      return found;
    };
  };
  const auto of_another = [](const auto& price, auto change) {
    return [price, change](Event event, auto at) {
      change(event);
      return price(event, at);
    };
  };
  const auto not_a_number = [](Price& price) { price.delta_lower = std::nan(""); };
  const auto swallowed = [](Price& price) { price.delta = price.delta_lower = 0; };
  const auto out_of_order = [](Price& price) { std::swap(price.epsilon_lower, price.epsilon); };
  const auto too_little = [](Price& price) { price.epsilon_lower = price.epsilon /= 2; };
  const auto without_reason = [](Price& price) {
    price.epsilon = std::numeric_limits<double>::infinity();
    price.reason.clear();
  };
  const auto counts_run_over = [](Event& event) { event.count = 1 + event.count % 3; };
  const auto noise_upside_down = [](Event& event) {
    if (auto* e = std::get_if<Gaussian>(&event.kind)) e->noise_multiplier = 1 / e->noise_multiplier;
  };
  const std::pair<const char*, Prices> twins[] = {
      {"not a number", {sound.epsilon, changed(sound.delta, not_a_number)}},
      {"swallowed", {sound.epsilon, changed(sound.delta, swallowed)}},
      {"out of order", {changed(sound.epsilon, out_of_order), sound.delta}},
      {"too little", {changed(sound.epsilon, too_little), sound.delta}},
      {"without reason", {changed(sound.epsilon, without_reason), sound.delta}},
      {"counts run over", {of_another(sound.epsilon, counts_run_over), of_another(sound.delta, counts_run_over)}},
      {"noise upside down", {of_another(sound.epsilon, noise_upside_down), of_another(sound.delta, noise_upside_down)}},
  };
  const auto broken = [](const Prices& prices) {
    Generator generator(72);
    Wide wide(generator, prices);
    for (const Kind& kind : {Kind(Gaussian{0.5}), Kind(Gaussian{3}), Kind(Laplace{2}), Kind(Pure{0.7})})
      for (const std::int64_t count : {1, 2, 40}) wide.check({kind, count});
    return !wide.broken.empty();
  };
  EXPECT_FALSE(broken(sound));
  for (const auto& [name, twin] : twins) EXPECT_TRUE(broken(twin)) << name;
}

}  // namespace
}  // namespace chronoveil::accounting
