#include <gtest/gtest.h>

#include <limits>
#include <regex>

#include "chronoveil/report/draw/chart.h"
#include "chronoveil/report/draw/heat_map.h"
#include "chronoveil/report/draw/paths.h"
#include "chronoveil/report/draw/scale.h"
#include "chronoveil/report/draw/thinning.h"
#include "report/forecasted_sample.h"
#include "report/page_checks.h"
#include "report/sample.h"

namespace chronoveil::report {
namespace {

TEST(Scale, CoversItsRangeWithRoundTicks) {
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{
           {0, 503}, {3, 4}, {-7, 12}, {0, 0}, {5, 5}, {1e-9, 2e-9}, {-3, -3}, {999.5, 1000}, {0, 1e12}}) {
    const Scale scale = nice_scale(low, high, 5);
    EXPECT_LE(scale.low, low);
    EXPECT_GE(scale.high, high);
    const std::vector<double> ticks = scale.ticks();
    EXPECT_GE(ticks.size(), 2u) << low << " " << high;
    EXPECT_LE(ticks.size(), 12u) << low << " " << high;
    EXPECT_NEAR(ticks.back(), scale.high, scale.unit * 1e-6);
    const double lead = scale.unit / std::pow(10, std::floor(std::log10(scale.unit) + 1e-9));
    EXPECT_TRUE(std::fabs(lead - 1) < 1e-6 || std::fabs(lead - 2) < 1e-6 || std::fabs(lead - 5) < 1e-6) << lead;
  }
}

TEST(Scale, StartsAtZeroUnlessThatWastesHalfTheRoom) {
  EXPECT_EQ(nice_scale(40, 100, 5).low, 0);
  EXPECT_GT(nice_scale(900, 1000, 5).low, 0);
  EXPECT_LT(nice_scale(-1, 100, 5).low, 0);
}

TEST(Scale, WhatIsBeyondStaysInside) {
  const Scale scale = nice_scale(0, 10, 5);
  EXPECT_EQ(scale.position(std::numeric_limits<double>::infinity()), 1);
  EXPECT_EQ(scale.position(-5), 0);
  EXPECT_EQ(scale.position(5), 0.5);
}

TEST(LogScale, CoversItsRangeWithPowersOfTen) {
  const LogScale scale = log_scale(3e-7, 0.45);
  EXPECT_EQ(scale.low, -7);
  EXPECT_EQ(scale.high, 0);
  EXPECT_EQ(scale.position(1), 1);
  EXPECT_EQ(scale.position(1e-7), 0);
  EXPECT_NEAR(scale.position(1e-3), 4.0 / 7, 1e-12);
  EXPECT_EQ(scale.position(0), 0);
  EXPECT_EQ(scale.position(std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(scale.position(5), 1);
  EXPECT_EQ(scale.ticks(8).size(), 8u);
  EXPECT_EQ(scale.ticks(7).size(), 4u);
  EXPECT_EQ(scale.ticks(7).back(), 1);
  EXPECT_EQ(log_scale(0.001, 0.001).high, -3);
  EXPECT_EQ(log_scale(0.001, 0.001).low, -4);
  EXPECT_EQ(log_scale(1e-300, 1).low, -15);
  EXPECT_LT(log_scale(0, 1).low, log_scale(0, 1).high);
}

TEST(Thinning, KeepsEverySpikeInOrder) {
  std::vector<double> values(100'000, 1.0);
  values[12'345] = 900;
  values[77'777] = -900;
  const std::vector<std::size_t> kept = thinned(values, 700);
  EXPECT_LE(kept.size(), 1402u);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_EQ(std::adjacent_find(kept.begin(), kept.end()), kept.end());
  for (const std::size_t at : {std::size_t{0}, std::size_t{12'345}, std::size_t{77'777}, std::size_t{99'999}})
    EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), at)) << at;
}

TEST(Thinning, LeavesShortSeriesAlone) {
  EXPECT_EQ(thinned(std::vector<double>(1400, 1.0), 700).size(), 1400u);
  EXPECT_TRUE(thinned({}, 700).empty());
}

TEST(Thinning, StretchesCoverEverything) {
  for (const std::size_t size : {7u, 10u, 744u})
    for (const std::size_t columns : {1u, 3u, 7u}) {
      std::size_t next = 0;
      for (std::size_t i = 0; i < columns; ++i) {
        EXPECT_EQ(stretch(i, columns, size).from, next);
        next = stretch(i, columns, size).to;
        EXPECT_GT(next, stretch(i, columns, size).from);
      }
      EXPECT_EQ(next, size);
    }
}

TEST(Paths, ALineHasGapsWhereAPointIsNotFinite) {
  const double gap = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Point> points = {{0, 0}, {0.5, 1}, {0.75, gap}, {1, 0.5}};
  EXPECT_EQ(line_through(points), "M0 1000l1000 -1000M2000 500");
  EXPECT_EQ(dots_at(points), "M0 1000h0M1000 0h0M2000 500h0");
  EXPECT_EQ(area_between(points, points), "M0 1000l1000 -1000l0 0l-1000 1000z");
  EXPECT_EQ(line_through({}), "");
}

TEST(Paths, AreScaledNumberByNumber) {
  EXPECT_EQ(
      scaled_paths("<path class=\"x\" d=\"M10 20l4 -8 2 2h3V7H1v-1zM1 1h0\"><title>d= M9</title></path>", 0.5, 2),
      "<path class=\"x\" d=\"M5.00 40.00l2.00 -16.00 1.00 4.00h1.50V14.00H0.50v-2.00zM0.50 2.00h0.00\"><title>d= M9"
      "</title></path>");
  EXPECT_EQ(scaled_paths("<g></g>", 2, 2), "<g></g>");
}

Chart chart_of(const Published& published) {
  const Estimate& estimate = published.release.estimate;
  Chart chart;
  chart.id = "c";
  chart.title = "a <b> & c";
  chart.axis = &published.release.axis;
  chart.value = estimate.value;
  chart.lower = estimate.lower;
  chart.upper = estimate.upper;
  chart.sampled = estimate.sampled;
  return chart;
}

// The whole numbers of the path with this class.
std::string path_of(const std::string& html, const std::string& css) {
  const std::string start = "<path class=\"" + css + "\" d=\"";
  const std::size_t at = html.find(start);
  if (at == std::string::npos) return "";
  return html.substr(at + start.size(), html.find('"', at + start.size()) - at - start.size());
}

TEST(ChartOf, DrawsOnePointAStepWhileThereIsRoom) {
  const Published published = testing::sample(1, 50, 5);
  const std::string html = to_html(chart_of(published));
  const std::string line = path_of(html, "line");
  EXPECT_EQ(std::count(line.begin(), line.end(), 'l'), 49);
  const std::string dots = path_of(html, "dots");
  EXPECT_EQ(std::count(dots.begin(), dots.end(), 'h'), 10);
  EXPECT_EQ(path_of(html, "truth"), "");
  EXPECT_NE(html.find("<title id=\"c-t\">a &lt;b&gt; &amp; c</title><desc id=\"c-d\">A line over 50 hours"),
            std::string::npos);
}

TEST(ChartOf, StaysSmallHoweverLongTheSeries) {
  EXPECT_LT(to_html(chart_of(testing::sample(1, 7000, 2))).size(), 60'000u);
}

TEST(ChartOf, HasNoDotsWhereEveryOneOfManyStepsIsMeasured) {
  EXPECT_EQ(path_of(to_html(chart_of(testing::sample(1, 500))), "dots"), "");
  EXPECT_NE(path_of(to_html(chart_of(testing::sample(1, 50))), "dots"), "");
}

TEST(ChartOf, GapsAndEndlessIntervalsLeaveNoOddNumbers) {
  Published published = testing::sample(1, 20);
  published.release.estimate.value[7] = std::numeric_limits<double>::quiet_NaN();
  published.release.estimate.lower[3] = -std::numeric_limits<double>::infinity();
  published.release.estimate.upper[3] = std::numeric_limits<double>::infinity();
  const std::string html = to_html(chart_of(published));
  for (const char* css : {"line", "band", "dots", "grid"})
    EXPECT_TRUE(std::regex_match(path_of(html, css), std::regex("[-MlhvzL0-9 ]+"))) << css << path_of(html, css);
  const std::string line = path_of(html, "line");
  EXPECT_EQ(std::count(line.begin(), line.end(), 'M'), 2);
}

TEST(ChartOf, OneStepAndEqualValuesAreFine) {
  Published published = testing::sample(1, 1);
  published.release.estimate = {{5}, {5}, {5}, {1}};
  EXPECT_NE(path_of(to_html(chart_of(published)), "line"), "");
  EXPECT_EQ(to_html(Chart{}), "");
}

TEST(HeatMap, HasOneRunForCellsThatAreAlike) {
  Published published = testing::sample(2, 10);
  std::fill(published.release.estimate.value.begin(), published.release.estimate.value.begin() + 10, 0.0);
  std::fill(published.release.estimate.value.begin() + 10, published.release.estimate.value.end(), 8.0);
  published.release.estimate.lower = published.release.estimate.upper = published.release.estimate.value;
  const std::string html = heat_map(published.release, "map");
  EXPECT_NE(html.find("<path class=\"h7\" d=\"M0 1.5h10\"/></svg>"), std::string::npos);
  EXPECT_EQ(html.find("M0 0.5"), std::string::npos);  // the lowest level is the ground
}

TEST(HeatMap, CellsThatAreAllAlikeAreGround) {
  Published published = testing::sample(2, 10);
  std::fill(published.release.estimate.value.begin(), published.release.estimate.value.end(), 3.0);
  EXPECT_EQ(heat_map(published.release, "map").find("<path"), std::string::npos);
}

TEST(HeatMap, StaysSmallHoweverLargeTheRelease) {
  const std::string html = heat_map(testing::sample(1000, 744).release, "map");
  EXPECT_NE(html.find("viewBox=\"0 0 400 200\""), std::string::npos);
  EXPECT_NE(html.find("each cell is a mean of up to 5 series and 2 hours"), std::string::npos);
  EXPECT_LT(html.size(), 1'500'000u);
}

TEST(ForecastPicture, SaysWhatProtectsTheHistory) {
  using testing::has;
  EXPECT_TRUE(has(to_svg(testing::forecast_sample(1)), "<desc>The history is not protected"));
  Forecasted all = testing::private_forecast_sample(1);
  EXPECT_TRUE(has(to_svg(all), "<desc>Differential privacy with ε"));
  all.mark = "seeded: not private";
  EXPECT_TRUE(has(to_svg(all), "<desc>seeded: not private</desc>"));
  EXPECT_FALSE(has(to_svg(all), "Differential privacy"));
  Forecasted odd = testing::forecast_sample(40);
  odd.title = testing::kEvil;
  odd.series[0].quantiles[5].assign(9, std::numeric_limits<double>::quiet_NaN());
  odd.series[1].history.clear();
  for (const Forecasted& one : {odd, Forecasted{}}) EXPECT_EQ(testing::misnested(to_svg(one)), "");
  EXPECT_TRUE(has(to_svg(odd), "The first 12 of 40 series."));
}

// Where it is half of the width of the bounds, nothing is said yet.
TEST(ForecastPicture, WarnsWhereTheNoiseIsLargerThanHalfOfTheWidth) {
  using testing::has;
  Forecasted all = testing::private_forecast_sample(1);
  const auto warns = [&] { return std::pair(has(to_html(all), "mostly noise"), has(to_svg(all), "Mostly noise")); };
  EXPECT_EQ(warns(), std::pair(false, false)) << "no width is known";
  all.input->width = 2 * all.input->noise;
  EXPECT_EQ(warns(), std::pair(false, false));
  all.input->width = 1.9 * all.input->noise;
  EXPECT_EQ(warns(), std::pair(true, true));
}

}  // namespace
}  // namespace chronoveil::report
