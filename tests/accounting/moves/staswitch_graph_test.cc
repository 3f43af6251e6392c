// The graph of all that follows a swap: against the distributions of losses, against runs of the mechanism, and its
// cheaper bounds against itself.
#include "chronoveil/accounting/moves/staswitch_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/moves/staswitch_bounds.h"
#include "support/thoroughness.h"

namespace chronoveil::accounting {
namespace {

// A series of n distinct values while StaSwitch runs over it, written from the mechanism's description alone.
class Series {
 public:
  Series(int k, double p, int n) : k_(k), p_(p), at_(static_cast<std::size_t>(n)), delay_(at_.size(), 0) {
    std::iota(at_.begin(), at_.end(), 0);
  }
  void exchange(int i, int j) { std::swap(at_[place(i)], at_[place(j)]); }
  int value(int position) const { return at_[place(position)]; }
  double probability(int step, int offset) const {
    const int positions = std::min(k_, static_cast<int>(at_.size()) - step);
    const double q = (1 - p_) / (k_ - 1), all = p_ + (positions - 1) * q;
    const int farthest = k_ - 1 - delay_[place(step)];
    if (offset < 0 || offset >= positions || offset > farthest) return 0;
    return (offset > 0 ? q : p_ + std::max(0, positions - 1 - farthest) * q) / all;
  }
  void release(int step, int offset, bool carry_delay) {
    const std::size_t here = place(step), there = place(step + offset);
    std::swap(at_[here], at_[there]);
    if (offset > 0) delay_[there] = carry_delay ? delay_[here] + offset : offset;
  }
  // The offset at which a value is found.
  int find(int value, int step) const {
    return static_cast<int>(std::find(at_.begin() + step, at_.end(), value) - at_.begin()) - step;
  }

 private:
  static std::size_t place(int position) { return static_cast<std::size_t>(position); }
  int k_;
  double p_;
  std::vector<int> at_, delay_;
};

// The mean of max(0, 1 - α Q/P) over runs of the mechanism.
struct Swap {
  int n, i, j;
};
double sampled_delta(int k, double p, const Swap& swap, double alpha, int draws, bool carry_delay = true) {
  std::mt19937_64 engine(20230423);
  double sum = 0;
  for (int draw = 0; draw < draws; ++draw) {
    Series one(k, p, swap.n), other(k, p, swap.n);
    other.exchange(swap.i, swap.j);
    double ratio = 1;
    for (int step = 0; step < swap.n && ratio > 0; ++step) {
      double left = static_cast<double>(engine() >> 11) * 0x1p-53;
      int offset = 0;
      while (left >= one.probability(step, offset) && offset + 1 < k) left -= one.probability(step, offset++);
      if (one.probability(step, offset) <= 0) offset = 0;
      const int elsewhere = other.find(one.value(step + offset), step);
      ratio *= other.probability(step, elsewhere) / one.probability(step, offset);
      one.release(step, offset, carry_delay);
      if (ratio > 0) other.release(step, elsewhere, carry_delay);
    }
    sum += std::max(0.0, 1 - alpha * ratio);
  }
  return sum / draws;
}

// Hoeffding, at 1e-7 for either side.
constexpr int kDraws = 40000;
const double kError = std::sqrt(std::log(1e7) / (2 * kDraws));

TEST(StaSwitchGraph, RunsOfTheMechanismCostWhatIsCertified) {
  constexpr int k = 7;
  const Swap first_full_window{4 * k, k - 1, 2 * k - 2};
  for (double p : {0.25, 0.6}) {
    const double alpha = std::exp(1.0);
    const SwapValue value = worst_swap(k, p, alpha);
    EXPECT_NEAR(sampled_delta(k, p, first_full_window, alpha, kDraws), value.upper, kError) << p;
    for (const Swap& swap : {Swap{4 * k, 2 * k, 2 * k + 4}, Swap{2 * k, k - 2, k + 2}, Swap{2 * k + 1, k, 2 * k - 1}})
      EXPECT_LE(sampled_delta(k, p, swap, alpha, kDraws), value.upper + kError) << p << ' ' << swap.i;
  }
}

TEST(StaSwitchGraph, RunsThatLoseTheStateAreTold) {
  constexpr int k = 7;
  const double p = 0.25, alpha = std::exp(1.0);
  const double broken = sampled_delta(k, p, {4 * k, k - 1, 2 * k - 2}, alpha, kDraws, false);
  EXPECT_GT(std::abs(broken - worst_swap(k, p, alpha).upper), 2 * kError);
}

TEST(StaSwitchGraph, AttainedAndCertifiedMeet) {
  for (auto [k, p] : {std::pair(2, 0.5), std::pair(5, 0.2001), std::pair(6, 0.3), std::pair(7, 1.0 / 7 + 1e-9),
                      std::pair(7, 0.97), std::pair(8, 0.5)})
    for (double epsilon : {0.0, 0.7, 2.0, 5.0}) {
      const SwapValue value = worst_swap(k, p, std::exp(epsilon));
      EXPECT_LE(value.lower, value.upper + 1e-13) << k << ' ' << p << ' ' << epsilon;
      EXPECT_NEAR(value.lower, value.upper, 1e-11) << k << ' ' << p << ' ' << epsilon;
    }
}

TEST(StaSwitchGraph, AgreesWithTheDistributionsOfLosses) {
  for (auto [k, p] : {std::pair(3, 0.5), std::pair(5, 0.35), std::pair(6, 0.9)}) {
    const CoveredSwitch covered = covered_staswitch(k, p);
    ASSERT_TRUE(covered.beyond.empty());
    for (double epsilon : {0.0, 1.0, 2.5, 4.0, 9.0}) {
      const double alpha = std::exp(epsilon);
      long double largest = 0;
      for (const PairLoss& loss : covered.attained) largest = std::max(largest, loss.delta(alpha));
      EXPECT_NEAR(worst_swap(k, p, alpha).upper, static_cast<double>(largest), 1e-13) << k << ' ' << epsilon;
    }
  }
}

// Of values that hardly ever stay some arrangement costs more than the start of a series, but no series is certain to
// have it.
TEST(StaSwitchGraph, WhatCameBeforeCountsByItsProbability) {
  constexpr int k = 5;
  const double p = 0.2001;
  long double any = 0, attained = 0;
  const CoveredSwitch covered = covered_staswitch(k, p);
  for (const PairLoss& loss : covered.beyond) any = std::max(any, loss.delta(1));
  for (const PairLoss& loss : covered.attained) attained = std::max(attained, loss.delta(1));
  const SwapValue value = worst_swap(k, p, 1);
  EXPECT_LT(value.upper, static_cast<double>(any) - 1e-4);
  EXPECT_GE(value.upper, static_cast<double>(attained) - 1e-14);
}

TEST(StaSwitchGraph, KnowingLessOfTheEndBoundsTheSame) {
  constexpr int k = 6;
  for (int distance = 1; distance < k; ++distance) {
    const SwapGraph exact(k, distance, SwapGraph::Ends::exact), coarse(k, distance, SwapGraph::Ends::coarse);
    EXPECT_LT(coarse.nodes(), exact.nodes());
    for (double p : {0.2, 0.5, 0.9})
      for (double epsilon : {0.0, 1.5, 4.0}) {
        const SwapValue value = exact.value(p, std::exp(epsilon));
        EXPECT_LE(value.upper, coarse.value(p, std::exp(epsilon)).upper + 1e-13) << distance << ' ' << p;
        EXPECT_LE(value.lower, value.upper + 1e-13);
      }
  }
}

TEST(StaSwitchGraph, MassesOfOneSwapAreThoseFollowedStepByStep) {
  for (auto [k, p] : {std::pair(4, 0.5), std::pair(7, 0.3), std::pair(8, 0.7)}) {
    const PairLoss masses = attained_swap(k, p);
    const PairLoss steps = loss_from(swapped_pair(k - 1, k - 1, PairState::kNoEnd), staswitch_law(k, p));
    EXPECT_NEAR(static_cast<double>(masses.infinite), static_cast<double>(steps.infinite), 1e-14);
    EXPECT_NEAR(static_cast<double>(masses.largest_ratio() / steps.largest_ratio()), 1, 1e-12);
    for (double alpha : {1.0, 1.5, 4.0, 20.0, 300.0})
      EXPECT_NEAR(static_cast<double>(masses.delta(alpha)), static_cast<double>(steps.delta(alpha)), 1e-14);
  }
}

TEST(StaSwitchGraph, ExtremeParametersHaveAPriceToo) {
  for (int k : {2, 5, 7})
    for (double p : {std::nextafter(1.0 / k, 1.0), 1 - 1e-9, std::nextafter(1.0, 0.0)}) {
      double before = 1;
      for (double epsilon : {0.0, 1e-300, 1.0, 30.0, 800.0, 1e30}) {
        const auto price = delta_at({StaSwitch{k, p}, 1}, Epsilon::make(epsilon).value());
        ASSERT_TRUE(price.has_value());
        EXPECT_GE(price->delta_lower, 0);
        EXPECT_LE(price->delta_lower, price->delta);
        EXPECT_LE(price->delta, before * (1 + 1e-11)) << k << ' ' << p << ' ' << epsilon;
        EXPECT_EQ(price->certificate, Certificate::exact);
        before = price->delta;
      }
      const auto none = epsilon_at({StaSwitch{k, p}, 1}, Delta::make(1e-18).value());
      ASSERT_TRUE(none.has_value());
      EXPECT_TRUE(std::isinf(none->epsilon));
      EXPECT_NE(none->reason.find("infinite with probability"), std::string::npos);
    }
}

TEST(StaSwitchGraph, CalibrationIsOnThePrivateSideOfTheCertifiedPrice) {
  const Epsilon epsilon = Epsilon::make(2).value();
  for (int k : {6, 7}) {
    const auto found = calibrate({StaSwitch{k, kToCalibrate}, 1}, epsilon, Delta::make(0.7).value());
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->price.certificate, Certificate::exact);
    EXPECT_LE(delta_at(found->event, epsilon)->delta, 0.7 * (1 + 1e-9));
    EXPECT_GT(delta_at({StaSwitch{k, found->noise + 1e-6}, 1}, epsilon)->delta, 0.7);
  }
}

TEST(StaSwitchGraph, ABoundIsNotCalledTheSmallestPossible) {
  for (auto [k, said] : {std::pair(7, "the smallest possible delta is 0.5"),
                         std::pair(in_torture() ? 20 : 11, "the smallest delta that can be certified is 0.")}) {
    const auto none = calibrate({StaSwitch{k, kToCalibrate}, 1}, Epsilon::make(2).value(), Delta::make(0.1).value());
    ASSERT_FALSE(none.has_value());
    EXPECT_NE(none.error().text().find(said), std::string::npos) << none.error().text();
  }
}

}  // namespace
}  // namespace chronoveil::accounting
