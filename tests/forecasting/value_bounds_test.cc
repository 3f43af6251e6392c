#include "chronoveil/forecasting/value_bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace chronoveil::forecasting {
namespace {

ValueBounds bounds(double lower, double upper) {
  const Result<ValueBounds> made = ValueBounds::make(lower, upper);
  EXPECT_TRUE(made) << made.error().text();
  return *made;
}

std::string complaint(double lower, double upper) {
  const Result<ValueBounds> made = ValueBounds::make(lower, upper);
  if (made) return "";
  EXPECT_EQ(made.error().kind, ErrorKind::usage);
  return made.error().text().substr(0, made.error().text().find(':'));
}

TEST(ValueBounds, WhatIsOutsideBecomesTheNearerBoundAndMissingStaysMissing) {
  Panel panel{2, {{"a", 0, 2, {-7, 0.5f, kMissing, 1e30f}}, {"b", 0, 1, {-1, 2}}}};
  bounds(-1, 2).clamp(panel);
  const std::vector<float>& values = panel.series[0].values;
  EXPECT_EQ(values[0], -1);
  EXPECT_EQ(values[1], 0.5f);
  EXPECT_TRUE(std::isnan(values[2]));
  EXPECT_EQ(values[3], 2);
  EXPECT_EQ(panel.series[1].values, (std::vector<float>{-1, 2}));
}

TEST(ValueBounds, BoundsThatAreNoFloatsAreTakenInwards) {
  // The floats next to 0.1 and 0.7 are above 0.1 and below 0.7; those next to -0.1 and -0.7 the other way round.
  for (const auto& [lower, upper] : {std::pair(0.1, 0.7), {-0.7, -0.1}, {-0.1, 0.1}, {0.3, 1.0 / 3}}) {
    Panel panel{1, {{"a", 0, 2, {-1e30f, 1e30f}}}};
    bounds(lower, upper).clamp(panel);
    const float least = panel.series[0].values[0], greatest = panel.series[0].values[1];
    EXPECT_GE(static_cast<double>(least), lower);
    EXPECT_LE(static_cast<double>(greatest), upper);
    EXPECT_LT(static_cast<double>(std::nextafter(least, -1e30f)), lower);
    EXPECT_GT(static_cast<double>(std::nextafter(greatest, 1e30f)), upper);
  }
}

TEST(ValueBounds, TheLargestChangeIsExactWhereItIsADouble) {
  EXPECT_EQ(bounds(0, 100).largest_change(1), 100);
  EXPECT_EQ(bounds(-1, 2).largest_change(4), 6);
  EXPECT_EQ(bounds(0.25, 0.75).largest_change(9), 1.5);
}

TEST(ValueBounds, TheLargestChangeIsNeverTooSmall) {
  for (const auto& [lower, upper] : {std::pair(0.1, 0.7), {-1e-3, 1e8}, {0.0, 1.0 / 3}, {-1e30, 1.0}, {0.3, 7e5}}) {
    for (std::int64_t channels = 1; channels <= 40; ++channels) {
      const long double exact = std::sqrt(static_cast<long double>(channels)) *
                                (static_cast<long double>(upper) - static_cast<long double>(lower));
      const auto change = static_cast<long double>(bounds(lower, upper).largest_change(channels));
      EXPECT_GE(change, exact * (1 - 0x1p-62L)) << lower << " " << upper << " " << channels;
      EXPECT_LE(change, exact * (1 + 0x1p-50L)) << lower << " " << upper << " " << channels;
    }
  }
}

TEST(ValueBounds, WhatAreNoBoundsIsRefusedByName) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(complaint(1, 1), "upper");
  EXPECT_EQ(complaint(2, 1), "upper");
  EXPECT_EQ(complaint(0, 1e39), "upper");
  EXPECT_EQ(complaint(0, kInfinity), "upper");
  EXPECT_EQ(complaint(-kInfinity, 0), "lower");
  EXPECT_EQ(complaint(std::nan(""), 0), "lower");
  EXPECT_EQ(complaint(0, std::nan("")), "upper");
  EXPECT_EQ(complaint(0.1, 0.1 + 1e-12), "upper");  // no float between them
  EXPECT_EQ(complaint(-3e38, 3e38), "");
}

}  // namespace
}  // namespace chronoveil::forecasting
