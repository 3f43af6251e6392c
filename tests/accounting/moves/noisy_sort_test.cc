// noisy_sort against all keys, and against all orders.
#include "chronoveil/accounting/events/moves/noisy_sort.h"

#include <gtest/gtest.h>

#include <cmath>

#include "accounting/moves/sort_enumeration.h"
#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/accounting/grid/atomic_model.h"
#include "chronoveil/base/staircase.h"

namespace chronoveil::accounting {
namespace {

EnumeratedSort enumerated(const NoisySort& e, SortTwin twin = SortTwin::right) {
  EnumeratedSort law;
  law.window = static_cast<int>(e.window);
  law.epsilon = e.epsilon;
  law.staircase = e.law == NoisySort::Law::staircase;
  law.plateau = static_cast<int>(e.plateau.value_or(staircase_plateau(e.window, e.epsilon)));
  if (e.max_shift) law.max_shift = static_cast<int>(*e.max_shift);
  law.twin = twin;
  return law;
}

std::vector<NoisySort> small_cases(std::initializer_list<double> epsilons) {
  std::vector<NoisySort> cases;
  for (std::int64_t window : {2, 3, 4})
    for (double epsilon : epsilons)
      for (auto law : {NoisySort::Law::laplace, NoisySort::Law::staircase})
        for (std::optional<std::int64_t> shift : {std::optional<std::int64_t>(), std::optional<std::int64_t>(1),
                                                  std::optional<std::int64_t>(2), std::optional<std::int64_t>(5)})
          cases.push_back({window, epsilon, law, shift});
  return cases;
}

std::vector<NoisySort> every_plateau(std::int64_t window, double epsilon, std::initializer_list<std::int64_t> shifts) {
  std::vector<NoisySort> cases;
  for (std::int64_t plateau = 1; plateau < window; ++plateau) {
    cases.push_back({window, epsilon, NoisySort::Law::staircase, {}, plateau});
    for (std::int64_t shift : shifts) cases.push_back({window, epsilon, NoisySort::Law::staircase, shift, plateau});
  }
  return cases;
}

Price delta_of(const NoisySort& e, double epsilon) { return delta_at({e, 1}, Epsilon::make(epsilon).value()).value(); }

std::vector<double> places(double epsilon) {
  return {0, 0.1, 0.4 * epsilon, 0.5 * epsilon, 0.7 * epsilon, epsilon, 1.5 * epsilon};
}

TEST(NoisySort, TheProfileOfTheKeysIsExactAndTheLargestShiftIsTheWorst) {
  auto cases = small_cases({0.5, 2, 7});
  for (std::int64_t window : {8, 13})
    for (auto law : {NoisySort::Law::laplace, NoisySort::Law::staircase})
      for (std::int64_t shift : {3, 5, 6, 7, 12, 13, 20, 60}) cases.push_back({window, 3, law, shift});
  for (const auto& [window, epsilon] : {std::pair<std::int64_t, double>{4, 6}, {7, 2}})
    for (const NoisySort& e : every_plateau(window, epsilon, {1, 2, 3, 5, 6, 9, 30})) cases.push_back(e);
  for (const NoisySort& e : cases) {
    std::vector<std::vector<OutputPair>> by_distance;
    for (int d = 1; d < e.window; ++d) by_distance.push_back(key_pairs(enumerated(e), d));
    for (double epsilon : places(e.epsilon)) {
      double worst = 0;
      for (const auto& pairs : by_distance) {
        const double delta = hockey_stick(pairs, epsilon);
        worst = std::max(worst, delta);
        EXPECT_LE(delta, hockey_stick(by_distance.back(), epsilon) + 1e-12);
      }
      const Price price = delta_of(e, epsilon);
      EXPECT_NEAR(price.delta, worst, 2e-12) << to_text({e, 1}) << " at " << epsilon;
      EXPECT_LE(price.delta_lower, price.delta);
      EXPECT_EQ(price.certificate, Certificate::upper_bound);
    }
  }
}

TEST(NoisySort, WithoutTruncationItIsPure) {
  for (auto law : {NoisySort::Law::laplace, NoisySort::Law::staircase})
    for (std::int64_t window : {2, 10, 10000})
      for (double epsilon : {0.01, 1.0, 20.0}) {
        const Event event{NoisySort{window, epsilon, law, {}}, 1};
        EXPECT_EQ(epsilon_at(event, Delta::make(0).value())->epsilon, epsilon);
        EXPECT_EQ(delta_at(event, Epsilon::make(epsilon).value())->delta, 0);
        EXPECT_GT(delta_at(event, Epsilon::make(0.9 * epsilon).value())->delta, 0);
      }
}

TEST(NoisySort, TruncationCostsAtMostWhatTheSpecificationSays) {
  for (auto law : {NoisySort::Law::laplace, NoisySort::Law::staircase})
    for (std::int64_t window : {2, 5, 24})
      for (std::int64_t shift : {24, 60, 200}) {
        const NoisySort e{window, 2, law, shift};
        const KeyLaw keys = key_law(enumerated(e));
        double edge = 0;
        for (int x = -keys.reach; x <= keys.reach; ++x)
          if (std::abs(x) > shift - window + 1) edge += keys.mass[static_cast<std::size_t>(x + keys.reach)];
        EXPECT_LE(truncation_cost(e), edge * (1 + 1e-9));
        EXPECT_GE(truncation_cost(e), edge / 2);
        EXPECT_TRUE(std::isinf(epsilon_at({e, 1}, Delta::make(0).value())->epsilon));
      }
  EXPECT_EQ(truncation_cost({10, 1, NoisySort::Law::laplace, 4}), 1) << "no key reaches where the neighbour's is";
  EXPECT_GT(truncation_cost({2, 20, NoisySort::Law::laplace, std::int64_t{1} << 40}), 0) << "never called pure";
}

TEST(NoisySort, WithoutAPlateauItHasThatOfTheRule) {
  for (double epsilon : {0.5, 4.0, 9.0}) {
    const NoisySort unsaid{10, epsilon, NoisySort::Law::staircase, 12};
    const NoisySort said = with_plateau(unsaid);
    EXPECT_EQ(said.plateau, staircase_plateau(10, epsilon));
    EXPECT_EQ(with_plateau(said).plateau, said.plateau);
    EXPECT_EQ(truncation_cost(said), truncation_cost(unsaid));
    for (double at : places(epsilon)) EXPECT_EQ(delta_of(said, at).delta, delta_of(unsaid, at).delta);
  }
  EXPECT_EQ(with_plateau({10, 4, NoisySort::Law::staircase, 12, 7}).plateau, 7);
  EXPECT_EQ(with_plateau({10, 4, NoisySort::Law::laplace, 12}).plateau, std::nullopt);
}

TEST(NoisySort, AnotherPlateauHasAnotherDeltaAndTheSamePureEpsilon) {
  NoisySort e{10, 4, NoisySort::Law::staircase, 30};
  double before = 0;
  for (std::int64_t plateau = 1; plateau < 10; ++plateau) {
    e.plateau = plateau;
    const double delta = delta_of(e, 4).delta;
    EXPECT_GT(std::abs(delta - before), 1e-6) << "were it drawn with " << plateau << " and priced with one less";
    before = delta;
    const Event pure{NoisySort{10, 4, NoisySort::Law::staircase, {}, plateau}, 1};
    EXPECT_EQ(epsilon_at(pure, Delta::make(0).value())->epsilon, 4);
  }
}

TEST(NoisySort, AGivenPlateauIsKeptWhenEpsilonIsSought) {
  const Epsilon epsilon = Epsilon::make(2).value();
  const Delta delta = Delta::make(1e-3).value();
  for (std::int64_t plateau : {1, 8}) {
    const NoisySort open{9, kToCalibrate, NoisySort::Law::staircase, 60, plateau};
    const auto found = calibrate({open, 1}, epsilon, delta);
    ASSERT_TRUE(found) << found.error().text();
    NoisySort sort = std::get<NoisySort>(found->event.kind);
    EXPECT_EQ(sort.plateau, plateau);
    EXPECT_LE(hockey_stick(key_pairs(enumerated(sort), 8), 2), 1e-3);
    sort.epsilon *= 1.001;
    EXPECT_GT(hockey_stick(key_pairs(enumerated(sort), 8), 2), 1e-3) << "the largest that does it";
  }
}

TEST(NoisySort, NoOrderTellsMoreThanTheKeys) {
  auto cases = small_cases({1, 4});
  for (const NoisySort& e : every_plateau(4, 2, {2, 4})) cases.push_back(e);
  for (const NoisySort& e : cases)
    for (int n = 3; n <= (e.max_shift ? 5 : 6); ++n) {
      const OrderTable table = order_table(enumerated(e), n);
      double total = 0;
      for (double probability : table.probability) total += probability;
      ASSERT_NEAR(total, 1, 1e-12);
      for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < std::min<int>(n, i + static_cast<int>(e.window)); ++j) {
          const auto pairs = neighbours(table, i, j);
          for (const OutputPair& pair : pairs)
            EXPECT_TRUE(e.max_shift || pair.p <= std::exp(e.epsilon) * pair.q * (1 + 1e-9));
          for (double epsilon : places(e.epsilon))
            EXPECT_LE(hockey_stick(pairs, epsilon), delta_of(e, epsilon).delta + 1e-12) << to_text({e, 1}) << ' ' << n;
        }
    }
}

// The most that any swap of n values shows beyond the certified δ, over several ε.
double excess(const NoisySort& e, SortTwin twin, int n) {
  const OrderTable table = order_table(enumerated(e, twin), n);
  double most = -1;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < std::min<int>(n, i + static_cast<int>(e.window)); ++j)
      for (double epsilon : places(e.epsilon))
        most = std::max(most, hockey_stick(neighbours(table, i, j), epsilon) - delta_of(e, epsilon).delta);
  return most;
}

TEST(NoisySort, AStableSortIsCaught) {
  for (auto law : {NoisySort::Law::laplace, NoisySort::Law::staircase})
    for (std::int64_t window : {2, 3}) {
      const NoisySort e{window, 2, law, {}};
      EXPECT_LE(excess(e, SortTwin::right, 4), 1e-12);
      EXPECT_GT(excess(e, SortTwin::stable, 4), 1e-3) << to_text({e, 1});
    }
}

TEST(NoisySort, KeysThatAreClampedAreCaught) {
  for (auto law : {NoisySort::Law::laplace, NoisySort::Law::staircase})
    for (std::int64_t window : {2, 3}) {
      const NoisySort e{window, 0.1, law, 2 * (window - 1)};  // much of the law lies beyond
      // Of the keys themselves, and of the orders that they make.
      const auto last = static_cast<int>(window) - 1;
      const double keys = hockey_stick(key_pairs(enumerated(e, SortTwin::clamped), last), e.epsilon);
      EXPECT_GT(keys, delta_of(e, e.epsilon).delta + 1e-3) << to_text({e, 1});
      EXPECT_LE(excess(e, SortTwin::right, 6), 1e-12);
      EXPECT_GT(excess(e, SortTwin::clamped, 6), 1e-3) << to_text({e, 1});
    }
}

TEST(NoisySort, ItComposes) {
  // Twice the same keys: four of them, enumerated.
  for (auto law : {NoisySort::Law::laplace, NoisySort::Law::staircase})
    for (std::optional<std::int64_t> shift : {std::optional<std::int64_t>(), std::optional<std::int64_t>(5)}) {
      const NoisySort e{3, 6, law, shift};
      const auto once = key_pairs(enumerated(e), 2);
      for (double epsilon : {2.0, 7.0}) {
        const long double growth = std::exp(static_cast<long double>(epsilon));
        long double sum = 0;
        for (const OutputPair& a : once)
          for (const OutputPair& b : once)
            sum += std::max(0.0L, static_cast<long double>(a.p) * b.p - growth * a.q * b.q);
        const auto price = delta_at({e, 2}, Epsilon::make(epsilon).value());
        ASSERT_TRUE(price.has_value());
        EXPECT_GE(price->delta, static_cast<double>(sum) * (1 - 1e-9));
        EXPECT_LE(price->delta, static_cast<double>(sum) * 1.01 + 1e-9) << to_text({e, 2});
      }
    }
}

TEST(NoisySort, ManySmallLossesAreNearlyOneGaussianAndLessThanPure) {
  for (const auto& [epsilon, count] : {std::pair{1e-3, 80'000}, {1e-5, 1'000'000}})
    for (const auto law : {NoisySort::Law::laplace, NoisySort::Law::staircase}) {
      const NoisySort sort{10, epsilon, law, {}};
      double square = 0;  // of one loss, both signs
      for (const LossAtom& atom : noisy_sort_law(sort).atoms)
        square += static_cast<double>(atom.mass) * (1 + std::exp(-atom.loss)) * atom.loss * atom.loss;
      const Delta delta = *Delta::make(1e-6);
      const auto price = epsilon_at({sort, count}, delta);
      ASSERT_TRUE(price) << epsilon << ": " << price.error().text();
      EXPECT_LE(price->epsilon - price->epsilon_lower, 1e-3 * price->epsilon);
      const double gaussian = epsilon_at({Gaussian{1 / std::sqrt(square * count)}, 1}, delta)->epsilon;
      EXPECT_NEAR(price->epsilon, gaussian, 0.005 * gaussian);
      EXPECT_LT(price->epsilon, epsilon_at({Pure{epsilon}, count}, delta)->epsilon);
    }
}

TEST(NoisySort, TheLeastMaxShiftIsTheLeast) {
  for (NoisySort e : {NoisySort{24, 1, NoisySort::Law::laplace, {}}, NoisySort{24, 1, NoisySort::Law::staircase, {}},
                      NoisySort{24, 1, NoisySort::Law::staircase, {}, 20}})
    for (double delta : {1e-1, 1e-6, 1e-20}) {
      e.max_shift.reset();
      const auto shift = least_max_shift(e, delta);
      ASSERT_TRUE(shift.has_value());
      e.max_shift = *shift;
      EXPECT_LE(truncation_cost(e), delta);
      e.max_shift = *shift - 1;
      EXPECT_GT(truncation_cost(e), delta);
    }
}

}  // namespace
}  // namespace chronoveil::accounting
