#include "chronoveil/neural/augmentation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "noise/draws.h"
#include "noise/law_checker.h"

namespace chronoveil::neural {
namespace {

using forecasting::Panel;
using forecasting::Window;
using forecasting::WindowShape;

constexpr std::int64_t kDraws = std::min<std::int64_t>(noise::kLawDraws, 100 << 14);

Panel constant_panel(std::int64_t length, float value, std::int64_t channels = 1) {
  return {channels, {{"a", 100, length, std::vector<float>(static_cast<std::size_t>(length * channels), value)}}};
}

// In grid steps, from floats that hold them exactly.
noise::Fill noise_on_zeros(const Augmentation& augmentation, const WindowShape& shape, double grid, DrawRight& right) {
  const Panel panel = constant_panel(shape.context + shape.forecast, 0);
  return [=, &augmentation, &right](std::span<std::int64_t> out) {
    std::vector<Window> windows = {{0, shape.context}};
    const Panel noisy = augmentation.apply(panel, shape, windows, right).value();
    const std::vector<float>& values = noisy.series[0].values;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::int64_t>(values[i] / grid);
  };
}

TEST(Augmentation, NoiseOnContextAndLabelHasTheStatedLaws) {
  DrawRight right = DrawRight::not_private(BitSource());
  const double v = 3, sigma_context = 2, sigma_label = 0.5;
  // h, the largest power of two with h <= min(σ, 1) v / 2^20, and s / h = σ (v / h + √D).
  const double h_context = 0x1p-19, h_label = 0x1p-20;
  const auto augmentation = Augmentation::make({.context = sigma_context, .label = sigma_label, .unit = v}).value();
  noise::LawChecker of_context(noise::Law::rounded_gaussian, sigma_context * (v / h_context + 1));
  noise::LawChecker of_label(noise::Law::rounded_gaussian, sigma_label * (v / h_label + 1));
  const WindowShape all_context{(1 << 14), 1}, all_label{0, 1 << 14};
  EXPECT_EQ(of_context.complaints(noise_on_zeros(augmentation, all_context, h_context, right), kDraws), "");
  EXPECT_EQ(of_label.complaints(noise_on_zeros(augmentation, all_label, h_label, right), kDraws), "");
  // Twins: the one's noise where the other's belongs, and noise that is not fresh.
  EXPECT_NE(of_context.complaints(noise_on_zeros(augmentation, all_label, h_context, right), kDraws), "");
  const auto again = [&](std::span<std::int64_t> out) {
    DrawRight same = DrawRight::seeded(1);
    noise_on_zeros(augmentation, all_context, h_context, same)(out);
  };
  EXPECT_NE(of_context.complaints(again, kDraws), "");
}

TEST(Augmentation, OnlyTheStatedPartGetsNoise) {
  const Panel panel = constant_panel(30, 0.3F);
  const WindowShape shape{8, 4};
  DrawRight right = DrawRight::seeded(6);
  for (const bool context : {true, false}) {
    const auto augmentation =
        Augmentation::make({.context = context ? 1.0 : 0.0, .label = context ? 0.0 : 1.0}).value();
    std::vector<Window> windows = {{0, 10}};
    const Panel noisy = augmentation.apply(panel, shape, windows, right).value();
    for (std::int64_t i = 0; i < 12; ++i)
      EXPECT_EQ(noisy.series[0].values[static_cast<std::size_t>(i)] == 0.3F, (i < 8) != context) << i;
  }
  EXPECT_FALSE(Augmentation::make({}).value().any());
}

TEST(Augmentation, EveryUseOfAValueHasItsOwnNoise) {
  const Panel panel = constant_panel(30, 1);
  DrawRight right = DrawRight::seeded(6);
  std::vector<Window> windows = {{0, 10}, {0, 10}, {0, 11}};
  const auto augmentation = Augmentation::make({.context = 1, .label = 1}).value();
  const Panel noisy = augmentation.apply(panel, {8, 4}, windows, right).value();
  std::vector<float> all;
  for (const auto& series : noisy.series) all.insert(all.end(), series.values.begin(), series.values.end());
  EXPECT_EQ(all.size(), std::size_t{36});
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST(Augmentation, WindowsReadTheSameStepsOfTheSameClock) {
  Panel panel = constant_panel(30, 0, 2);
  for (std::size_t i = 0; i < panel.series[0].values.size(); ++i)
    panel.series[0].values[i] = 1000 * static_cast<float>(i + 1);
  const WindowShape shape{8, 4};
  const forecasting::Calendar calendar{{{24, 0}}};
  const std::vector<Window> before = {{0, 0}, {0, 3}, {0, 8}, {0, 26}};
  std::vector<Window> after = before;
  DrawRight right = DrawRight::seeded(6);
  const auto augmentation = Augmentation::make({.context = 1, .label = 1, .channels = 2}).value();
  const Panel noisy = augmentation.apply(panel, shape, after, right).value();
  const auto plain = forecasting::cut(panel, shape, calendar, forecasting::Fill::zero, before).value();
  const auto seen = forecasting::cut(noisy, shape, calendar, forecasting::Fill::zero, after).value();
  EXPECT_EQ(seen.calendar, plain.calendar);
  EXPECT_EQ(seen.observed, plain.observed);
  std::size_t padded = 0, noisy_values = 0;
  for (std::size_t i = 0; i < plain.values.size(); ++i) {
    EXPECT_NEAR(seen.values[i], plain.values[i], plain.observed[i] == 0 ? 0 : 100) << i;
    padded += plain.observed[i] == 0 ? 1 : 0;
    noisy_values += seen.values[i] != plain.values[i] ? 1 : 0;
  }
  EXPECT_EQ(padded, std::size_t{2 * (8 + 5)});
  EXPECT_GT(noisy_values, (plain.values.size() - padded) / 2);  // a float may be all that is left of a little noise
}

TEST(Augmentation, MissingValuesAreFilledFromNoisyOnes) {
  Panel panel = constant_panel(30, 5);
  panel.series[0].values[9] = forecasting::kMissing;
  std::vector<Window> windows = {{0, 10}};
  DrawRight right = DrawRight::seeded(6);
  const auto augmentation = Augmentation::make({.context = 1, .label = 1}).value();
  const Panel noisy = augmentation.apply(panel, {8, 4}, windows, right).value();
  EXPECT_TRUE(std::isnan(noisy.series[0].values[7]));
  const auto seen = forecasting::cut(noisy, {8, 4}, {}, forecasting::Fill::window_mean, windows).value();
  double mean = 0;
  for (std::size_t i = 0; i < 7; ++i) mean += seen.values[i] / 7;
  EXPECT_EQ(seen.observed[7], 0);
  EXPECT_NEAR(seen.values[7], mean, 1e-5);
  EXPECT_NE(seen.values[7], 5);
}

TEST(Augmentation, AChangeOfVMovesWhatGetsNoiseByNoMoreThanTheNoiseAllowsFor) {
  const double sigma = 3, h = 0x1p-22;  // <= v / 2^20
  const float v = 0.3F;
  const auto augmentation = Augmentation::make({.context = sigma, .label = sigma, .unit = v, .channels = 2}).value();
  const double allowed = v + h * std::sqrt(2.0);
  double furthest = 0;
  for (int k = 0; k < 200; ++k) {
    const float x = 0.01F * static_cast<float>(k) + 1e-4F;
    const float part = v / std::sqrt(2.0F);
    Panel one = constant_panel(4, x, 2), other = constant_panel(4, x + part, 2);
    DrawRight right = DrawRight::seeded(static_cast<std::uint64_t>(k)),
              same = DrawRight::seeded(static_cast<std::uint64_t>(k));
    std::vector<Window> windows = {{0, 2}}, others = windows;
    const Panel a = augmentation.apply(one, {2, 2}, windows, right).value(),
                b = augmentation.apply(other, {2, 2}, others, same).value();
    const auto difference = [&](std::size_t i) {
      return static_cast<double>(b.series[0].values[i]) - a.series[0].values[i];
    };
    furthest = std::max(furthest, std::hypot(difference(0), difference(1)));
  }
  EXPECT_LE(furthest, allowed * (1 + 1e-6));  // floats of a size of 10 have less than that left
  EXPECT_GT(furthest, 0.99 * v);
}

TEST(Augmentation, BitsUsedDoNotDependOnValues) {
  const auto augmentation = Augmentation::make({.context = 1, .label = 2}).value();
  Panel panel = constant_panel(30, 5), other = constant_panel(30, 3e38F);
  other.series[0].values[4] = forecasting::kMissing;
  DrawRight right = DrawRight::seeded(8), same = DrawRight::seeded(8);
  std::vector<Window> windows = {{0, 1}, {0, 9}}, others = windows;
  const Panel noisy = augmentation.apply(panel, {8, 4}, windows, right).value();
  const Panel limited = augmentation.apply(other, {8, 4}, others, same).value();
  EXPECT_EQ((*right.bits())->next_u64(), (*same.bits())->next_u64());
  for (const float value : limited.series[1].values) EXPECT_FALSE(std::isinf(value));
}

TEST(Augmentation, SettingsOutOfRangeAreRefusedByName) {
  const auto complaint = [](const AugmentationNoise& noise) {
    const auto made = Augmentation::make(noise);
    return made ? std::string() : made.error().text().substr(0, made.error().text().find(':'));
  };
  EXPECT_EQ(complaint({.context = -1}), "context_noise");
  EXPECT_EQ(complaint({.context = NAN}), "context_noise");
  EXPECT_EQ(complaint({.label = 1e6}), "label_noise");
  EXPECT_EQ(complaint({.label = 1, .unit = 0}), "noise_unit");
  EXPECT_EQ(complaint({.label = 1, .unit = INFINITY}), "noise_unit");
  EXPECT_EQ(complaint({.label = 1, .unit = 1e300}), "noise_unit");
  EXPECT_EQ(complaint({.label = 1, .unit = 1e-300}), "noise_unit");
  EXPECT_EQ(complaint({.label = 1e-200, .unit = 1e-100}), "noise_unit");
  EXPECT_EQ(complaint({.unit = 0}), "");  // no noise, no unit
  for (const double sigma : {1e-9, 0.5, 1.0, 262144.0})
    for (const double unit : {1e-30, 1.0, 1e30}) EXPECT_EQ(complaint({.label = sigma, .unit = unit}), "") << sigma;
}

}  // namespace
}  // namespace chronoveil::neural
