// Where the plane of a grid of places lies on the globe: the inverse of the projection in place_grid.h.
#pragma once

#include <numbers>

#include "chronoveil/base/place_grid.h"

namespace chronoveil {

inline constexpr double kEarthRadius = 6'371'008.8;  // the mean radius, in metres
inline constexpr double kMetresADegree = kEarthRadius * std::numbers::pi / 180;

struct Degrees {
  double longitude = 0, latitude = 0;
};

// Rounded to 1e-7 degrees, about a centimetre.
Degrees degrees_of(const PlaceGridSpec&, const PlaceGrid::Point&);

}  // namespace chronoveil
