#include "chronoveil/temporal/noisy_sorting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "noise/statistics.h"
#include "temporal/sort_reference.h"

namespace chronoveil::temporal {
namespace {

constexpr std::int64_t kDraws = 200'000;

NoisySortLaw sort_of(std::int64_t window, double epsilon, KeyLaw law, std::optional<std::int64_t> max_shift = {}) {
  return {window, epsilon, law, max_shift};
}

Outcome whole(int length, const KeySampler& keys, BitSource& bits) {
  const auto order = noisy_order(length, keys, bits).value();
  return outcome_of({order.begin(), order.end()});
}

TEST(NoisyOrder, EveryOrderHasItsProbability) {
  BitSource bits;
  for (const KeyLaw keys : {KeyLaw::laplace, KeyLaw::staircase}) {
    for (const NoisySortLaw& law : {sort_of(2, 3, keys), sort_of(3, 5, keys), sort_of(3, 0.5, keys, 4)}) {
      const OutcomeLaw exact = sort_law(4, shift_law(law, law.max_shift ? 4 : 9), Recorded::order);
      EXPECT_NEAR(total(exact), 1, 1e-9);
      const KeySampler sampler = KeySampler::make(law).value();
      EXPECT_GT(outcomes_p_value(exact, kDraws, [&] { return whole(4, sampler, bits); }), noise::kLevel);
    }
  }
}

TEST(NoisyOrder, AWideSpreadOfKeysIsSortedAllTheSame) {
  BitSource bits;
  // Keys spread over millions, so that ties hardly occur and all orders of 4 are as likely, nearly.
  const KeySampler sampler = KeySampler::make(sort_of(1 << 20, 1, KeyLaw::laplace)).value();
  OutcomeLaw even;
  std::vector<int> order = {0, 1, 2, 3};
  do even[outcome_of(order)] = 1 / 24.0;
  while (std::next_permutation(order.begin(), order.end()));
  EXPECT_GT(outcomes_p_value(even, kDraws, [&] { return whole(4, sampler, bits); }), noise::kLevel);
}

Outcome stream(NoisySorting<int>& kernel, int length, Recorded what, BitSource& bits) {
  Outcome outcome;
  int time = 0;
  const auto sink = [&](int value) {
    outcome.add(value);
    if (what == Recorded::order_and_times) outcome.add(time);
  };
  for (; time < length; ++time) kernel.push(time, bits, sink);
  kernel.finish(bits, sink);
  return outcome;
}

TEST(NoisySorting, WhatLeavesWhenHasItsProbability) {
  BitSource bits;
  for (const KeyLaw keys : {KeyLaw::laplace, KeyLaw::staircase}) {
    for (const int shift : {1, 2, 3}) {
      const NoisySortLaw law = sort_of(3, 3, keys, shift);
      auto kernel = NoisySorting<int>::make(law).value();
      const OutcomeLaw exact = sort_law(4, shift_law(law, shift), Recorded::order_and_times);
      EXPECT_GT(outcomes_p_value(exact, kDraws, [&] { return stream(kernel, 4, Recorded::order_and_times, bits); }),
                noise::kLevel);
    }
  }
}

TEST(NoisySorting, LongerSeriesThanItHoldsKeepTheirLaw) {
  BitSource bits;
  const NoisySortLaw law = sort_of(2, 1, KeyLaw::laplace, 1);  // 3 places for 6 values
  auto kernel = NoisySorting<int>::make(law).value();
  EXPECT_GT(outcomes_p_value(sort_law(6, shift_law(law, 1), Recorded::order), kDraws,
                             [&] { return stream(kernel, 6, Recorded::order, bits); }),
            noise::kLevel);
}

double twin_p_value(SortMistake mistake, Recorded what) {
  BitSource bits;
  const NoisySortLaw law = sort_of(3, 3, KeyLaw::laplace, 2);
  const auto sampler = noise::Sampler::make(noise::Law::discrete_laplace, 4.0 / 3).value();
  return outcomes_p_value(sort_law(4, shift_law(law, 2), what), kDraws, [&] {
    return sort_slowly(
        4, 2, what, mistake, [&] { return sampler(bits); }, bits);
  });
}

TEST(NoisySorting, TheReferencePassesAndItsTwinsAreRejected) {
  EXPECT_GT(twin_p_value(SortMistake::none, Recorded::order), noise::kLevel);
  EXPECT_GT(twin_p_value(SortMistake::none, Recorded::order_and_times), noise::kLevel);
  EXPECT_LT(twin_p_value(SortMistake::stable, Recorded::order), noise::kLevel);
  EXPECT_LT(twin_p_value(SortMistake::clamped, Recorded::order), noise::kLevel);
  EXPECT_LT(twin_p_value(SortMistake::one_swap, Recorded::order), noise::kLevel);
  EXPECT_LT(twin_p_value(SortMistake::impatient, Recorded::order_and_times), noise::kLevel);
}

// The most that swapping two values less than a window apart changes the logarithm of an order's probability.
double largest_loss(int length, int window, const std::vector<double>& shifts,
                    SortMistake mistake = SortMistake::none) {
  const OutcomeLaw law = sort_law(length, shifts, Recorded::order, mistake);
  std::vector<int> order(static_cast<std::size_t>(length));
  double largest = 0;
  for (int i = 0; i < length; ++i) {
    for (int j = i + 1; j < length && j - i < window; ++j) {
      std::iota(order.begin(), order.end(), 0);
      do {
        std::vector<int> swapped = order;
        for (int& value : swapped) value = value == i ? j : value == j ? i : value;
        largest = std::max(largest, std::log(law.at(outcome_of(order)) / law.at(outcome_of(swapped))));
      } while (std::next_permutation(order.begin(), order.end()));
    }
  }
  return largest;
}

TEST(NoisySorting, ThePureEpsilonHoldsForEveryOrderAndEverySwap) {
  for (const KeyLaw keys : {KeyLaw::laplace, KeyLaw::staircase}) {
    for (const double epsilon : {2.0, 4.0}) {
      const double two = largest_loss(4, 2, shift_law(sort_of(2, epsilon, keys), 9));
      EXPECT_LE(two, epsilon);
      EXPECT_GE(two, epsilon / 2);  // and it is no empty promise
      EXPECT_LE(largest_loss(3, 3, shift_law(sort_of(3, epsilon, keys), 15)), epsilon);
    }
  }
}

TEST(NoisySorting, AStableSortBreaksThePureEpsilon) {
  const std::vector<double> shifts = shift_law(sort_of(3, 6, KeyLaw::laplace), 12);
  EXPECT_LE(largest_loss(3, 3, shifts), 6);
  EXPECT_GT(largest_loss(3, 3, shifts, SortMistake::stable), 6.2);
}

TEST(NoisyOrder, IsAPermutationOfAnyLength) {
  BitSource bits;
  for (const std::int64_t n : {0, 1, 2, 1000, 30'000}) {
    for (const KeyLaw keys : {KeyLaw::laplace, KeyLaw::staircase}) {
      auto order = noisy_order(n, sort_of(80, 0.5, keys), bits).value();
      std::sort(order.begin(), order.end());
      ASSERT_EQ(order.size(), static_cast<std::size_t>(n));
      for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i);
    }
  }
}

TEST(NoisySorting, ValuesThatOwnMemoryComeOutWholeAndAfterTheEndItIsAsNew) {
  BitSource bits;
  auto kernel = NoisySorting<std::string>::make(sort_of(10, 1, KeyLaw::staircase, 300)).value();
  for (const int length : {2000, 10, 0, 601, 700}) {
    std::vector<std::string> in, out;
    const auto sink = [&](std::string&& value) { out.push_back(std::move(value)); };
    for (int i = 0; i < length; ++i) {
      in.push_back(std::string(30, 'x') + std::to_string(i % 1000));
      kernel.push(in.back(), bits, sink);
      ASSERT_LE(in.size() - out.size(), 601u);
    }
    kernel.finish(bits, sink);
    std::sort(in.begin(), in.end());
    std::sort(out.begin(), out.end());
    EXPECT_EQ(in, out);
  }
}

}  // namespace
}  // namespace chronoveil::temporal
