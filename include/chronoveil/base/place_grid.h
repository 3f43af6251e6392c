// A public grid over a box of the map: hexagons or squares of one size. It comes from a job, never from data.
//   Plane     x = R cos(φ₀) (λ − λ₀), y = R (φ − φ₀), in metres; (λ₀, φ₀) the middle of the box, R = 6 371 008.8 m
//   Hexagons  pointed at the top; `size` is the distance between the middles of neighbours. The middle of the box is
//             the middle of one of them
//   Squares   `size` is the side. The north-west corner of the box is the corner of the first
//   Places    those that share more than their edge with the box. Every point of the closed box is in the one whose
//             middle is nearest. Numbered from north to south, in a row from west to east
//   Names     "r3c5": row and column, counted from 1 in the north-west. Every second row of hexagons is shifted by
//             half a column; the shifted hexagon is the eastern one of the two that have a column in common
//   Edges     a point outside the box, or not finite, is nowhere, whatever place it would lie in. A point on an edge
//             between places is in one of them; between squares in the eastern, southern one. A sliver of less than
//             1e-9 of the size is no place, and belongs to the neighbour.
//             Refused: a box that is not west < east, south < north within ±180 and ±85 degrees, or not at least 1 m
//             wide and high (so none across the antimeridian), a size outside [1 m, 1000 km], more than 2^20 places
#pragma once

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
  static constexpr std::int64_t kMostPlaces = std::int64_t{1} << 20;

  // Errors are usage and begin with the field: "west", "south", "east", "north" or "size".
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
  std::vector<Point> corners_of(std::int64_t place) const;  // six or four, clockwise from the north or north-west

 private:
  struct Row {
    double y = 0;              // of its middles
    double x = 0;              // of its first middle
    std::int64_t columns = 0;  // at least 1
    std::int64_t number = 0;   // of its first place
  };

  PlaceGrid() = default;
  Result<void> lay_squares();
  Result<void> lay_hexagons();
  Result<void> add_row(double y, double x, std::int64_t columns);
  void name_places();
  std::int64_t nearest_in(const Row& row, double x) const;  // a column, from 0

  PlaceGridSpec spec_;
  double longitude_ = 0, latitude_ = 0;  // the middle of the box
  double metres_a_degree_east_ = 0, metres_a_degree_north_ = 0;
  double half_width_ = 0, half_height_ = 0;  // of the box, in metres
  double row_height_ = 0;                    // from the middles of a row to those of the next
  std::vector<Row> rows_;                    // from north to south
  std::vector<std::string> names_;
};

}  // namespace chronoveil
