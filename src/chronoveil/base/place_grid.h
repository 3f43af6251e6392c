// A public grid over a box of the map: hexagons or squares of one size. It comes from a job, never from data.
//   Plane     x = R cos(φ₀) (λ − λ₀), y = R (φ − φ₀), in metres; (λ₀, φ₀) the middle of the box, R = 6 371 008.8 m
//   Hexagons  pointed at the top; `size` is the distance between the middles of neighbours
//   Squares   `size` is the side
//   Places    those whose middle lies in the box, or that hold a point of its edge: every point of the box is in one.
//             Numbered from north to south, in a row from west to east
//   Names     "r3c5": row and column, counted from 1 in the north-west, the rows of hexagons being shifted by half
//   Edges     a point outside the box, or not finite, is nowhere, whatever cell it would lie in. Refused: a box that is
//             not west < east, south < north within ±180 and ±85 degrees, a size outside [1 m, 1000 km], more than 2^20
//             places
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil {

enum class PlaceShape { hexagon, square };

struct PlaceGridSpec {
  PlaceShape shape = PlaceShape::hexagon;
  double west = 0, south = 0, east = 0, north = 0;  // degrees
  double size = 0;                                  // metres
};

class PlaceGrid {
 public:
  static constexpr std::int64_t kNowhere = -1;

  static Result<PlaceGrid> make(const PlaceGridSpec&);

  const PlaceGridSpec& spec() const { return spec_; }
  std::int64_t places() const { return static_cast<std::int64_t>(names_.size()); }
  const std::vector<std::string>& names() const { return names_; }

  // The place that holds the point, or kNowhere.
  std::int64_t place_of(double longitude, double latitude) const;

  struct Point {
    double x = 0, y = 0;  // metres east and north of the middle of the box
  };
  Point middle_of(std::int64_t place) const;
  std::vector<Point> corners_of(std::int64_t place) const;  // six or four, in order

 private:
  struct Column {
    std::int64_t first = 0;   // the least number of a column in this row
    std::int64_t count = 0;   // columns of this row
    std::int64_t number = 0;  // of the place in its first column
  };

  PlaceGrid() = default;
  PlaceGridSpec spec_;
  double metres_a_degree_x_ = 0, metres_a_degree_y_ = 0, longitude_ = 0, latitude_ = 0;
  std::int64_t top_ = 0;      // the number of the northernmost row
  std::vector<Column> rows_;  // from north to south
  std::vector<std::string> names_;
};

}  // namespace chronoveil
