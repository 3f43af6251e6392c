#include "chronoveil/base/place_degrees.h"

#include <cmath>

namespace chronoveil {

Degrees degrees_of(const PlaceGridSpec& spec, const PlaceGrid::Point& point) {
  const double longitude = spec.west + (spec.east - spec.west) / 2,
               latitude = spec.south + (spec.north - spec.south) / 2;
  const double east = kMetresADegree * std::cos(latitude * std::numbers::pi / 180);
  const auto rounded = [](double degrees) { return std::round(degrees * 1e7) / 1e7; };
  return {rounded(longitude + point.x / east), rounded(latitude + point.y / kMetresADegree)};
}

}  // namespace chronoveil
