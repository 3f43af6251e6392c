#include "chronoveil/forecasting/panel.h"

#include <gtest/gtest.h>

#include <cmath>

namespace chronoveil::forecasting {
namespace {

Panel small_panel() {
  return {2, {{"a", 0, 3, {1, 2, 3, kMissing, 5, 6}}, {"b", 7, 2, {1, 2, 3, 4}}, {"c", 0, 3, std::vector<float>(6)}}};
}

std::string complaint(const Panel& panel, std::int64_t forecast_length = 2) {
  const auto checked = check_panel(panel, forecast_length);
  return checked ? "" : checked.error().text();
}

TEST(CheckPanel, AcceptsSeriesOfSeveralLengthsWithMissingValues) { EXPECT_EQ(complaint(small_panel()), ""); }

TEST(CheckPanel, NamesTheSeriesAndWhatIsWrongWithIt) {
  Panel panel = small_panel();
  panel.series[1].key = "a";
  EXPECT_EQ(complaint(panel), "series 'a': it is there twice");
  panel = small_panel();
  EXPECT_EQ(complaint(panel, 3), "series 'b': it has 2 steps; a forecast of 3 needs at least as many");
  panel.series[1].values.pop_back();
  EXPECT_EQ(complaint(panel), "series 'b': its values are not 2 steps of 2 channels");
  panel = small_panel();
  panel.series[2].start = kClockLimit + 1;
  EXPECT_EQ(complaint(panel), "series 'c': it starts more than 2^52 steps from the first on the clock of the panel");
  EXPECT_EQ(complaint({1, {}}), "panel: it has no series");
  EXPECT_EQ(complaint({0, {}}), "panel: it has no channels");
  EXPECT_NE(complaint(small_panel(), 0), "");
}

TEST(CheckPanel, NamesTheStepOfAnInfiniteValueAndNotTheValue) {
  Panel panel = small_panel();
  panel.series[0].values[4] = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(complaint(panel), "series 'a': step 3 is not finite");
}

TEST(CheckPanel, AProductThatWouldOverflowIsNoMatch) {
  Panel panel{std::int64_t{1} << 32, {{"a", 0, std::int64_t{1} << 32, {}}}};
  EXPECT_NE(complaint(panel), "");
}

TEST(LengthsOf, AreDistinctAndAscending) {
  EXPECT_EQ(lengths_of(small_panel()), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(lengths_of({}), std::vector<std::int64_t>{});
}

TEST(WithoutLast, TakesWholeStepsOffTheEnd) {
  const Panel shorter = without_last(small_panel(), 1).value();
  ASSERT_EQ(shorter.series.size(), 3u);
  EXPECT_EQ(shorter.channels, 2);
  EXPECT_EQ(shorter.series[0].length, 2);
  EXPECT_EQ(shorter.series[1].key, "b");
  EXPECT_EQ(shorter.series[1].start, 7);
  EXPECT_EQ(shorter.series[1].values, (std::vector<float>{1, 2}));
  EXPECT_TRUE(std::isnan(shorter.series[0].values[3]));
  EXPECT_EQ(without_last(small_panel(), 0)->series[1].values, small_panel().series[1].values);
}

TEST(WithoutLast, RefusesToLeaveNothingOfASeries) {
  EXPECT_EQ(without_last(small_panel(), 2).error().text(),
            "series 'b': it has 2 steps, and 2 are held back for the test");
  EXPECT_FALSE(without_last(small_panel(), -1));
}

}  // namespace
}  // namespace chronoveil::forecasting
