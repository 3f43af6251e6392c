#include "chronoveil/report/document/geojson.h"

#include <nlohmann/json.hpp>

#include "chronoveil/base/place_degrees.h"
#include "chronoveil/report/document/json_parts.h"

namespace chronoveil::report {

using json = nlohmann::ordered_json;

Outlines outlines_of(const PlaceGrid& grid) {
  Outlines all;
  for (std::int64_t place = 0; place < grid.places(); ++place) {
    json ring = json::array();
    const std::vector<PlaceGrid::Point> corners = grid.corners_of(place);
    for (std::size_t i = corners.size(); i-- > 0;) {
      const Degrees at = degrees_of(grid.spec(), corners[i]);
      ring.push_back({at.longitude, at.latitude});
    }
    ring.push_back(ring.front());
    all.push_back(text_of({{"type", "Polygon"}, {"coordinates", json::array({ring})}}));
  }
  return all;
}

FeatureCollection::FeatureCollection(const json& about) : text_("{\"type\":\"FeatureCollection\",") {
  for (const auto& [key, value] : about.items()) text_ += text_of(json(key)) + ":" + text_of(value) + ",";
  text_ += "\"features\":[";
}

void FeatureCollection::add(const std::string& outline, const json& properties) {
  text_ += empty_ ? "\n" : ",\n";
  text_ += "{\"type\":\"Feature\",\"geometry\":" + outline + ",\"properties\":" + text_of(properties) + "}";
  empty_ = false;
}

}  // namespace chronoveil::report
