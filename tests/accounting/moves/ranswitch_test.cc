// RanSwitch against all of its outputs.
#include "chronoveil/accounting/events/moves/ranswitch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "accounting/moves/switch_enumeration.h"
#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/grid/loss_model.h"

namespace chronoveil::accounting {
namespace {

// As the specification writes it.
double formula(int k, double p, double epsilon) {
  const double q = (1 - p) / (k - 1), hidden = std::pow(1 - q, k - 1);
  return 1 - hidden + hidden * std::max(0.0, (p - std::exp(epsilon) * q) / (p + q));
}

double certified(int k, double p, double epsilon) {
  const auto price = delta_at({RanSwitch{k, p}, 1}, Epsilon::make(epsilon).value());
  EXPECT_TRUE(price.has_value());
  EXPECT_EQ(price->certificate, Certificate::exact);
  EXPECT_LE(price->delta_lower, price->delta);
  return price->delta;
}

// ε below, at and above the kink ln(p/q).
std::vector<double> places(int k, double p) {
  const double kink = std::max(0.0, std::log(p * (k - 1) / (1 - p)));
  return {0, 0.3, 0.5 * kink, kink, kink + 1e-3, kink + 2};
}

TEST(RanSwitch, CertifiedDeltaIsTheWorstOfAllOutputsAtEveryDistanceAndPosition) {
  for (int k : {2, 3, 4})
    for (double p : {1.0 / k, 0.52, 0.7, 0.95})
      for (int n = 2 * k; n <= (k == 4 ? 2 * k + 1 : 2 * k + 3); ++n) {
        // The lists once, all ε on them.
        std::vector<std::vector<OutputPair>> swaps;
        for (int i = 0; i < n; ++i)
          for (int j = i + 1; j < std::min(n, i + k); ++j) swaps.push_back(enumerate({k, p}, n, i, j));
        for (double epsilon : places(k, p)) {
          double worst = 0;
          for (const auto& outputs : swaps) worst = std::max(worst, hockey_stick(outputs, epsilon));
          const double delta = certified(k, p, epsilon);
          EXPECT_NEAR(delta, worst, 1e-12) << k << ' ' << p << ' ' << n << ' ' << epsilon;
          EXPECT_NEAR(formula(k, p, epsilon), worst, 1e-12);
        }
      }
}

TEST(RanSwitch, ASeriesOfOneWindowCostsNoMore) {
  for (int k : {2, 3, 4})
    for (int n = k; n < 2 * k; ++n)
      for (double p : {0.5, 0.8})
        for (double epsilon : places(k, p))
          EXPECT_LE(worst_hockey_stick({k, p}, n, epsilon), certified(k, p, epsilon) + 1e-12);
}

TEST(RanSwitch, GivingTheRestToStayingAtTheEndIsWorse) {
  for (int k : {3, 4})  // k = 2 has one step alone that is not a whole window, and there is nothing to choose there
    for (double p : {0.5, 0.8}) {
      const double kink = std::log(p * (k - 1) / (1 - p));
      Swap where;
      const double broken = worst_hockey_stick({k, p, false, SwitchTwin::rest_stays}, 2 * k, 0.9 * kink, &where);
      EXPECT_GT(broken, certified(k, p, 0.9 * kink) + 1e-3) << k << ' ' << p;
      EXPECT_GE(where.j, k) << "the end is where it is worse";
    }
}

TEST(RanSwitch, OutputsAddUpToOneUnderBothNeighbours) {
  for (bool stateful : {false, true}) {
    double p = 0, q = 0;
    for (const OutputPair& output : enumerate({3, 0.6, stateful}, 7, 2, 4)) {
      p += output.p;
      q += output.q;
    }
    EXPECT_NEAR(p, 1, 1e-12);
    EXPECT_LT(q, 1);  // some outputs of the neighbour are impossible here
    EXPECT_GT(q, 0.1);
  }
}

TEST(RanSwitch, NoOtherStayHasASmallerDelta) {
  for (int k : {2, 3, 10, 80, 5000})
    for (double epsilon : {0.01, 0.5, 2.0, 8.0}) {
      const BestSwitch best = best_ranswitch(k, epsilon);
      EXPECT_NEAR(best.delta, certified(k, best.stay, epsilon), 1e-12 * best.delta);
      for (int i = 0; i <= 1000; ++i) {
        const double stay = 1.0 / k + (1 - 1.0 / k) * (i + 1e-9) / 1001;
        EXPECT_GE((*RanSwitch{k, stay}.loss())->delta(epsilon), best.delta * (1 - 1e-9)) << k << ' ' << epsilon;
      }
    }
}

TEST(RanSwitch, BothNumbersOfThePairAreRoundedUp) {
  // In __float128 there are 113 bits, so that p, 1 - p and k p are exact.
  for (int k : {2, 3, 7, 1 << 20})
    for (double p : {1.0 / k, 0.5, 0.75, 1 - 1e-9, std::nextafter(1.0, 0.0)}) {
      const ResponsePair pair = ranswitch_pair({k, p});
      const __float128 wide = p, q = (1 - wide) / (k - 1);
      // 1 - (1 - q)^(k-1) by repeated products of (1 - q); e^ε0 >= p/q in long double.
      __float128 hidden = 1, power = 1 - q;
      for (int left = k - 1; left > 0; left /= 2, power *= power)
        if (left % 2 == 1) hidden *= power;
      EXPECT_GE(static_cast<__float128>(pair.delta), 1 - hidden) << k << ' ' << p;
      EXPECT_LE(pair.delta, static_cast<double>(1 - hidden) * (1 + 1e-15));
      const long double ratio = static_cast<long double>(wide / q);
      EXPECT_GE(pair.epsilon, std::abs(std::log(ratio)) - 1e-18L);
      EXPECT_LE(pair.epsilon, std::abs(std::log(ratio)) * (1 + 1e-15L) + 1e-18L);
    }
}

}  // namespace
}  // namespace chronoveil::accounting
