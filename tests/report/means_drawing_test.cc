#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "chronoveil/report/draw/cell_paths.h"
#include "chronoveil/report/draw/levels.h"
#include "chronoveil/report/means/drawing.h"
#include "chronoveil/report/means/summary.h"
#include "chronoveil/report/means/tiles.h"
#include "report/means_sample.h"
#include "report/page_checks.h"

namespace chronoveil::report {
namespace {

using State = CellEstimate::State;
using testing::has;
using testing::times;

TEST(LevelsOf, ALargerValueNeverHasAPalerColour) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(std::sin(i) * std::exp(i % 13));
  const Levels levels(values, 0, 1);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(levels.colour_of(values.front()), 1u);
  EXPECT_EQ(levels.colour_of(values.back()), kColours - 1);
  for (std::size_t i = 1; i < values.size(); ++i)
    EXPECT_LE(levels.colour_of(values[i - 1]), levels.colour_of(values[i]));
}

TEST(LevelsOf, FewValuesHaveFewColoursAndTheLargestTheStrongest) {
  const std::vector<double> alike = {3, 3, 3}, different = {3, 4};
  EXPECT_EQ(Levels({}, 0, 1).colour_of(3), 1u);
  EXPECT_EQ(Levels(alike, 0, 1).colour_of(3), 1u);
  EXPECT_EQ(Levels(alike, 0, 1).swatches(), "");
  const Levels two(different, 1, 1);
  EXPECT_EQ(two.colour_of(3), 1u);
  EXPECT_EQ(two.colour_of(4), kColours - 1);
}

TEST(LevelsOf, LimitsHaveTheDigitsThatTellThemApart) {
  const std::vector<double> apart = {10, 20, 30}, together = {1000.1, 1000.2, 1000.3};
  const std::string far = Levels(apart, 10).swatches(), near = Levels(together, 0.05).swatches();
  EXPECT_TRUE(has(far, "from 20<")) << far;
  EXPECT_TRUE(has(near, "from 1,000.2<")) << near;
  EXPECT_TRUE(has(near, "from 1,000.25<")) << near;
}

TEST(LevelsOf, StepsAreEqualRoundAndNoFinerThanTheInterval) {
  const std::vector<double> values = {3, 17, 44, 61};
  const auto steps = [&](double interval) { return Levels(values, interval).limits(); };
  EXPECT_EQ(steps(0), (std::vector<double>{10, 20, 30, 40, 50, 60}));
  EXPECT_EQ(steps(12), (std::vector<double>{20, 40, 60}));
  EXPECT_EQ(steps(21), (std::vector<double>{50}));
  EXPECT_EQ(steps(100), std::vector<double>());
  EXPECT_EQ(steps(std::numeric_limits<double>::infinity()), std::vector<double>());
  EXPECT_EQ(Levels(std::vector<double>{-7, 8}, 5).limits(), (std::vector<double>{-5, 0, 5}));
}

TEST(CellSummaryOf, OneCellIsItself) {
  const MeansRelease release = testing::means_sample(3, 24).release;
  const std::size_t place = 1, slot = 0;
  const CellSummary one = summary_of(release, std::span(&place, 1), std::span(&slot, 1));
  EXPECT_EQ(one.published, 1);
  EXPECT_EQ(one.mean, release.cells[24].mean);
  EXPECT_EQ(one.lower, release.cells[24].lower);
  EXPECT_EQ(one.upper, release.cells[24].upper);
}

TEST(CellSummaryOf, SeveralAreTheMeanOfWhatIsPublished) {
  MeansRelease release;
  release.axis = testing::hours(4);
  release.upper = 10;
  release.cells = {{State::published, 2, 1, 3}, {State::published, 4, 1, 9}, {}, {.state = State::sparse}};
  const std::vector<std::size_t> place = {0}, slots = {0, 1, 2, 3}, bare = {2}, few = {2, 3};
  const CellSummary all = summary_of(release, place, slots);
  EXPECT_EQ(all.published, 2);
  EXPECT_EQ(all.empty, 1);
  EXPECT_EQ(all.sparse, 1);
  EXPECT_EQ(all.mean, 3);
  EXPECT_EQ(words_of(all, release), "3, mean of 2 cells (intervals ± 2.5)");
  EXPECT_FALSE(is_vague(all, release));  // 5 wide: exactly half
  release.cells[1].upper = 9.5;
  EXPECT_TRUE(is_vague(summary_of(release, place, slots), release));
  EXPECT_EQ(words_of(summary_of(release, place, std::span(slots).first(1)), release), "2 (95 % interval 1 to 3)");
  EXPECT_EQ(words_of(summary_of(release, place, bare), release), "nobody there");
  EXPECT_EQ(words_of(summary_of(release, place, few), release), "too few to publish");
  EXPECT_TRUE(std::isnan(summary_of(release, place, few).mean));
  EXPECT_FALSE(is_vague(summary_of(release, place, few), release));
}

TEST(CellSummaryOf, AnIntervalWithoutAnEndIsVague) {
  MeansRelease release = testing::means_sample(0, 1).release;
  release.cells[0].upper = std::numeric_limits<double>::infinity();
  const std::size_t zero = 0;
  EXPECT_TRUE(is_vague(summary_of(release, std::span(&zero, 1), std::span(&zero, 1)), release));
}

// `steps` slots of `length` hours from midnight.
SlotAxis slots_of(std::int64_t steps, std::int64_t length) {
  const SlotAxis hours = testing::hours(steps * length);
  SlotAxis axis{.zone = hours.zone, .boundaries = {hours.boundaries[0]}, .labels = {}};
  for (std::int64_t i = 0; i < steps; ++i) {
    axis.labels.push_back(hours.labels[static_cast<std::size_t>(i * length)]);
    axis.boundaries.push_back(hours.boundaries[static_cast<std::size_t>((i + 1) * length)]);
  }
  return axis;
}

TEST(SlotColumnsOf, FewSlotsStandForThemselves) {
  const SlotColumns day = columns_of(testing::hours(24));
  EXPECT_EQ(day.by, SlotColumns::By::slot);
  ASSERT_EQ(day.all.size(), 24u);
  EXPECT_EQ(day.all[6].text, "06:00");
  EXPECT_EQ(day.all[6].slots, std::vector<std::size_t>{6});
  EXPECT_EQ(columns_of(slots_of(5, 6)).all[4].text, "2 Mar");
  EXPECT_EQ(columns_of(slots_of(5, 6)).all[1].text, "1 Mar 06:00");
  EXPECT_TRUE(columns_of(SlotAxis{}).all.empty());
}

TEST(SlotColumnsOf, ManyShortSlotsAreHoursOfTheDay) {
  const SlotColumns week = columns_of(testing::hours(168));
  EXPECT_EQ(week.by, SlotColumns::By::hour_of_day);
  ASSERT_EQ(week.all.size(), 24u);
  EXPECT_EQ(week.all[23].text, "23:00");
  EXPECT_EQ(week.all[1].slots, (std::vector<std::size_t>{1, 25, 49, 73, 97, 121, 145}));
  ASSERT_EQ(columns_of(slots_of(40, 6)).all.size(), 4u);
  EXPECT_EQ(columns_of(slots_of(40, 6)).all[3].text, "18:00");
}

TEST(SlotColumnsOf, ManyLongSlotsAreStretchesOfThePeriod) {
  SlotAxis days = slots_of(60, 24);
  for (std::size_t i = 30; i < 60; ++i) days.labels[i].replace(11, 2, "01");  // as a clock change may have it
  const SlotColumns columns = columns_of(days);
  EXPECT_EQ(columns.by, SlotColumns::By::stretch);
  ASSERT_EQ(columns.all.size(), kMostSlotColumns);
  std::vector<std::size_t> all;
  for (const SlotColumn& column : columns.all) all.insert(all.end(), column.slots.begin(), column.slots.end());
  EXPECT_EQ(all.size(), 60u);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ(columns.all[2].text, "6 Mar");
}

void expect_every_place_once(const Tiles& tiles, std::size_t places) {
  std::set<std::size_t> seen;
  for (const Tile& tile : tiles.all) {
    for (const std::size_t place : tile.places) EXPECT_TRUE(seen.insert(place).second);
    for (const TileCorner& corner : tile.corners) {
      EXPECT_TRUE(0 <= corner.x && corner.x <= tiles.width) << corner.x;
      EXPECT_TRUE(0 <= corner.y && corner.y <= tiles.height) << corner.y;
    }
  }
  EXPECT_EQ(seen.size(), places);
}

TEST(TilesOf, AreTheShapesOfTheGridWithNorthUp) {
  for (const auto& [shape, corners] : {std::pair(PlaceShape::hexagon, 6u), std::pair(PlaceShape::square, 4u)}) {
    const MeansRelease release = testing::means_on_grid(shape, 2000, 1).release;
    const Tiles tiles = tiles_of(release, kMostTiles);
    expect_every_place_once(tiles, release.places.size());
    ASSERT_EQ(tiles.all.size(), release.places.size());
    for (const Tile& tile : tiles.all) EXPECT_EQ(tile.corners.size(), corners);
    // The first place is in the north, the last in the south.
    EXPECT_LT(tiles.all.front().corners[0].y, tiles.all.back().corners[0].y);
    // Neighbours in a row share two corners, whatever was rounded.
    std::set<std::pair<int, int>> shared;
    for (const TileCorner& corner : tiles.all[0].corners) shared.insert({corner.x, corner.y});
    EXPECT_EQ(std::count_if(tiles.all[1].corners.begin(), tiles.all[1].corners.end(),
                            [&](const TileCorner& corner) {
                              return shared.contains({corner.x, corner.y});
                            }),
              2);
  }
}

TEST(TilesOf, TooManyPlacesArePutTogether) {
  for (const MeansRelease& release :
       {testing::means_on_grid(PlaceShape::hexagon, 500, 1).release, testing::means_sample(1000, 1).release}) {
    for (const std::size_t most : {std::size_t{1}, std::size_t{7}, std::size_t{100}}) {
      const Tiles tiles = tiles_of(release, most);
      EXPECT_LE(tiles.all.size(), most);
      EXPECT_GE(tiles.all.size(), most / 2);
      expect_every_place_once(tiles, release.places.size());
    }
  }
  const MeansRelease release = testing::means_sample(10, 1).release;
  EXPECT_EQ(name_of(tiles_of(release, 5).all[2], release), "2 places from Stop 5");
}

TEST(TilesOf, AListIsLaidOutRowByRow) {
  const MeansRelease release = testing::means_sample(8, 1).release;
  const Tiles tiles = tiles_of(release, kMostTiles);
  ASSERT_EQ(tiles.all.size(), 8u);
  EXPECT_EQ(tiles.across, 4);
  EXPECT_EQ(tiles.all[3].corners[0].y, tiles.all[0].corners[0].y);
  EXPECT_EQ(tiles.all[4].corners[0].x, 0);
  EXPECT_EQ(name_of(tiles.all[1], release), "Harbour & Ferry <North>");
  EXPECT_EQ(name_of(tiles_of(MeansRelease{}, 9).all[0], MeansRelease{}), "All");
}

// The means in the tooltips of a map by colour, as they are written.
std::array<std::vector<double>, kColours> means_by_colour(const MeansPublished& published) {
  const std::string html = map_of(published, false).shapes;
  std::array<std::vector<double>, kColours> all;
  for (std::size_t colour = 0; colour < kColours; ++colour) {
    const std::size_t from = html.find("<g class=\"c" + std::to_string(colour) + "\"");
    if (from == std::string::npos) continue;
    const std::size_t to = html.find("</g>", from);
    for (std::size_t at = html.find("<title>", from); at < to; at = html.find("<title>", at + 1))
      all[colour].push_back(std::stod(html.substr(html.find(": ", at) + 2)));
  }
  return all;
}

// With intervals that are narrow enough to tell means apart.
MeansPublished sharp() {
  MeansPublished published = testing::means_on_grid(PlaceShape::hexagon, 1500, 24);
  for (CellEstimate& cell : published.release.cells) cell.lower = cell.mean - 0.4, cell.upper = cell.mean + 0.4;
  return published;
}

TEST(MeansMap, ColoursGrowWithTheMeanAndEveryPlaceShowsItsValue) {
  const MeansPublished published = sharp();
  const std::string html = means_map(published);
  std::size_t titles = 0;
  double before = -1;
  for (const std::vector<double>& means : means_by_colour(published)) {
    titles += means.size();
    if (means.empty()) continue;
    const auto [least, most] = std::minmax_element(means.begin(), means.end());
    EXPECT_LE(before, *least);
    before = *most;
  }
  EXPECT_EQ(titles, published.release.places.size());
  EXPECT_EQ(times(html, "<label"), published.release.places.size());
  EXPECT_TRUE(has(html, "<div class=\"marks of-cells hexagons\" role=\"radiogroup\""));
  EXPECT_TRUE(has(html, "<span>r1c1 (21."));
  EXPECT_TRUE(has(html, "<path class=\"scalebar\""));
  EXPECT_TRUE(has(html, "The bar is 5 km long. 21."));
  EXPECT_TRUE(has(html, "cells (intervals ± "));
  EXPECT_TRUE(has(html, "each is the mean of its published means, of up to 24 hours"));
  EXPECT_TRUE(has(html, "north is up"));
}

TEST(MeansMap, AColourThatDoesNotGrowWouldBeSeen) {
  const auto means = means_by_colour(sharp());
  std::vector<std::vector<double>> seen;
  for (const std::vector<double>& some : means)
    if (!some.empty()) seen.push_back(some);
  ASSERT_GE(seen.size(), 2u);
  EXPECT_GT(*std::max_element(seen.back().begin(), seen.back().end()),
            *std::min_element(seen.front().begin(), seen.front().end()));
}

TEST(MeansMap, OneSlotShowsItsIntervalsAndWhatIsMissing) {
  const std::string html = means_map(testing::means_sample(20, 1));
  EXPECT_TRUE(has(html, "<span>Harbour &amp; Ferry &lt;North&gt;: "));
  EXPECT_TRUE(has(html, " (95 % interval "));
  EXPECT_TRUE(has(html, "<span>Stop 7: nobody there</span>"));
  EXPECT_TRUE(has(html, "<span>Stop 11: too few to publish</span>"));
  EXPECT_TRUE(has(html, "<div class=\"marks of-cells\" role=\"radiogroup\""));
  EXPECT_TRUE(has(html, "places in the order of the list"));
  EXPECT_FALSE(has(html, "mean of its published means"));
  EXPECT_TRUE(has(html, "class=\"few\""));
}

TEST(MeansMap, ManyPlacesHaveTooltipsAndNoStopsForTheKeyboard) {
  for (const auto& [places, marked] : {std::pair(1000, true), std::pair(1001, false)}) {
    const std::string html = means_map(testing::means_sample(places, 1));
    EXPECT_EQ(times(html, "<label"), marked ? 1000u : 0u);
    EXPECT_EQ(times(html, "<title>"), marked ? 0u : 1001u);  // the drawing's own has an id
  }
}

TEST(MeansMap, VagueMeansAreStruckThroughAndTheLegendSaysSo) {
  MeansPublished published = testing::means_sample(20, 1);
  for (CellEstimate& cell : published.release.cells)
    cell = {State::published, cell.state == State::published ? cell.mean : 20, 10, 42};
  EXPECT_FALSE(has(means_map(published), "class=\"struck\""));
  EXPECT_FALSE(has(means_map(published), "vague"));
  published.release.cells[3].upper = published.release.cells[9].upper = 43;  // 33 of 65 wide
  const std::string html = means_map(published);
  EXPECT_TRUE(has(html, "vague: the interval is wider than half of what a value can be, 0 to 65"));
  const std::size_t at = html.rfind("<path class=\"struck\" d=\"");
  EXPECT_EQ(times(html.substr(at, html.find("/>", at) - at), "M"), 2u);
}

TEST(MeansMap, HasOneScaleWithTheOtherDrawingsAndSaysWhereNothingCanBeToldApart) {
  const auto swatches = [](const std::string& html) {
    const std::size_t at = html.find("<span><svg class=\"swatch\"");
    return html.substr(at, html.find("</p>", at) - at);
  };
  const std::string scale = swatches(means_map(sharp()));  // the map has no cell without a mean, the others have some
  EXPECT_GT(times(scale, "from "), 2u);
  EXPECT_TRUE(swatches(means_strip(sharp())).starts_with(scale));
  EXPECT_TRUE(swatches(means_multiples(sharp())).starts_with(scale));
  EXPECT_TRUE(has(means_map(testing::means_sample(20, 2)), ": too close for their intervals to tell apart"));
}

TEST(MeansMap, OneCellHasItsMeanInTheLegend) {
  const std::string html = means_map(testing::means_sample(0, 1));
  EXPECT_TRUE(has(html, "<span>All: "));
  EXPECT_TRUE(has(html, "</svg>29.8</span>")) << html;
  EXPECT_EQ(means_strip(testing::means_sample(0, 1)), "");
  EXPECT_EQ(means_multiples(testing::means_sample(0, 1)), "");
}

TEST(MeansMap, NothingIsDrawnOfNothing) {
  EXPECT_EQ(means_map(MeansPublished{}), "");
  EXPECT_EQ(means_strip(MeansPublished{}), "");
  EXPECT_EQ(means_multiples(MeansPublished{}), "");
}

TEST(MeansStrip, HasARowForAllPlacesAndForEach) {
  const MeansPublished published = testing::means_sample(5, 24);
  const std::string html = means_strip(published);
  EXPECT_EQ(times(html, "class=\"y\""), 6u);
  EXPECT_EQ(times(html, "<label"), 6u * 24);
  EXPECT_TRUE(has(html, "<span>All places, 08:00: "));
  EXPECT_TRUE(has(html, "<span>Stop 4, 08:00: "));
  EXPECT_TRUE(has(html, "<b>Mean speed by hour</b>"));
  EXPECT_TRUE(has(html, "time zone Africa/Cairo"));
  EXPECT_TRUE(has(means_strip(testing::means_sample(5, 48)), "<b>Mean speed by hour of the day</b>"));
  EXPECT_EQ(times(means_strip(testing::means_sample(0, 24)), "class=\"y\""), 1u);
}

TEST(MeansStrip, OfManyPlacesThoseWithTheMostPublishedCells) {
  MeansPublished published = testing::means_sample(100, 24);
  for (std::size_t i = 0; i < published.release.cells.size(); ++i)
    published.release.cells[i] =
        i / 24 >= 60 ? CellEstimate{State::published, 20, 19, 21} : CellEstimate{.state = State::empty};
  const std::string html = means_strip(published);
  EXPECT_EQ(times(html, "class=\"y\""), kMostStripRows + 1);
  EXPECT_TRUE(has(html, ">Stop 61</i>"));
  EXPECT_TRUE(has(html, ">Stop 100</i>"));
  EXPECT_FALSE(has(html, ">Stop 60</i>"));
  EXPECT_TRUE(has(html, "the 40 of 100 places with the most published cells"));
}

TEST(MeansMultiples, AreOneMapAColumn) {
  EXPECT_EQ(times(means_multiples(testing::means_sample(5, 168)), "<svg class=\"cells small\""), 24u);
  EXPECT_EQ(times(means_multiples(testing::means_sample(5, 3)), "<svg class=\"cells small\""), 3u);
  EXPECT_EQ(means_multiples(testing::means_sample(1, 24)), "");
  EXPECT_EQ(means_multiples(testing::means_sample(5, 1)), "");
}

}  // namespace
}  // namespace chronoveil::report
