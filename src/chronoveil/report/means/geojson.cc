// Means on a grid as GeoJSON (RFC 7946): one feature per public cell, so that tools can go through time.
#include <nlohmann/json.hpp>

#include "chronoveil/base/csv_time.h"
#include "chronoveil/base/place_degrees.h"
#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/report/means/published.h"
#include "chronoveil/report/means/words.h"

namespace chronoveil::report {
namespace {

using json = nlohmann::ordered_json;

// Counter-clockwise, and closed.
json polygon_of(const PlaceGrid& grid, std::int64_t place) {
  json ring = json::array();
  const std::vector<PlaceGrid::Point> corners = grid.corners_of(place);
  for (std::size_t i = corners.size(); i-- > 0;) {
    const Degrees at = degrees_of(grid.spec(), corners[i]);
    ring.push_back({at.longitude, at.latitude});
  }
  ring.push_back(ring.front());
  return {{"type", "Polygon"}, {"coordinates", json::array({ring})}};
}

}  // namespace

std::string means_geojson(const MeansPublished& published) {
  const MeansRelease& release = published.release;
  const std::vector<std::string> times = csv_times(release.axis);
  std::string out = "{\"type\":\"FeatureCollection\",\"title\":" + text_of(json(published.title)) +
                    ",\"measure\":" + text_of(json(measure_words(published))) + ",\"features\":[";
  for (std::int64_t place = 0; release.grid && place < release.grid->places(); ++place) {
    const json shape = polygon_of(*release.grid, place);
    for (std::size_t step = 0; step < times.size(); ++step) {
      const CellEstimate& cell = release.cells[static_cast<std::size_t>(place) * times.size() + step];
      const bool has_mean = cell.state == CellEstimate::State::published;
      const auto number = [&](double value) { return has_mean ? finite_or_null(value) : json(nullptr); };
      json facts{{"place", release.places[static_cast<std::size_t>(place)]},
                 {"slot", times[step]},
                 {"mean", number(cell.mean)},
                 {"lower", number(cell.lower)},
                 {"upper", number(cell.upper)}};
      if (release.smoothed != Smoothed::no) {
        facts["measured"] = number(cell.measured);
        facts["deviation"] = number(cell.deviation);
      }
      if (!release.mark.empty()) facts["mark"] = release.mark;  // a feature is passed on alone
      out += (place == 0 && step == 0 ? "\n" : ",\n") +
             text_of(json{{"type", "Feature"}, {"geometry", shape}, {"properties", facts}});
    }
  }
  return out + "]}\n";
}

}  // namespace chronoveil::report
