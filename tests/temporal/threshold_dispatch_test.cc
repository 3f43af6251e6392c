#include "chronoveil/temporal/threshold_dispatch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "noise/statistics.h"
#include "temporal/outcomes.h"

namespace chronoveil::temporal {
namespace {

constexpr std::int64_t kDraws = 200'000;
constexpr int kEmpty = -1;

// By going through all choices, over slots that are never used again.
void go_through(std::vector<int>& slots, int value, int length, double probability, const ThresholdLaw& law,
                OutcomeLaw& out) {
  if (value == length) {
    out[outcome_of({slots.begin(), slots.begin() + length})] += probability;
    return;
  }
  std::vector<int> empty;
  for (int slot = value; slot < value + law.window; ++slot) {
    if (slots[static_cast<std::size_t>(slot)] == kEmpty) empty.push_back(slot);
  }
  const bool stays = static_cast<std::int64_t>(empty.size()) <= law.threshold && empty[0] == value;
  if (stays) empty.resize(1);
  for (const int slot : empty) {
    slots[static_cast<std::size_t>(slot)] = value;
    go_through(slots, value + 1, length, probability / static_cast<double>(empty.size()), law, out);
    slots[static_cast<std::size_t>(slot)] = kEmpty;
  }
}

OutcomeLaw threshold_law(int length, const ThresholdLaw& law) {
  std::vector<int> slots(static_cast<std::size_t>(length + law.window), kEmpty);
  OutcomeLaw out;
  go_through(slots, 0, length, 1, law, out);
  return out;
}

Outcome release(ThresholdDispatch<int>& kernel, int length, BitSource& bits) {
  Outcome outcome;
  int missing = 0;
  const auto sink = [&](std::optional<int>&& slot) {
    outcome.add(slot.value_or(kEmpty));
    missing += slot ? 0 : 1;
  };
  for (int i = 0; i < length; ++i) kernel.push(i, bits, sink);
  EXPECT_EQ(kernel.finish(), missing);  // as many as slots that stayed empty
  return outcome;
}

double p_value(int length, const ThresholdLaw& drawn, const ThresholdLaw& stated) {
  BitSource bits;
  auto kernel = ThresholdDispatch<int>::make(drawn).value();
  return outcomes_p_value(threshold_law(length, stated), kDraws, [&] { return release(kernel, length, bits); });
}

TEST(ThresholdDispatch, EveryReleaseHasItsProbability) {
  for (const ThresholdLaw& law : {ThresholdLaw{2, 1}, ThresholdLaw{3, 1}, ThresholdLaw{3, 2}, ThresholdLaw{4, 1},
                                  ThresholdLaw{4, 2}, ThresholdLaw{4, 3}}) {
    EXPECT_NEAR(total(threshold_law(5, law)), 1, 1e-12);
    EXPECT_GT(p_value(5, law, law), noise::kLevel) << law.window << ' ' << law.threshold;
  }
}

TEST(ThresholdDispatch, AnotherThresholdIsRejected) {
  EXPECT_LT(p_value(5, {4, 1}, {4, 2}), noise::kLevel);
  EXPECT_LT(p_value(5, {4, 3}, {4, 2}), noise::kLevel);
}

TEST(ThresholdDispatch, MissingAndEmptyAddUpAndNothingIsRepeated) {
  BitSource bits;
  auto kernel = ThresholdDispatch<std::string>::make({20, 5}).value();
  for (const int length : {1, 10, 3000, 0}) {  // after finish() it is as new
    std::vector<std::string> released;
    int slots = 0;
    for (int i = 0; i < length; ++i) {
      kernel.push(std::string(30, 'x') + std::to_string(i), bits, [&](std::optional<std::string>&& slot) {
        ++slots;
        if (slot) released.push_back(std::move(*slot));
      });
      ASSERT_EQ(slots, i + 1);  // slot i leaves with arrival i
    }
    const std::int64_t missing = kernel.finish();
    EXPECT_EQ(static_cast<std::int64_t>(released.size()) + missing, length);
    std::sort(released.begin(), released.end());
    EXPECT_EQ(std::adjacent_find(released.begin(), released.end()), released.end());
  }
}

TEST(ThresholdDispatch, WhatIsNoLawIsRefusedByName) {
  const auto named = [](const ThresholdLaw& law) {
    const auto checked = check(law);
    return checked ? "" : checked.error().text().substr(0, checked.error().text().find(':'));
  };
  EXPECT_EQ(named({2, 1}), "");
  EXPECT_EQ(named({1 << 20, (1 << 20) - 1}), "");
  for (const std::int64_t window : {-1, 0, 1, (1 << 20) + 1}) EXPECT_EQ(named({window, 1}), "window");
  for (const std::int64_t threshold : {-1, 0, 4}) EXPECT_EQ(named({4, threshold}), "threshold");
}

}  // namespace
}  // namespace chronoveil::temporal
