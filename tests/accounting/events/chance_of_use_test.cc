// The chance that what is protected is used at all, against the accountant's δ with hardly any noise: then everything
// that is used is revealed, and δ is that chance.
#include "chronoveil/accounting/events/chance_of_use.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/event_json.h"

namespace chronoveil::accounting {
namespace {

constexpr double kHardlyAny = 0.1;

double delta_without_noise(const Event& event) { return delta_at(event, *Epsilon::make(1)).value().delta; }

StructuredSubsampling windows(StructuredSubsampling::Top top, StructuredSubsampling::Bottom bottom,
                              std::int64_t windows_per_series) {
  StructuredSubsampling event{};
  event.series = 50;
  event.length = {400, 900};
  event.context_length = 3;
  event.forecast_length = 2;
  event.batch_size = 4 * windows_per_series;
  event.windows_per_series = windows_per_series;
  event.noise_multiplier = kHardlyAny;
  event.top_level = top;
  event.bottom_level = bottom;
  event.unit = Unit::event;
  event.width = 1;
  return event;
}

TEST(ChanceOfUse, OfStepsIsThatSomeStepIsKept) {
  for (const auto& [participation, rate] : {std::pair<std::int64_t, double>{1, 1e-4}, {7, 1e-4}, {3, 0.4}}) {
    const Event event{TimeSubsampling{participation, rate, kHardlyAny, {}, {}}, 1};
    EXPECT_NEAR(chance_of_use(event) / delta_without_noise(event), 1, 1e-3);
  }
  EXPECT_NEAR(chance_of_use({TimeSubsampling{2, 0.5, 1, {}, {}}, 3}), 1 - std::pow(0.5, 6), 1e-15);
  EXPECT_EQ(chance_of_use({TimeSubsampling{2, 1, 1, {}, {}}, 1}), 1);
}

TEST(ChanceOfUse, OfTrainingIsThatATouchedWindowIsDrawnInAnyStep) {
  using Top = StructuredSubsampling::Top;
  using Bottom = StructuredSubsampling::Bottom;
  for (const Top top : {Top::iterate, Top::without_replacement})
    for (const Bottom bottom : {Bottom::with_replacement, Bottom::poisson})
      for (const std::int64_t each : {1, 3}) {
        const Event event{windows(top, bottom, each), 1};
        EXPECT_NEAR(chance_of_use(event) / delta_without_noise(event), 1, 1e-2)
            << static_cast<int>(top) << static_cast<int>(bottom) << " " << each;
      }
  // By hand: 5 of 399 windows of a shorter series, in 4 of 50 series.
  const double once = 4.0 / 50 * 5 / 399;
  EXPECT_NEAR(chance_of_use({windows(Top::without_replacement, Bottom::with_replacement, 1), 20}),
              1 - std::pow(1 - once, 20), 1e-12);
}

// The same by enumerating everything that may be drawn. `used` judges one outcome: `draws` numbers below `ways`.
double share_of_outcomes(std::int64_t draws, std::int64_t ways,
                         const std::function<bool(const std::vector<std::int64_t>&)>& used) {
  std::vector<std::int64_t> outcome(static_cast<std::size_t>(draws));
  double all = 0, hit = 0;
  for (;;) {
    all += 1;
    hit += used(outcome) ? 1 : 0;
    std::size_t i = 0;
    while (i < outcome.size() && ++outcome[i] == ways) outcome[i++] = 0;
    if (i == outcome.size()) return hit / all;
  }
}

// Where each of n is taken by itself: all sets but the empty one.
double any_taken(std::int64_t n, double probability) {
  double hit = 0;
  for (std::uint64_t mask = 1; mask < std::uint64_t{1} << n; ++mask)
    hit += std::pow(probability, std::popcount(mask)) *
           std::pow(1 - probability, static_cast<double>(n) - std::popcount(mask));
  return hit;
}

// Of all sets of `size` out of n, as masks: those that hold the first.
double share_of_sets(std::int64_t n, std::int64_t size) {
  double all = 0, hit = 0;
  for (std::uint64_t mask = 0; mask < std::uint64_t{1} << n; ++mask) {
    if (std::popcount(mask) != size) continue;
    all += 1;
    hit += static_cast<double>(mask & 1);
  }
  return hit / all;
}

// Window t of a series sees its context at steps t − L_C .. t − 1 and its forecast at t .. t + L_F − 1.
std::vector<std::int64_t> windows_that_see(const StructuredSubsampling& e, std::int64_t length,
                                           const std::vector<std::int64_t>& changed) {
  std::vector<std::int64_t> seeing;
  for (std::int64_t t = 1; t + e.forecast_length - 1 <= length; ++t)
    if (std::ranges::any_of(changed,
                            [&](std::int64_t x) { return t - e.context_length <= x && x < t + e.forecast_length; }))
      seeing.push_back(t - 1);
  return seeing;
}

// Every change of the unit is tried: w steps in a row, or w anywhere.
std::vector<std::int64_t> most_windows(const StructuredSubsampling& e, std::int64_t length) {
  std::vector<std::int64_t> most;
  auto look = [&](const std::vector<std::int64_t>& changed) {
    auto seeing = windows_that_see(e, length, changed);
    if (seeing.size() > most.size()) most = std::move(seeing);
    return false;
  };
  if (e.unit == Unit::user) {
    share_of_outcomes(e.width, length, [&](std::vector<std::int64_t> steps) {
      for (std::int64_t& step : steps) ++step;
      return look(steps);
    });
    return most;
  }
  for (std::int64_t first = 1; first + e.width - 1 <= length; ++first) {
    std::vector<std::int64_t> block(static_cast<std::size_t>(e.width));
    std::iota(block.begin(), block.end(), first);
    look(block);
  }
  return most;
}

double enumerated_once(const StructuredSubsampling& e) {
  double most = 0;
  for (const std::int64_t length : e.length) {
    const std::int64_t windows = length - e.forecast_length + 1, drawn = e.windows_per_series;
    const std::vector<std::int64_t> seeing = most_windows(e, length);
    auto sees = [&](std::int64_t window) { return std::ranges::find(seeing, window) != seeing.end(); };
    const double of_series =
        e.bottom_level == StructuredSubsampling::Bottom::poisson
            ? any_taken(static_cast<std::int64_t>(seeing.size()),
                        std::min(1.0, static_cast<double>(drawn) / static_cast<double>(windows)))
            : share_of_outcomes(drawn, windows, [&](const auto& one) { return std::ranges::any_of(one, sees); });
    most = std::max(most, of_series);
  }
  if (e.top_level == StructuredSubsampling::Top::iterate) return most;
  return most * share_of_sets(e.series, e.batch_size / e.windows_per_series);
}

double enumerated_once(const Kind& kind) {
  if (const auto* steps = std::get_if<TimeSubsampling>(&kind)) return any_taken(steps->participation, steps->rate);
  if (const auto* sgd = std::get_if<DpSgd>(&kind)) return any_taken(1, sgd->rate);
  if (const auto* sampled = std::get_if<PoissonSampled>(&kind)) return any_taken(1, sampled->rate);
  if (const auto* draws = std::get_if<SampledWithReplacement>(&kind))
    return share_of_outcomes(draws->batch_size, draws->population,
                             [](const auto& drawn) { return std::ranges::find(drawn, 0) != drawn.end(); });
  if (const auto* set = std::get_if<SampledWithoutReplacement>(&kind))
    return share_of_sets(set->population, set->batch_size);
  return enumerated_once(std::get<StructuredSubsampling>(kind));
}

// c times the same: used in none of them only if every one leaves it out.
double enumerated(const Event& event) {
  double none = 1;
  for (std::int64_t i = 0; i < event.count; ++i) none *= 1 - enumerated_once(event.kind);
  return 1 - none;
}

std::vector<Event> enumerable() {
  using Top = StructuredSubsampling::Top;
  using Bottom = StructuredSubsampling::Bottom;
  const auto inner = std::make_shared<const Event>(Event{Gaussian{1}, 1});
  std::vector<Event> all;
  for (const std::int64_t count : {1, 3}) {
    for (const double rate : {0.25, 0.75, 1.0}) {
      all.push_back({TimeSubsampling{5, rate, 1, {}, {}}, count});
      all.push_back({TimeSubsampling{4, rate, 1, 9, 2.0}, count});
      all.push_back({DpSgd{rate, 1}, count});
      all.push_back({PoissonSampled{rate, inner}, count});
    }
    for (const std::int64_t batch : {1, 3, 5}) {
      all.push_back({SampledWithoutReplacement{5, batch, inner}, count});
      all.push_back({SampledWithReplacement{5, batch, inner}, count});
    }
    for (const Top top : {Top::iterate, Top::without_replacement})
      for (const Bottom bottom : {Bottom::with_replacement, Bottom::poisson})
        for (const auto& [unit, width] :
             {std::pair<Unit, std::int64_t>{Unit::event, 1}, {Unit::w_event, 2}, {Unit::user, 2}}) {
          StructuredSubsampling e = windows(top, bottom, 2);
          e.series = 7;
          e.length = {7, 11};
          e.context_length = e.forecast_length = 2;
          e.batch_size = 7;  // of three series, rounded down
          e.unit = unit;
          e.width = width;
          all.push_back({e, count});
        }
  }
  return all;
}

using Chance = std::function<double(const Event&)>;

testing::AssertionResult agrees_with_enumeration(const Chance& chance) {
  for (const Event& event : enumerable()) {
    const double truth = enumerated(event), said = chance(event);
    if (!(std::abs(said - truth) <= 1e-14))
      return testing::AssertionFailure() << said << " instead of " << truth << " for " << to_text(event);
  }
  return testing::AssertionSuccess();
}

TEST(ChanceOfUse, IsTheShareOfOutcomesThatUseIt) { EXPECT_TRUE(agrees_with_enumeration(chance_of_use)); }

// If chances were too large, a δ that pays for showing everything would be accepted; if too small, sound plans would be
// refused.
TEST(ChanceOfUse, WrongOnesAreRejected) {
  const Chance forgets_the_count = [](Event event) {
    event.count = 1;
    return chance_of_use(event);
  };
  const Chance adds_up = [](Event event) {
    const auto count = static_cast<double>(std::exchange(event.count, 1));
    return std::min(1.0, count * chance_of_use(event));
  };
  const Chance of_the_longest_series = [](Event event) {
    if (auto* e = std::get_if<StructuredSubsampling>(&event.kind)) e->length = {e->length.back()};
    return chance_of_use(event);
  };
  const Chance of_one_window = [](Event event) {
    if (auto* e = std::get_if<StructuredSubsampling>(&event.kind)) {
      e->batch_size /= e->windows_per_series;
      e->windows_per_series = 1;
    }
    return chance_of_use(event);
  };
  const Chance of_one_step = [](Event event) {
    if (auto* e = std::get_if<TimeSubsampling>(&event.kind)) e->participation = 1;
    return chance_of_use(event);
  };
  const Chance replaces_or_not_is_the_same = [](Event event) {
    if (const auto* e = std::get_if<SampledWithReplacement>(&event.kind))
      event.kind = SampledWithoutReplacement{e->population, e->batch_size, e->inner};
    return chance_of_use(event);
  };
  for (const Chance& wrong :
       {forgets_the_count, adds_up, of_the_longest_series, of_one_window, of_one_step, replaces_or_not_is_the_same})
    EXPECT_FALSE(agrees_with_enumeration(wrong));
}

TEST(ChanceOfUse, NothingElseLeavesAnythingOut) {
  EXPECT_EQ(chance_of_use({Gaussian{1}, 1}), 1);
  EXPECT_FALSE(delta_covers_use({Gaussian{1}, 1}, 0.999));
}

TEST(ChanceOfUse, DeltaCoversItFromTheChanceOn) {
  const Event event{TimeSubsampling{4, 0.001, 1, {}, {}}, 1};
  const double chance = 1 - std::pow(0.999, 4);
  EXPECT_FALSE(delta_covers_use(event, chance * (1 - 1e-9)));
  EXPECT_TRUE(delta_covers_use(event, chance));
  EXPECT_TRUE(delta_covers_use(event, std::nan("")));
}

}  // namespace
}  // namespace chronoveil::accounting
