#include "chronoveil/base/place_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace chronoveil {
namespace {

using Point = PlaceGrid::Point;

constexpr double kMetresADegree = 6'371'008.8 * std::numbers::pi / 180;

PlaceGridSpec surat(PlaceShape shape, double size) { return {shape, 72.7, 21.1, 72.95, 21.3, size}; }

// By how much the plane stretches a degree of longitude.
double metres_a_degree_east(const PlaceGridSpec& spec) {
  return kMetresADegree * std::cos((spec.south + spec.north) / 2 * std::numbers::pi / 180);
}

Point in_plane(const PlaceGridSpec& spec, double longitude, double latitude) {
  return {metres_a_degree_east(spec) * (longitude - (spec.west + spec.east) / 2),
          kMetresADegree * (latitude - (spec.south + spec.north) / 2)};
}

PlaceGrid made(const PlaceGridSpec& spec) {
  auto grid = PlaceGrid::make(spec);
  if (!grid) throw std::runtime_error(grid.error().text());
  return *grid;
}

// Boxes and sizes of all sorts: ratios from a grid of one place to one of some thousands, narrow, flat, far south.
std::vector<PlaceGridSpec> some_specs() {
  std::vector<PlaceGridSpec> specs;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform;
  for (const PlaceShape shape : {PlaceShape::hexagon, PlaceShape::square}) {
    specs.push_back(surat(shape, 1000));
    specs.push_back(surat(shape, 100'000));
    specs.push_back({shape, -180, -85, 180, 85, 1e6});
    specs.push_back({shape, 0, 60, 1e-4, 61, 3000});     // narrow
    specs.push_back({shape, -1, -0.00001, 1, 0, 5000});  // flat
    for (int i = 0; i < 40; ++i) {
      const double west = 300 * uniform(random) - 150, south = 140 * uniform(random) - 80;
      const double width = std::exp(6 * uniform(random) - 6), height = std::exp(6 * uniform(random) - 6);
      const double metres = kMetresADegree * std::max(width, height);
      specs.push_back({shape, west, south, west + width, south + height,
                       std::clamp(metres / std::exp(4 * uniform(random)), 1.0, 1e6)});
    }
  }
  return specs;
}

// The part of a convex polygon that lies where a·x + b·y <= c.
std::vector<Point> cut(const std::vector<Point>& polygon, double a, double b, double c) {
  std::vector<Point> left;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point &from = polygon[i], &to = polygon[(i + 1) % polygon.size()];
    const double out_from = a * from.x + b * from.y - c, out_to = a * to.x + b * to.y - c;
    if (out_from <= 0) left.push_back(from);
    if ((out_from < 0 && out_to > 0) || (out_from > 0 && out_to < 0)) {
      const double t = out_from / (out_from - out_to);
      left.push_back({from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)});
    }
  }
  return left;
}

double area(const std::vector<Point>& polygon) {  // clockwise
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point &from = polygon[i], &to = polygon[(i + 1) % polygon.size()];
    twice += to.x * from.y - from.x * to.y;
  }
  return twice / 2;
}

// How far the point lies outside the clockwise convex polygon; negative inside.
double outside(const std::vector<Point>& polygon, const Point& point) {
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point &from = polygon[i], &to = polygon[(i + 1) % polygon.size()];
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    most = std::max(most, ((point.y - from.y) * (to.x - from.x) - (point.x - from.x) * (to.y - from.y)) / length);
  }
  return most;
}

TEST(PlaceGrid, APointIsInThePlaceWhoseMiddleIsNearest) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform;
  for (const PlaceGridSpec& spec : some_specs()) {
    const PlaceGrid grid = made(spec);
    std::vector<Point> middles;
    for (std::int64_t place = 0; place < grid.places(); ++place) middles.push_back(grid.middle_of(place));
    const int points = grid.places() > 2000 ? 50 : 500;
    for (int i = 0; i < points; ++i) {
      const double longitude = spec.west + (spec.east - spec.west) * uniform(random);
      const double latitude = spec.south + (spec.north - spec.south) * uniform(random);
      const Point point = in_plane(spec, longitude, latitude);
      const auto distance = [&](const Point& middle) { return std::hypot(point.x - middle.x, point.y - middle.y); };
      double least = std::numeric_limits<double>::infinity();
      for (const Point& middle : middles) least = std::min(least, distance(middle));
      const std::int64_t place = grid.place_of(longitude, latitude);
      ASSERT_GE(place, 0);
      ASSERT_LT(place, grid.places());
      ASSERT_LE(distance(middles[static_cast<std::size_t>(place)]), least + 1e-8 * spec.size);
    }
  }
}

// Places do not overlap where their middles are as far apart as those of the tiling are. Then their parts of the box
// add up to the box only if no point of it is left out.
TEST(PlaceGrid, PlacesTileTheBoxAndEachHasAShareOfIt) {
  for (const PlaceGridSpec& spec : some_specs()) {
    const PlaceGrid grid = made(spec);
    const Point corner = in_plane(spec, spec.east, spec.north);
    double sum = 0;
    for (std::int64_t place = 0; place < grid.places(); ++place) {
      std::vector<Point> part = grid.corners_of(place);
      part = cut(cut(part, 1, 0, corner.x), -1, 0, corner.x);
      part = cut(cut(part, 0, 1, corner.y), 0, -1, corner.y);
      ASSERT_GT(area(part), 0) << grid.names()[static_cast<std::size_t>(place)];
      sum += area(part);
    }
    EXPECT_NEAR(sum / (4 * corner.x * corner.y), 1, 1e-8);
  }
}

TEST(PlaceGrid, MiddlesOfNeighboursAreOneSizeApart) {
  for (const PlaceShape shape : {PlaceShape::hexagon, PlaceShape::square}) {
    const PlaceGrid grid = made(surat(shape, 3000));
    ASSERT_GT(grid.places(), 50);
    for (std::int64_t a = 0; a < grid.places(); ++a) {
      double least = std::numeric_limits<double>::infinity();
      for (std::int64_t b = 0; b < grid.places(); ++b) {
        const Point p = grid.middle_of(a), q = grid.middle_of(b);
        if (a != b) least = std::min(least, std::hypot(p.x - q.x, p.y - q.y));
      }
      ASSERT_NEAR(least, 3000, 1e-6);
    }
  }
}

TEST(PlaceGrid, CornersEncloseThePointsOfThePlaceAndNoOthers) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> uniform;
  for (const PlaceGridSpec& spec : some_specs()) {
    const PlaceGrid grid = made(spec);
    for (int i = 0; i < 300; ++i) {
      const double longitude = spec.west + (spec.east - spec.west) * uniform(random);
      const double latitude = spec.south + (spec.north - spec.south) * uniform(random);
      const Point point = in_plane(spec, longitude, latitude);
      const std::int64_t place = grid.place_of(longitude, latitude);
      ASSERT_LE(outside(grid.corners_of(place), point), 1e-8 * spec.size);
      const auto other = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(grid.places()));
      if (other != place) {
        ASSERT_GE(outside(grid.corners_of(other), point), -1e-8 * spec.size);
      }
    }
  }
  // Clockwise from the north, and from the north-west.
  const std::vector<Point> hexagon = made(surat(PlaceShape::hexagon, 1000)).corners_of(0);
  ASSERT_EQ(hexagon.size(), 6U);
  EXPECT_NEAR(area(hexagon), std::numbers::sqrt3 / 2 * 1e6, 1e-3);
  for (const Point& corner : hexagon) EXPECT_LE(corner.y, hexagon.front().y);
  const std::vector<Point> square = made(surat(PlaceShape::square, 1000)).corners_of(0);
  ASSERT_EQ(square.size(), 4U);
  EXPECT_NEAR(area(square), 1e6, 1e-3);
  for (const Point& corner : square) {
    EXPECT_LE(corner.y, square.front().y);
    EXPECT_GE(corner.x, square.front().x);
  }
}

TEST(PlaceGrid, TheEdgeOfTheBoxIsInsideAndWhatIsBeyondIsNowhere) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  for (const PlaceGridSpec& spec : some_specs()) {
    const PlaceGrid grid = made(spec);
    for (int i = 0; i <= 16; ++i) {
      const double longitude = std::min(spec.east, spec.west + (spec.east - spec.west) * i / 16);
      const double latitude = std::min(spec.north, spec.south + (spec.north - spec.south) * i / 16);
      const auto expect_inside = [&](double x, double y) {
        const std::int64_t place = grid.place_of(x, y);
        ASSERT_TRUE(place >= 0 && place < grid.places());
        EXPECT_LE(outside(grid.corners_of(place), in_plane(spec, x, y)), 1e-8 * spec.size);
      };
      for (const double x : {spec.west, spec.east}) expect_inside(x, latitude);
      for (const double y : {spec.south, spec.north}) expect_inside(longitude, y);
      for (const double x : {std::nextafter(spec.west, -kFar), std::nextafter(spec.east, kFar)}) {
        EXPECT_EQ(grid.place_of(x, latitude), PlaceGrid::kNowhere);
      }
      for (const double y : {std::nextafter(spec.south, -kFar), std::nextafter(spec.north, kFar)}) {
        EXPECT_EQ(grid.place_of(longitude, y), PlaceGrid::kNowhere);
      }
    }
    const double x = spec.west + (spec.east - spec.west) / 2, y = spec.south + (spec.north - spec.south) / 2;
    ASSERT_NE(grid.place_of(x, y), PlaceGrid::kNowhere);
    for (const double bad : {std::nan(""), kFar, -kFar, 1e308}) {
      EXPECT_EQ(grid.place_of(bad, y), PlaceGrid::kNowhere);
      EXPECT_EQ(grid.place_of(x, bad), PlaceGrid::kNowhere);
    }
  }
}

// Around the equator, where a degree is as long both ways to less than 1e-9 of a column.
TEST(PlaceGrid, ABoxThatIsFilledHasNoSlivers) {
  for (const int columns : {1, 3, 7, 11, 49, 101}) {
    for (const double size : {1.0, 123.4, 1000.0}) {
      const double degrees = columns * size / kMetresADegree;
      const PlaceGridSpec box{PlaceShape::square, 0, -degrees / 2, degrees, degrees / 2, size};
      const PlaceGrid squares = made(box);
      EXPECT_EQ(squares.places(), columns * columns) << columns << " of " << size;
      EXPECT_EQ(squares.place_of(box.west, box.north), 0);
      EXPECT_EQ(squares.place_of(box.east, box.north), columns - 1);
      EXPECT_EQ(squares.place_of(box.west, box.south), columns * (columns - 1));
      EXPECT_EQ(squares.place_of(box.east, box.south), columns * columns - 1);
      // One row of hexagons, whose sides are the west and the east of the box.
      const double height = size / 2 / kMetresADegree;
      if (size < 2) continue;  // the box would be too low
      const PlaceGrid hexagons = made({PlaceShape::hexagon, 0, -height / 2, degrees, height / 2, size});
      EXPECT_EQ(hexagons.places(), columns) << columns << " of " << size;
      EXPECT_EQ(hexagons.place_of(0, 0), 0);
      EXPECT_EQ(hexagons.place_of(degrees, 0), columns - 1);
    }
  }
}

TEST(PlaceGrid, ABoxInsideOneHexagonIsOnePlace) {
  const PlaceGrid grid = made({PlaceShape::hexagon, 10, 50, 10.0001, 50.0001, 1000});
  EXPECT_EQ(grid.names(), std::vector<std::string>{"r1c1"});
  EXPECT_EQ(grid.middle_of(0).x, 0);
  EXPECT_EQ(grid.middle_of(0).y, 0);
  EXPECT_EQ(grid.place_of(10, 50), 0);
}

// By hand: two and a half squares wide, one and a half high.
TEST(PlaceGrid, SquaresAreNumberedAndNamedFromTheNorthWest) {
  const double degree = 1000 / kMetresADegree;
  const PlaceGrid grid = made({PlaceShape::square, 0, -0.75 * degree, 2.5 * degree, 0.75 * degree, 1000});
  EXPECT_EQ(grid.names(), (std::vector<std::string>{"r1c1", "r1c2", "r1c3", "r2c1", "r2c2", "r2c3"}));
  EXPECT_EQ(grid.place_of(0, 0.75 * degree), 0);
  EXPECT_EQ(grid.place_of(2.5 * degree, 0.75 * degree), 2);
  EXPECT_EQ(grid.place_of(0, -0.75 * degree), 3);
  EXPECT_EQ(grid.place_of(1.5 * degree, -0.3 * degree), 4);
  EXPECT_EQ(grid.place_of(1.5 * degree, -0.2 * degree), 1);
  EXPECT_EQ(grid.place_of(2.5 * degree, -0.75 * degree), 5);
}

// By hand: middles at 0 and ±1 in the middle row, at ±1/2 and ±3/2 (which reach 1) in the rows above and below.
TEST(PlaceGrid, HexagonsAreNumberedAndNamedFromTheNorthWestInShiftedRows) {
  const double degree = 1000 / kMetresADegree;
  const PlaceGrid grid = made({PlaceShape::hexagon, -1.1 * degree, -0.8 * degree, 1.1 * degree, 0.8 * degree, 1000});
  EXPECT_EQ(grid.names(), (std::vector<std::string>{"r1c1", "r1c2", "r1c3", "r1c4", "r2c1", "r2c2", "r2c3", "r3c1",
                                                    "r3c2", "r3c3", "r3c4"}));
  EXPECT_EQ(grid.place_of(-1.1 * degree, 0.8 * degree), 0);
  EXPECT_EQ(grid.place_of(-0.5 * degree, 0.7 * degree), 1);
  EXPECT_EQ(grid.place_of(-degree, 0), 4);
  EXPECT_EQ(grid.place_of(0, 0), 5);
  EXPECT_EQ(grid.place_of(0, 0.57 * degree), 5);  // just below its tip
  EXPECT_EQ(grid.place_of(0.01 * degree, 0.59 * degree), 2);
  EXPECT_EQ(grid.place_of(1.1 * degree, -0.8 * degree), 10);
  EXPECT_NEAR(grid.middle_of(0).x, -1500, 1e-6);
  EXPECT_NEAR(grid.middle_of(0).y, 500 * std::numbers::sqrt3, 1e-6);
}

TEST(PlaceGrid, NamesAreUniqueAndTheSameEveryTime) {
  for (const PlaceGridSpec& spec : some_specs()) {
    const PlaceGrid grid = made(spec);
    const std::set<std::string> names(grid.names().begin(), grid.names().end());
    EXPECT_EQ(static_cast<std::int64_t>(names.size()), grid.places());
    EXPECT_EQ(grid.names(), made(spec).names());
    EXPECT_TRUE(grid.names().front().starts_with("r1c"));
    for (std::int64_t place = 1; place < grid.places(); ++place) {
      const Point last = grid.middle_of(place - 1), next = grid.middle_of(place);
      EXPECT_TRUE(next.y < last.y || (next.y == last.y && next.x > last.x));
    }
  }
}

void expect_refused(const PlaceGridSpec& spec, const std::string& beginning) {
  const auto grid = PlaceGrid::make(spec);
  ASSERT_FALSE(grid) << beginning;
  EXPECT_EQ(grid.error().kind, ErrorKind::usage);
  EXPECT_TRUE(grid.error().text().starts_with(beginning)) << grid.error().text();
}

TEST(PlaceGrid, BoxesThatAreNoneAreRefused) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  for (const PlaceShape shape : {PlaceShape::hexagon, PlaceShape::square}) {
    expect_refused({shape, 179, 0, -179, 1, 1000}, "east: -179 is not valid");  // across the antimeridian
    expect_refused({shape, 179, 0, 181, 1, 1000}, "east: 181");
    expect_refused({shape, -181, 0, 0, 1, 1000}, "west: -181");
    expect_refused({shape, 1, 0, 1, 1, 1000}, "east: 1 ");
    expect_refused({shape, 0, 1, 1, 1, 1000}, "north: 1 ");
    expect_refused({shape, 0, 2, 1, 1, 1000}, "north: 1 ");
    expect_refused({shape, 0, 0, 1, 90, 1000}, "north: 90");
    expect_refused({shape, 0, -85.1, 1, 0, 1000}, "south: -85.1");
    expect_refused({shape, std::nan(""), 0, 1, 1, 1000}, "west: nan");
    expect_refused({shape, 0, std::nan(""), 1, 1, 1000}, "south: nan");
    expect_refused({shape, 0, 0, kFar, 1, 1000}, "east: infinity");
    expect_refused({shape, 0, 0, 1, std::nan(""), 1000}, "north: nan");
    expect_refused({shape, 0, 0, 1e-6, 1, 1000}, "east: 1e-06 is not valid; it must leave the box at least 1 metre");
    expect_refused({shape, 0, 0, 1, 1e-6, 1000}, "north: 1e-06 is not valid; it must leave the box at least 1 metre");
  }
}

TEST(PlaceGrid, SizesOutOfRangeAndTooManyPlacesAreRefused) {
  for (const PlaceShape shape : {PlaceShape::hexagon, PlaceShape::square}) {
    for (const double size : {0.0, -5.0, 0.999, 1'000'001.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
      expect_refused(surat(shape, size), "size: ");
    }
    expect_refused(surat(shape, 10), "size: 10 is not valid; it must be larger, or the box smaller");
    expect_refused({shape, -180, -85, 180, 85, 1}, "size: 1 is not valid; it must be larger");
    expect_refused({shape, 0, -85, 0.00002, 85, 1}, "size: 1 is not valid; it must be larger");
    expect_refused({shape, -180, 0, 180, 0.00002, 1}, "size: 1 is not valid; it must be larger");
    const PlaceGrid many = made(surat(shape, 30));
    EXPECT_GT(many.places(), 500'000);
    EXPECT_LE(many.places(), PlaceGrid::kMostPlaces);
  }
}

}  // namespace
}  // namespace chronoveil
