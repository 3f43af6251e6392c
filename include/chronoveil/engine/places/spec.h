// [places] of a job whose rows are points: the public grid or the public areas that make places of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/base/place_grid.h"

namespace chronoveil::engine {

struct PlacesSpec {
  std::optional<PlaceGridSpec> grid;
  std::string areas;                                         // a GeoJSON file; empty: none
  std::string area_name = "name";                            // the property that names an area
  std::string areas_digest;                                  // SHA-256 of the file
  std::shared_ptr<const std::vector<std::string>> outlines;  // of the areas in their order: the geometry, as JSON
};

}  // namespace chronoveil::engine
