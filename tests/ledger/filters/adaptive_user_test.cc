// The adaptive user: picks each request after seeing the last answer. The mechanisms are small and discrete, so the
// true δ of the best strategy of all is computed exactly, by dynamic programming over every outcome. A filter must keep
// it within the budget; admission by the price of composing what was asked so far does not.
#include <array>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/moments.h"
#include "chronoveil/ledger/filters/filter.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

constexpr double kEpsilon = 1;
constexpr double kDelta = 1e-3;
constexpr double kStep = 0.05;  // the log-likelihood ratio moves in steps of so much

// Randomised response with ε = steps * kStep, or a mechanism that with probability δ reveals everything.
struct Item {
  int steps;
  double delta;
  int most;  // how often the user may ask for it

  accounting::Event event() const {
    if (delta > 0) return {accounting::Approximate{steps * kStep, delta}};
    return {accounting::RandomizedResponse{steps * kStep, 2}};
  }
};

constexpr std::array<Item, 9> kMenu = {
    {{1, 0, 30}, {2, 0, 8}, {4, 0, 5}, {6, 0, 4}, {8, 0, 3}, {0, 1e-3, 1}, {0, 5e-4, 2}, {0, 2e-4, 2}, {0, 1e-4, 2}}};

using Counts = std::array<int, kMenu.size()>;
using Admission = std::function<bool(const Counts&)>;

class Game {
 public:
  explicit Game(double epsilon = kEpsilon) : epsilon_(epsilon) {}

  // The δ at ε of a fixed list of requests: tight composition.
  double composed(const Counts& counts) const { return composed_from(counts, 0); }

  // The δ at ε of the best adaptive strategy under a rule of admission.
  double best_strategy(const Admission& admits) {
    admits_ = admits;
    admitted_.clear();
    best_.clear();
    return best_from(Counts{}, 0);
  }

 private:
  // What is left of the hockey-stick divergence when the user stops with this log-likelihood ratio.
  double stopped(int ratio) const { return std::max(0.0, 1 - std::exp(epsilon_ - ratio * kStep)); }

  template <class Then>
  static double answered(const Item& item, int ratio, const Then& then) {
    double hidden = 0;
    if (item.steps == 0) {
      hidden = then(ratio);
    } else {
      const double truth = 1 / (1 + std::exp(-item.steps * kStep));
      hidden = truth * then(ratio + item.steps) + (1 - truth) * then(ratio - item.steps);
    }
    return item.delta + (1 - item.delta) * hidden;
  }

  static std::uint64_t key(const Counts& counts, int ratio) {
    std::uint64_t key = static_cast<std::uint64_t>(ratio + 1000);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      key = key * static_cast<std::uint64_t>(kMenu[i].most + 1) + static_cast<std::uint64_t>(counts[i]);
    }
    return key;
  }

  double composed_from(const Counts& counts, int ratio) const {
    const auto known = composed_.find(key(counts, ratio));
    if (known != composed_.end()) return known->second;
    double value = stopped(ratio);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      Counts rest = counts;
      --rest[i];
      value = answered(kMenu[i], ratio, [&](int next) { return composed_from(rest, next); });
      break;
    }
    composed_.emplace(key(counts, ratio), value);
    return value;
  }

  double best_from(const Counts& counts, int ratio) {
    const auto known = best_.find(key(counts, ratio));
    if (known != best_.end()) return known->second;
    double value = stopped(ratio);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == kMenu[i].most) continue;
      Counts more = counts;
      ++more[i];
      const auto [admitted, fresh] = admitted_.try_emplace(key(more, 0), false);
      if (fresh) admitted->second = admits_(more);
      if (!admitted->second) continue;
      value = std::max(value, answered(kMenu[i], ratio, [&](int next) { return best_from(more, next); }));
    }
    best_.emplace(key(counts, ratio), value);
    return value;
  }

  double epsilon_;
  Admission admits_;
  mutable std::unordered_map<std::uint64_t, double> composed_;
  std::unordered_map<std::uint64_t, bool> admitted_;
  std::unordered_map<std::uint64_t, double> best_;
};

Filter filter_for(FilterKind kind, double epsilon) {
  return value_of(make_filter(kind, value_of(Epsilon::make(epsilon)), value_of(Delta::make(kDelta))));
}

// A twin prices as one filter does and admits as another.
Admission admitted_by(const Filter& filter, const Filter& pricing) {
  std::vector<Result<Cost>> costs;
  for (const Item& item : kMenu) costs.push_back(cost_of(pricing, item.event(), std::nullopt));
  return [filter, costs](const Counts& counts) {
    Cost total = filter.nothing();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] > 0 && !costs[i]) return false;  // `gaussian` refuses what no Gaussian dominates
      for (int n = 0; n < counts[i]; ++n) total += *costs[i];
    }
    return holds(filter, total);
  };
}
Admission admitted_by(const Filter& filter) { return admitted_by(filter, filter); }

TEST(AdaptiveUser, AdmissionByComposedPriceLetsTheTrueDeltaTriple) {
  Game game;
  const double delta = game.best_strategy([&](const Counts& counts) { return game.composed(counts) <= kDelta; });
  EXPECT_GT(delta, 3 * kDelta);
}

class AdaptiveUserAgainstFilter : public ::testing::TestWithParam<FilterKind> {};
INSTANTIATE_TEST_SUITE_P(Filters, AdaptiveUserAgainstFilter,
                         ::testing::Values(FilterKind::sum, FilterKind::zcdp, FilterKind::renyi, FilterKind::gaussian,
                                           FilterKind::united),
                         [](const auto& kind) { return std::string(name(kind.param)); });

TEST_P(AdaptiveUserAgainstFilter, NoStrategyExceedsTheBudget) {
  Game game;
  const double delta = game.best_strategy(admitted_by(filter_for(GetParam(), kEpsilon)));
  EXPECT_LE(delta, kDelta);
  EXPECT_GT(delta, kDelta / 100) << "the filter admits so little that the test says nothing";
}

// The twin: a filter made for a larger ε. The same computation must reject it.
TEST_P(AdaptiveUserAgainstFilter, AFilterWithTooLargeABudgetIsCaught) {
  Game game;
  const bool adds_up = GetParam() == FilterKind::sum || GetParam() == FilterKind::united;
  const double too_much = adds_up ? 1.25 : 2;
  EXPECT_GT(game.best_strategy(admitted_by(filter_for(GetParam(), too_much * kEpsilon))), kDelta);
}

// The gaussian members of a union, with reserves and without, have one share together.
TEST(AdaptiveUser, TheGaussianMembersKeepTheirOneShare) {
  Filter filter = value_of(
      make_union(value_of(Epsilon::make(kEpsilon)), value_of(Delta::make(kDelta)), {}, {0, 90}, {1, 5, 20, 50}));
  filter.budget.values[0] = Amount();  // sum admits nothing
  filter.budget.delta = Amount();
  Game game;
  const double delta = game.best_strategy(admitted_by(filter));
  EXPECT_LE(delta, 0.9 * kDelta);
  EXPECT_GT(delta, 0.1 * kDelta) << "the members admit so little that the test says nothing";
  // They admit more than the one without a reserve, which the game sees.
  filter.budget.values.resize(2);
  filter.reserves.clear();
  EXPECT_LT(game.best_strategy(admitted_by(filter)), delta);
}

// The twin: members that charge pure requests as if the reserve stood beside them, and spend the reserve as well. At a
// smaller ε and a larger δ the game tells the difference.
TEST(AdaptiveUser, MembersThatSpendTheirReserveAreCaught) {
  constexpr double kSmall = 0.5, kLarge = 0.04, kShare = 0.75 * kLarge;
  Filter filter =
      value_of(make_union(value_of(Epsilon::make(kSmall)), value_of(Delta::make(kLarge)), {}, {0, 75}, {1, 5, 20, 50}));
  filter.budget.values[0] = Amount();
  filter.budget.delta = Amount();
  Game game(kSmall);
  EXPECT_LE(game.best_strategy(admitted_by(filter)), kShare);
  Filter twin = filter;
  std::fill(twin.budget.values.begin() + 2, twin.budget.values.end(), twin.budget.values[1]);
  EXPECT_GT(game.best_strategy(admitted_by(twin, filter)), kShare);
}

// The twin: a union whose members forget that they share δ. Each of them, with what is set aside, would be a filter.
TEST(AdaptiveUser, AUnionThatForgetsItsSharesIsCaught) {
  Filter twin = filter_for(FilterKind::united, kEpsilon);
  const Epsilon epsilon = value_of(Epsilon::make(kEpsilon));
  const Delta forgetful = value_of(Delta::make(0.9 * kDelta));
  const Filter gaussian = value_of(make_union(epsilon, value_of(Delta::make(kDelta)), {}, {0, 90}, twin.reserves));
  std::copy(gaussian.budget.values.begin(), gaussian.budget.values.end(), twin.budget.values.begin());
  for (std::size_t i = 0; i < twin.orders.size(); ++i) {
    twin.budget.values[gaussian.budget.values.size() + i] =
        Amount::below(accounting::renyi_budget({&twin.orders[i], 1}, epsilon, forgetful)[0]);
  }
  Game game;
  EXPECT_GT(game.best_strategy(admitted_by(twin)), kDelta);
}

// The composed price of the game is what the accountant calls the price of a composition.
TEST(AdaptiveUser, TheGameComposesAsTheAccountantDoes) {
  Counts counts{};
  counts[0] = 20;
  counts[3] = 2;
  counts[7] = 1;
  accounting::Compose all;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    accounting::Event event = kMenu[i].event();
    event.count = counts[i];
    all.events.push_back(event);
  }
  const auto price =
      value_of(accounting::delta_at(accounting::Event{all}, value_of(Epsilon::make(kEpsilon)), accounting::Options{}));
  const double exact = Game().composed(counts);
  EXPECT_GE(price.delta, exact * (1 - 1e-9));
  EXPECT_LE(price.delta, exact * 1.05);
}

}  // namespace
}  // namespace chronoveil::ledger::testing
