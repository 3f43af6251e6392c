#include "chronoveil/forecasting/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "chronoveil/noise/subset.h"
#include "chronoveil/noise/uniform.h"
#include "forecasting/sampling_checker.h"
#include "noise/draws.h"

namespace chronoveil::forecasting {
namespace {

constexpr std::int64_t kSteps = kSanitized ? 20'000 : 200'000;
constexpr WindowShape kShape{5, 3};
const std::vector<std::int64_t> kLengths = {7, 5, 10, 8, 3, 7, 9};  // T = 5, 3, 8, 6, 1, 5, 7

SamplingScheme scheme(TopLevel top, BottomLevel bottom, std::int64_t batch_size, std::int64_t windows_per_series) {
  return {top, bottom, batch_size, windows_per_series};
}

SamplingLaw law_of(const SamplingScheme& scheme) { return {scheme, kShape, kLengths}; }

std::int64_t windows_of(std::int64_t series) { return kShape.windows(kLengths[static_cast<std::size_t>(series)]); }

std::string complaints_of_sampler(const SamplingScheme& scheme) {
  DrawRight right = DrawRight::not_private(BitSource());
  const WindowSampler sampler = WindowSampler::make(scheme, kShape, kLengths).value();
  return complaints(
      law_of(scheme), [&](std::int64_t step) { return sampler.draw(step, right).value(); }, kSteps);
}

constexpr TopLevel kIterate = TopLevel::iterate, kSubsets = TopLevel::without_replacement;
constexpr BottomLevel kReplaced = BottomLevel::with_replacement, kPoisson = BottomLevel::poisson;

TEST(WindowSampler, FreshSubsetsWithUniformWindowsFollowTheirLaw) {
  EXPECT_EQ(complaints_of_sampler(scheme(kSubsets, kReplaced, 3, 1)), "");
  EXPECT_EQ(complaints_of_sampler(scheme(kSubsets, kReplaced, 7, 2)), "");
}

TEST(WindowSampler, FreshSubsetsWithPoissonWindowsFollowTheirLaw) {
  EXPECT_EQ(complaints_of_sampler(scheme(kSubsets, kPoisson, 3, 1)), "");
  EXPECT_EQ(complaints_of_sampler(scheme(kSubsets, kPoisson, 7, 2)), "");
}

TEST(WindowSampler, GroupsInTurnWithUniformWindowsFollowTheirLaw) {
  EXPECT_EQ(complaints_of_sampler(scheme(kIterate, kReplaced, 3, 1)), "");
  EXPECT_EQ(complaints_of_sampler(scheme(kIterate, kReplaced, 7, 2)), "");
}

TEST(WindowSampler, GroupsInTurnWithPoissonWindowsFollowTheirLaw) {
  EXPECT_EQ(complaints_of_sampler(scheme(kIterate, kPoisson, 3, 1)), "");
  EXPECT_EQ(complaints_of_sampler(scheme(kIterate, kPoisson, 7, 2)), "");
}

TEST(WindowSampler, AnEpochHasEverySeriesOnceWithASmallerLastGroup) {
  DrawRight right = DrawRight::not_private(BitSource());
  const WindowSampler sampler = WindowSampler::make(scheme(kIterate, kReplaced, 6, 2), kShape, kLengths).value();
  ASSERT_EQ(sampler.steps_per_epoch(), 3);
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    std::map<std::int64_t, int> seen;
    for (std::int64_t step = 0; step < 3; ++step) {
      const auto drawn = sampler.draw(3 * epoch + step, right).value();
      EXPECT_EQ(drawn.size(), step == 2 ? 2u : 6u);
      for (const Window& window : drawn) ++seen[window.series];
    }
    EXPECT_EQ(seen.size(), kLengths.size());
    for (const auto& [series, count] : seen) EXPECT_EQ(count, 2) << series;
  }
}

TEST(WindowSampler, StepsOfAnEpochAreRoundedUp) {
  const auto steps = [](std::int64_t batch_size) {
    return WindowSampler::make(scheme(kIterate, kReplaced, batch_size, 1), kShape, kLengths)->steps_per_epoch();
  };
  EXPECT_EQ(steps(1), 7);
  EXPECT_EQ(steps(4), 2);
  EXPECT_EQ(steps(7), 1);
}

TEST(WindowSampler, PoissonTakesEveryWindowOnceWhereMoreAreWantedThanThereAre) {
  DrawRight right = DrawRight::not_private(BitSource());
  const WindowSampler sampler = WindowSampler::make(scheme(kIterate, kPoisson, 70, 10), kShape, kLengths).value();
  const auto drawn = sampler.draw(0, right).value();
  std::vector<Window> all;
  for (std::int64_t i = 0; i < 7; ++i) {
    for (std::int64_t t = 0; t < windows_of(i); ++t) all.push_back({i, t});
  }
  EXPECT_EQ(drawn, all);
}

TEST(WindowSampler, RefusesWhatNoBatchCanBeMadeOfAndNamesIt) {
  const auto refusal = [](std::int64_t batch_size, std::int64_t windows_per_series, WindowShape shape = kShape,
                          std::vector<std::int64_t> lengths = kLengths) {
    const auto sampler =
        WindowSampler::make(scheme(kSubsets, kReplaced, batch_size, windows_per_series), shape, std::move(lengths));
    if (sampler) return std::string("accepted");
    EXPECT_EQ(sampler.error().kind, ErrorKind::usage);
    return sampler.error().text().substr(0, sampler.error().text().find(':'));
  };
  EXPECT_EQ(refusal(7, 1), "accepted");
  EXPECT_EQ(refusal(8, 1), "batch_size");
  EXPECT_EQ(refusal(15, 2), "accepted");
  EXPECT_EQ(refusal(16, 2), "batch_size");
  EXPECT_EQ(refusal(3, 0), "windows_per_series");
  EXPECT_EQ(refusal(1, 2), "batch_size");
  EXPECT_EQ(refusal(1, 1, {5, 4}), "forecast_length");  // one series has 3 steps
  EXPECT_EQ(refusal(1, 1, {5, 0}), "forecast_length");
  EXPECT_EQ(refusal(1, 1, {-1, 3}), "context_length");
  EXPECT_EQ(refusal(1, 1, kShape, {}), "batch_size");
}

// Samplers that go wrong in the ways in which samplers go wrong, in the parts that differ.
class BrokenTwins : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "telling a twin from the original takes more draws than a sanitizer makes";
  }

  std::vector<std::int64_t> subset() { return *noise::fixed_size_subset(7, 3, bits_); }
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(noise::uniform_below(static_cast<std::uint64_t>(bound), bits_));
  }
  std::vector<Window> one_each(const std::vector<std::int64_t>& chosen) {
    std::vector<Window> drawn;
    for (const std::int64_t i : chosen) drawn.push_back({i, below(windows_of(i))});
    return drawn;
  }
  // Each window with probability `wanted` / (T + more).
  std::vector<Window> coins(const std::vector<std::int64_t>& chosen, std::int64_t wanted, std::int64_t more) {
    std::vector<Window> drawn;
    for (const std::int64_t i : chosen) {
      for (std::int64_t t = 0; t < windows_of(i); ++t) {
        if (below(std::max<std::int64_t>(1, windows_of(i) + more)) < wanted) drawn.push_back({i, t});
      }
    }
    return drawn;
  }
  std::string judged(const SamplingScheme& scheme, const DrawStep& twin) {
    return complaints(law_of(scheme), twin, kSteps);
  }
  static bool has(const std::string& names, const char* name) { return names.find(name) != std::string::npos; }

  const SamplingScheme uniform_ = scheme(kSubsets, kReplaced, 3, 1), poisson_ = scheme(kSubsets, kPoisson, 3, 1);
  BitSource bits_;
};

TEST_F(BrokenTwins, TheseWaysToDrawAreRightAsLongAsNothingIsBroken) {
  EXPECT_EQ(judged(uniform_, [&](std::int64_t) { return one_each(subset()); }), "");
  EXPECT_EQ(judged(poisson_, [&](std::int64_t) { return coins(subset(), 1, 0); }), "");
}

TEST_F(BrokenTwins, SeriesDrawnWithReplacement) {
  const auto names = judged(uniform_, [&](std::int64_t) { return one_each({below(7), below(7), below(7)}); });
  EXPECT_TRUE(has(names, "series")) << names;
  EXPECT_TRUE(has(names, "repeated")) << names;
  // Poisson hides how many series were chosen, but not how often they come together.
  const auto hidden = judged(poisson_, [&](std::int64_t) {
    std::vector<std::int64_t> chosen = {below(7), below(7), below(7)};
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return coins(chosen, 1, 0);
  });
  EXPECT_TRUE(has(hidden, "series")) << hidden;
}

TEST_F(BrokenTwins, SeriesDrawnOnTheirOwn) {
  const auto names = judged(poisson_, [&](std::int64_t) {
    std::vector<std::int64_t> chosen;
    for (std::int64_t i = 0; i < 7; ++i) {
      if (below(7) < 3) chosen.push_back(i);
    }
    return coins(chosen, 1, 0);
  });
  EXPECT_TRUE(has(names, "series")) << names;
}

TEST_F(BrokenTwins, TheSameSubsetInEveryStep) {
  const auto kept = subset();
  EXPECT_TRUE(has(judged(uniform_, [&](std::int64_t) { return one_each(kept); }), "series"));
  EXPECT_TRUE(has(judged(poisson_, [&](std::int64_t) { return coins(kept, 1, 0); }), "series"));
}

TEST_F(BrokenTwins, ASubsetThatStaysForTwoSteps) {
  std::vector<std::int64_t> kept;
  const auto subset_of = [&](std::int64_t step) { return step % 2 == 0 ? kept = subset() : kept; };
  EXPECT_TRUE(has(judged(uniform_, [&](std::int64_t step) { return one_each(subset_of(step)); }), "lag"));
  EXPECT_TRUE(has(judged(poisson_, [&](std::int64_t step) { return coins(subset_of(step), 1, 0); }), "lag"));
}

TEST_F(BrokenTwins, GroupsThatAreShuffledOrWrapAround) {
  const SamplingScheme in_turn = scheme(kIterate, kReplaced, 3, 1);
  const auto group = [](std::int64_t step) {
    return std::vector<std::int64_t>{3 * step % 7, (3 * step + 1) % 7, (3 * step + 2) % 7};
  };
  EXPECT_TRUE(has(judged(in_turn, [&](std::int64_t step) { return one_each(group(step)); }), "group"));
  EXPECT_TRUE(has(judged(in_turn, [&](std::int64_t step) { return one_each(group(step % 3)); }), "group"));
  EXPECT_TRUE(has(judged(in_turn, [&](std::int64_t) { return one_each(subset()); }), "group"));
}

TEST_F(BrokenTwins, ASeriesThatIsLeftOutOfItsEpoch) {
  const auto names = judged(scheme(kIterate, kReplaced, 3, 1), [&](std::int64_t step) {
    return step % 3 == 2 ? std::vector<Window>{} : one_each({3 * (step % 3), 3 * (step % 3) + 1, 3 * (step % 3) + 2});
  });
  EXPECT_TRUE(has(names, "group")) << names;
}

TEST_F(BrokenTwins, OneWindowTooFewOrTooMany) {
  const auto bounded = [&](std::int64_t change) {
    std::vector<Window> drawn;
    for (const std::int64_t i : subset())
      drawn.push_back({i, below(std::max<std::int64_t>(1, windows_of(i) + change))});
    return drawn;
  };
  EXPECT_TRUE(has(judged(uniform_, [&](std::int64_t) { return bounded(-1); }), "windows"));
  EXPECT_TRUE(has(judged(uniform_, [&](std::int64_t) { return bounded(1); }), "range"));
  const auto without_first = [&](std::int64_t) {
    auto drawn = bounded(-1);
    for (Window& window : drawn) window.start += windows_of(window.series) > 1 ? 1 : 0;
    return drawn;
  };
  EXPECT_TRUE(has(judged(uniform_, without_first), "windows"));
}

TEST_F(BrokenTwins, WindowsOfTheShortestSeriesForAll) {
  const auto twin = [&](std::int64_t) {
    auto drawn = one_each(subset());
    for (Window& window : drawn) window.start = below(std::min<std::int64_t>(3, windows_of(window.series)));
    return drawn;
  };
  EXPECT_TRUE(has(judged(uniform_, twin), "windows"));
}

TEST_F(BrokenTwins, WindowsWithoutReplacement) {
  // The second window repeats the first, so that only the law of pairs differs.
  const auto names = judged(scheme(kIterate, kReplaced, 14, 2), [&](std::int64_t) {
    std::vector<Window> drawn;
    for (std::int64_t i = 0; i < 7; ++i) {
      const std::int64_t t = windows_of(i), first = below(t), second = t == 1 ? 0 : (first + 1 + below(t - 1)) % t;
      drawn.insert(drawn.end(), {{i, first}, {i, second}});
    }
    return drawn;
  });
  EXPECT_EQ(names, "windows");
}

TEST_F(BrokenTwins, OneUniformNumberForTheWindowsOfAllSeries) {
  const auto names = judged(uniform_, [&](std::int64_t) {
    const std::int64_t common = below(840);  // a multiple of every T
    std::vector<Window> drawn;
    for (const std::int64_t i : subset()) drawn.push_back({i, common * windows_of(i) / 840});
    return drawn;
  });
  EXPECT_EQ(names, "between");
}

TEST_F(BrokenTwins, TheSameWindowsTwiceInARow) {
  std::vector<Window> kept;
  const auto names = judged(scheme(kIterate, kReplaced, 7, 1), [&](std::int64_t step) {
    return step % 2 == 0 ? kept = one_each({0, 1, 2, 3, 4, 5, 6}) : kept;
  });
  EXPECT_TRUE(has(names, "lag")) << names;
}

TEST_F(BrokenTwins, ARateOverOneWindowMoreOrLess) {
  for (const std::int64_t wanted : {1, 2}) {
    const SamplingScheme poisson = scheme(kSubsets, kPoisson, 3 * wanted, wanted);
    EXPECT_TRUE(has(judged(poisson, [&](std::int64_t) { return coins(subset(), wanted, 1); }), "windows"));
    EXPECT_TRUE(has(judged(poisson, [&](std::int64_t) { return coins(subset(), wanted, -1); }), "windows"));
  }
}

TEST_F(BrokenTwins, EmptyBatchesAreDrawnAgain) {
  const SamplingScheme small = scheme(kSubsets, kPoisson, 1, 1);
  const auto names = judged(small, [&](std::int64_t) {
    for (;;) {
      if (auto drawn = coins({below(7)}, 1, 0); !drawn.empty()) return drawn;
    }
  });
  EXPECT_TRUE(has(names, "empty")) << names;
  EXPECT_EQ(judged(small, [&](std::int64_t) { return coins({below(7)}, 1, 0); }), "");
}

TEST_F(BrokenTwins, ExactlyAsManyWindowsAsExpected) {
  // One uniform window per series where each should be drawn on its own.
  EXPECT_TRUE(has(judged(poisson_, [&](std::int64_t) { return one_each(subset()); }), "windows"));
}

}  // namespace
}  // namespace chronoveil::forecasting
