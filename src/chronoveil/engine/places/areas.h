// Public areas, polygons of a GeoJSON file [RFC 7946], by which a point becomes a key.
//   Exact     corners and points are rounded to 1e-9 degrees, about 0.1 mm; from there on everything is whole numbers
//   Sides     are straight lines between degrees of longitude and latitude
//   Inside    by parity over all rings of a polygon: the first is its outline, others are holes. A point on a side or a
//             corner, of a hole too, is in the polygon
//   Overlaps  the first area in the order of the file that holds the point has it
//   Refused   what is no FeatureCollection of polygons and multipolygons; an area without a name, or a name given
//             twice; a ring of fewer than four corners, or not closed; a corner outside ±180 and ±90 degrees; no area
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::engine {

class Areas {
 public:
  static constexpr std::int64_t kNowhere = -1;

  // `name` is the property that names an area. Errors name the feature by its number, from 1.
  static Result<Areas> parse(std::string_view geojson, const std::string& name);

  const std::vector<std::string>& names() const { return names_; }
  // Of each area its geometry as JSON, with the corners and in the order of the file.
  const std::vector<std::string>& outlines() const { return outlines_; }
  // The area that holds the point, or kNowhere.
  std::int64_t area_of(double longitude, double latitude) const;

 private:
  struct Side {
    std::int64_t x1, y1, x2, y2;  // 1e-9 degrees, y1 <= y2
    std::uint32_t polygon;
  };
  friend class AreaReader;

  void sort_into_strips();
  std::size_t strip_of(std::int64_t y) const;

  std::vector<std::string> names_, outlines_;
  std::vector<std::uint32_t> area_;  // of each polygon
  std::vector<Side> sides_;          // in the order of polygons
  // Strips of equal height from south to north. A point needs only the sides that reach into its own.
  std::int64_t south_ = 0, north_ = 0;
  std::vector<std::size_t> first_;     // of each strip in in_strip_, and the end
  std::vector<std::size_t> in_strip_;  // sides, in the order of polygons
};

}  // namespace chronoveil::engine
