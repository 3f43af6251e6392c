#include "chronoveil/report/means/tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/thinning.h"

namespace chronoveil::report {
namespace {

constexpr int kSide = 40;  // of a tile: whole numbers, fine enough for any screen

struct Box {
  double west = std::numeric_limits<double>::infinity(), east = -west, south = west, north = -west;

  void take(const PlaceGrid::Point& point) {
    west = std::min(west, point.x);
    east = std::max(east, point.x);
    south = std::min(south, point.y);
    north = std::max(north, point.y);
  }
};

int whole(double value) { return static_cast<int>(std::lround(value)); }

std::vector<TileCorner> square(int column, int row) {
  const int x = column * kSide, y = row * kSide;
  return {{x, y}, {x + kSide, y}, {x + kSide, y + kSide}, {x, y + kSide}};
}

Tiles of_grid(const PlaceGrid& grid) {
  Box box;
  for (std::int64_t place = 0; place < grid.places(); ++place)
    for (const PlaceGrid::Point& corner : grid.corners_of(place)) box.take(corner);
  const double scale = kSide / grid.spec().size;
  Tiles tiles{.width = whole((box.east - box.west) * scale),
              .height = whole((box.north - box.south) * scale),
              .across = std::max(1, whole((box.east - box.west) / grid.spec().size)),
              .metres = 1 / scale,
              .all = {}};
  for (std::int64_t place = 0; place < grid.places(); ++place) {
    Tile tile{.places = {static_cast<std::size_t>(place)}, .corners = {}};
    for (const PlaceGrid::Point& corner : grid.corners_of(place))
      tile.corners.push_back({whole((corner.x - box.west) * scale), whole((box.north - corner.y) * scale)});
    tiles.all.push_back(std::move(tile));
  }
  return tiles;
}

// Squares that each hold the places whose middle is in them.
Tiles of_coarse_grid(const PlaceGrid& grid, std::size_t most) {
  Box box;
  for (std::int64_t place = 0; place < grid.places(); ++place) box.take(grid.middle_of(place));
  const double wide = box.east - box.west, high = box.north - box.south;
  const auto squares = [&](double side) { return (std::floor(wide / side) + 1) * (std::floor(high / side) + 1); };
  double side = grid.spec().size;
  while (squares(side) > static_cast<double>(most)) side *= 1.05;
  const int columns = static_cast<int>(wide / side) + 1, rows = static_cast<int>(high / side) + 1;
  Tiles tiles{.width = columns * kSide, .height = rows * kSide, .across = columns, .metres = side / kSide, .all = {}};
  std::map<std::pair<int, int>, std::vector<std::size_t>> held;  // by row and column
  for (std::int64_t place = 0; place < grid.places(); ++place) {
    const PlaceGrid::Point middle = grid.middle_of(place);
    held[{std::min(rows - 1, static_cast<int>((box.north - middle.y) / side)),
          std::min(columns - 1, static_cast<int>((middle.x - box.west) / side))}]
        .push_back(static_cast<std::size_t>(place));
  }
  for (auto& [at, places] : held) tiles.all.push_back({std::move(places), square(at.second, at.first)});
  return tiles;
}

Tiles of_list(std::size_t places, std::size_t most) {
  const std::size_t count = std::min(places, most);
  // Wider than high, as screens are.
  const int columns = static_cast<int>(std::ceil(std::sqrt(1.8 * static_cast<double>(count))));
  Tiles tiles{.width = std::min(columns, static_cast<int>(count)) * kSide,
              .height = (static_cast<int>(count) + columns - 1) / columns * kSide,
              .across = columns,
              .metres = 0,
              .all = {}};
  for (std::size_t i = 0; i < count; ++i) {
    Tile tile{.places = {}, .corners = square(static_cast<int>(i) % columns, static_cast<int>(i) / columns)};
    for (std::size_t place = stretch(i, count, places).from; place < stretch(i, count, places).to; ++place)
      tile.places.push_back(place);
    tiles.all.push_back(std::move(tile));
  }
  return tiles;
}

}  // namespace

Tiles tiles_of(const MeansRelease& release, std::size_t most) {
  const std::size_t places = static_cast<std::size_t>(release.place_count());
  if (!release.grid) return of_list(places, most);
  return places <= most ? of_grid(*release.grid) : of_coarse_grid(*release.grid, most);
}

std::string name_of(const Tile& tile, const MeansRelease& release) {
  if (release.places.empty()) return "All";
  const std::string& first = release.places[tile.places.front()];
  if (tile.places.size() == 1) return first;
  return fmt::format("{} places from {}", grouped(static_cast<std::int64_t>(tile.places.size())), first);
}

}  // namespace chronoveil::report
