#include "chronoveil/report/means/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "chronoveil/base/place_degrees.h"
#include "chronoveil/report/document/intervals.h"
#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/cell_paths.h"
#include "chronoveil/report/draw/marks.h"
#include "chronoveil/report/means/summary.h"
#include "chronoveil/report/means/tiles.h"
#include "chronoveil/report/means/words.h"
#include "chronoveil/report/page/markup.h"

namespace chronoveil::report {
namespace {

constexpr int kWidestTile = 64;  // pixels: a few places do not fill a screen
constexpr int kBarRoom = 18;     // below a map, in its units

std::vector<std::size_t> first_numbers(std::int64_t count) {
  std::vector<std::size_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// One scale for all drawings of a page. Means of cells lie between those of the cells.
Levels levels_of(const MeansRelease& release) {
  std::vector<double> means, lower, upper;
  for (const CellEstimate& cell : release.cells) {
    if (cell.state != CellEstimate::State::published) continue;
    means.push_back(cell.mean);
    lower.push_back(cell.lower);
    upper.push_back(cell.upper);
  }
  return Levels(means, usual_width(lower, upper), kPalestMean);
}

// A bar of a round length, at most a third of the map, below it; and what is said about it.
struct ScaleBar {
  std::string path, words;
};

std::string degrees_words(double degrees, std::string_view positive, std::string_view negative) {
  return fmt::format("{}°\u00a0{}", rounded(std::fabs(degrees), 5), degrees < 0 ? negative : positive);
}

ScaleBar scale_bar(const Tiles& tiles, const MeansRelease& release) {
  if (!release.grid || tiles.metres <= 0) return {};
  const double most = tiles.width * tiles.metres / 3;
  double length = std::pow(10, std::floor(std::log10(most)));
  length *= 5 * length <= most ? 5 : 2 * length <= most ? 2 : 1;
  const PlaceGridSpec& box = release.grid->spec();
  const int units = static_cast<int>(std::lround(length / tiles.metres));
  return {fmt::format("<path class=\"scalebar\" d=\"M1 {}v{}h{}v-{}\"/>", tiles.height + kBarRoom / 3, kBarRoom / 2,
                      units, kBarRoom / 2),
          fmt::format("The bar is {} long. {} to {}, {} to {}.",
                      length >= 1000 ? rounded(length / 1000) + "\u00a0km" : rounded(length) + "\u00a0m",
                      degrees_words(box.south, "N", "S"), degrees_words(box.north, "N", "S"),
                      degrees_words(box.west, "E", "W"), degrees_words(box.east, "E", "W"))};
}

// In a drawing that begins at -1 in both directions.
CellMark mark_over(std::span<const TileCorner> corners, int wide, int high, std::string words) {
  CellMark mark{1, 0, 1, 0, std::move(words)};
  for (const TileCorner& corner : corners) {
    const double x = static_cast<double>(corner.x + 1) / wide, y = static_cast<double>(corner.y + 1) / high;
    mark.left = std::min(mark.left, x), mark.right = std::max(mark.right, x);
    mark.top = std::min(mark.top, y), mark.bottom = std::max(mark.bottom, y);
  }
  return mark;
}

// From where on words have more room to their left, on the narrowest screen that counts: a phone of 375 by 812 pixels,
// of which a map has at most 343 and 82 %. Words take up to 157 there.
double far_on(const MapDrawing& map) {
  const double wide = std::min({343.0, static_cast<double>(map.widest), 0.82 * 812 * map.wide / map.high});
  return (375 - 16 - 157 - 12) / wide;
}

// Where a place is, for its tooltip.
std::string middle_words(const Tile& tile, const MeansRelease& release) {
  if (!release.grid || tile.places.size() != 1) return "";
  const Degrees at =
      degrees_of(release.grid->spec(), release.grid->middle_of(static_cast<std::int64_t>(tile.places.front())));
  return fmt::format(" ({}, {})", degrees_words(at.latitude, "N", "S"), degrees_words(at.longitude, "E", "W"));
}

// "24 hours"
std::string slots_words(const SlotAxis& axis) {
  const SlotWords slot = slot_words(axis);
  return grouped(axis.steps()) + " " + (axis.steps() == 1 ? slot.one : slot.many);
}

// "hour of the day", "hour", "stretch of time"
std::string column_words(const SlotColumns& columns, const SlotAxis& axis) {
  return columns.by == SlotColumns::By::slot          ? slot_words(axis).one
         : columns.by == SlotColumns::By::hour_of_day ? "hour of the day"
                                                      : "stretch of time";
}

std::string where_words(const Tiles& tiles, const MeansRelease& release) {
  const std::size_t places = static_cast<std::size_t>(release.place_count());
  std::string words =
      release.grid ? "north is up" : (places > 1 ? "places in the order of the list, row by row" : std::string());
  if (tiles.all.size() < places)
    words +=
        fmt::format("{}each tile is several of {} places", words.empty() ? "" : "; ", grouped(release.place_count()));
  return words;
}

std::string figure_head(std::string_view css, const std::string& title, const std::string& note) {
  return fmt::format("<figure class=\"{}\"><figcaption><b>{}</b><span>{}</span></figcaption>\n", css, escaped(title),
                     escaped(note));
}

struct StripRow {
  std::string name;
  std::vector<std::size_t> places;
};

// First all places together; then each place, or those with the most published cells, in the order of the list.
std::vector<StripRow> strip_rows(const MeansRelease& release) {
  const std::vector<std::size_t> places = first_numbers(release.place_count());
  if (release.places.empty()) return {{"All", places}};
  std::vector<std::size_t> shown = places;
  if (shown.size() > kMostStripRows) {
    const std::vector<std::size_t> slots = first_numbers(release.axis.steps());
    std::vector<std::int64_t> published;
    published.reserve(places.size());
    for (const std::size_t place : places)
      published.push_back(summary_of(release, std::span(&place, 1), slots).published);
    std::stable_sort(shown.begin(), shown.end(),
                     [&](std::size_t a, std::size_t b) { return published[a] > published[b]; });
    shown.resize(kMostStripRows);
    std::sort(shown.begin(), shown.end());
  }
  std::vector<StripRow> rows;
  if (places.size() > 1) rows.push_back({"All places", places});
  for (const std::size_t place : shown) rows.push_back({release.places[place], {place}});
  return rows;
}

std::vector<Tick> column_ticks(const SlotColumns& columns) {
  const std::size_t every = (columns.all.size() + 7) / 8;
  std::vector<Tick> ticks;
  for (std::size_t i = 0; i < columns.all.size(); i += every)
    ticks.push_back({(static_cast<double>(i) + 0.5) / static_cast<double>(columns.all.size()), columns.all[i].text,
                     ticks.size() % 2 == 0});
  return ticks;
}

}  // namespace

MapDrawing map_of(const MeansPublished& published, bool marked) {
  const MeansRelease& release = published.release;
  const Tiles tiles = tiles_of(release, kMostTiles);
  const std::vector<std::size_t> slots = first_numbers(release.axis.steps());
  MapDrawing map{.title = fmt::format("Mean {} by place", measure_words(published)),
                 .note = where_words(tiles, release),
                 .levels = levels_of(release),
                 .shown = {},
                 .shapes = "",
                 .bar_words = "",
                 .marks = {},
                 .hexagons = tiles.all.front().corners.size() == 6};
  for (const Tile& tile : tiles.all) map.shown.push_back(summary_of(release, tile.places, slots));
  ScaleBar bar = scale_bar(tiles, release);
  map.wide = tiles.width + 2;
  map.high = tiles.height + 2 + (bar.path.empty() ? 0 : kBarRoom);
  map.widest = tiles.across * kWidestTile;
  marked = marked && tiles.all.size() <= kMostCellMarks;
  CellPaths paths(release, map.levels, !marked);
  for (std::size_t i = 0; i < map.shown.size(); ++i) {
    const Tile& tile = tiles.all[i];
    const std::string words =
        name_of(tile, release) + middle_words(tile, release) + ": " + words_of(map.shown[i], release);
    paths.add(tile.corners, map.shown[i], words);
    if (marked) map.marks.push_back(mark_over(tile.corners, map.wide, map.high, words));
  }
  if (release.axis.steps() > 1)
    map.note += fmt::format("{}each is the mean of its published means, of up to {}", map.note.empty() ? "" : "; ",
                            slots_words(release.axis));
  map.shapes = paths.svg() + bar.path;
  map.bar_words = std::move(bar.words);
  return map;
}

std::string means_map(const MeansPublished& published) {
  const MeansRelease& release = published.release;
  if (release.axis.steps() == 0) return "";
  const MapDrawing map = map_of(published, true);
  std::string out = figure_head("chart tiles", map.title, map.note) + cells_legend(map.levels, release, map.shown);
  // As large as the drawing, so that marks lie where the places are.
  out += fmt::format(
      "<div class=\"board\" style=\"--wide:{}px;--ratio:{:.5f}\"><svg class=\"cells\" viewBox=\"-1 -1 {} {}\" "
      "role=\"img\" "
      "aria-labelledby=\"map-t map-d\"><title id=\"map-t\">{}</title><desc id=\"map-d\">{}</desc>{}</svg>",
      map.widest, static_cast<double>(map.wide) / map.high, map.wide, map.high, escaped(map.title),
      escaped(cell_number_words(cell_numbers(release)) + ". The table and the CSV hold the numbers."), map.shapes);
  out += cell_marks("map", map.title, map.marks, far_on(map), map.hexagons) + "</div>";
  if (!map.bar_words.empty()) out += "<p class=\"axis\">" + escaped(map.bar_words) + "</p>";
  return out + "</figure>\n";
}

std::string means_multiples(const MeansPublished& published) {
  const MeansRelease& release = published.release;
  if (release.axis.steps() < 2 || release.place_count() < 2) return "";
  const SlotColumns columns = columns_of(release.axis);
  const Tiles tiles = tiles_of(release, kMostTiles / columns.all.size());
  std::vector<CellSummary> shown;  // column-major
  for (const SlotColumn& column : columns.all)
    for (const Tile& tile : tiles.all) shown.push_back(summary_of(release, tile.places, column.slots));
  const Levels levels = levels_of(release);
  std::string note = where_words(tiles, release) + "; one scale for all";
  if (columns.by != SlotColumns::By::slot) note += "; each tile is the mean of its published means";
  const std::string by = column_words(columns, release.axis);
  std::string out = fmt::format("<h3>Maps by {}</h3>\n<p class=\"quiet\">{}.</p>\n", escaped(by), escaped(note));
  out += cells_legend(levels, release, shown) + "<div class=\"multiples\">\n";
  for (std::size_t column = 0; column < columns.all.size(); ++column) {
    CellPaths paths(release, levels, false);
    for (std::size_t i = 0; i < tiles.all.size(); ++i)
      paths.add(tiles.all[i].corners, shown[column * tiles.all.size() + i], "");
    const std::string text = escaped(columns.all[column].text);
    out += fmt::format(
        "<figure class=\"tiles\"><figcaption><span>{}</span></figcaption><svg class=\"cells small\" viewBox=\"-1 -1 {} "
        "{}\" role=\"img\"><title>{}</title>{}</svg></figure>\n",
        text, tiles.width + 2, tiles.height + 2, text, paths.svg());
  }
  return out + "</div>\n";
}

std::string means_strip(const MeansPublished& published) {
  const MeansRelease& release = published.release;
  if (release.axis.steps() < 2) return "";
  const SlotColumns columns = columns_of(release.axis);
  const std::vector<StripRow> rows = strip_rows(release);
  std::vector<CellSummary> shown;
  for (const StripRow& row : rows)
    for (const SlotColumn& column : columns.all) shown.push_back(summary_of(release, row.places, column.slots));
  const Levels levels = levels_of(release);
  // Four units per side leave room for a stroke through the middle.
  constexpr int kSide = 4;
  const bool marked = shown.size() <= kMostCellMarks;
  std::vector<CellMark> marks;
  CellPaths paths(release, levels, !marked);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const int x = static_cast<int>(i % columns.all.size()) * kSide,
              y = static_cast<int>(i / columns.all.size()) * kSide;
    const std::string words = fmt::format("{}, {}: {}", rows[i / columns.all.size()].name,
                                          columns.all[i % columns.all.size()].text, words_of(shown[i], release));
    paths.add(std::vector<TileCorner>{{x, y}, {x + kSide, y}, {x + kSide, y + kSide}, {x, y + kSide}}, shown[i], words);
    const double wide = static_cast<double>(columns.all.size()) * kSide,
                 high = static_cast<double>(rows.size()) * kSide;
    if (marked) marks.push_back({x / wide, (x + kSide) / wide, y / high, (y + kSide) / high, words});
  }

  std::string note = "time zone " + release.axis.zone;
  if (rows.size() > 1 || columns.by != SlotColumns::By::slot) note += "; means of published means";
  if (release.place_count() > static_cast<std::int64_t>(kMostStripRows))
    note += fmt::format("; the {} of {} places with the most published cells", kMostStripRows,
                        grouped(release.place_count()));
  const std::string title = fmt::format("Mean {} by {}", measure_words(published), column_words(columns, release.axis));
  std::string out = figure_head("chart map strip", title, note) + cells_legend(levels, release, shown);
  out += fmt::format("<div class=\"plot\" style=\"height:{}px\">", std::clamp<std::size_t>(rows.size() * 19, 40, 800));
  for (std::size_t row = 0; row < rows.size(); ++row)
    out += fmt::format("<i class=\"y\" style=\"bottom:{:.2f}%\">{}</i>",
                       100 - (static_cast<double>(row) + 0.5) / static_cast<double>(rows.size()) * 100,
                       escaped(rows[row].name));
  out += fmt::format(
      "<svg class=\"cells\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-labelledby=\"strip-t strip-d\"><title id=\"strip-t\">{}</title><desc id=\"strip-d\">{}</desc>",
      columns.all.size() * kSide, rows.size() * kSide, escaped(title),
      escaped("One row per place, one column per " + column_words(columns, release.axis) + "; " + note + "."));
  // Names of rows leave room to the left of a strip, so words may go there early.
  constexpr double kFar = 0.25;
  return out + paths.svg() + "</svg>" + tick_labels(column_ticks(columns)) +
         cell_marks("strip", title, marks, kFar, false) + "</div></figure>\n";
}

}  // namespace chronoveil::report
