#include "chronoveil/engine/places/places.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/job/section_readers.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/places/areas.h"
#include "chronoveil/ledger/proof/entry.h"

namespace chronoveil::engine {
namespace {

constexpr std::string_view kOutside = "\n";  // no public key holds a line break

Result<void> read_grid(const Section& section, PlacesSpec& places) {
  PlaceGridSpec grid;
  CV_CHECK(read_word<PlaceShape>(section, "shape", {{"hexagon", PlaceShape::hexagon}, {"square", PlaceShape::square}},
                                 grid.shape));
  const std::pair<std::string_view, double*> numbers[] = {
      {"west", &grid.west}, {"south", &grid.south}, {"east", &grid.east}, {"north", &grid.north}, {"size", &grid.size}};
  for (const auto& [key, into] : numbers) {
    CV_CHECK(section.require(key, key == "size" ? "800" : "72.75"));
    CV_CHECK(section.read(key, *into));
  }
  places.grid = grid;
  return {};
}

// What the source calls a point: the name of its place, which the map keeps alive.
template <class Map>
void name_points(Map map, std::int64_t (Map::*place_of)(double, double) const, Job& job) {
  const auto kept = std::make_shared<const Map>(std::move(map));
  job.keys = kept->names();
  job.source.key_of_point = [kept, place_of](double longitude, double latitude) -> std::string_view {
    const std::int64_t place = ((*kept).*place_of)(longitude, latitude);
    return place < 0 ? kOutside : std::string_view(kept->names()[static_cast<std::size_t>(place)]);
  };
}

}  // namespace

Result<void> complete_places(const JobTable& table, Job& job) {
  const Section& section = table.section("places");
  const bool areas = section.has("areas");
  const bool grid = std::any_of(section.values().begin(), section.values().end(), [](const auto& pair) {
    return pair.first != "list" && pair.first != "keys" && pair.first != "areas" && pair.first != "name";
  });
  if (section.has("name") && !areas)
    return fail(ErrorKind::usage, "places.name", "it belongs to areas; give `places.areas` too");
  if (!areas && !grid) return {};
  const std::string named = areas ? "places.areas" : "places.size";
  if (areas && grid) return fail(ErrorKind::usage, named, "a point is placed by areas or by a grid, not by both");
  const std::string other = job.is<MeansSpec>() ? "places" : "series";
  if (!job.keys.empty())
    return fail(ErrorKind::usage, named,
                std::string(areas ? "areas have names of their own" : "a grid names its own places") + "; leave `" +
                    other + ".list` and `" + other + ".keys` out");
  PlacesSpec& places = job.places;
  if (grid) {
    CV_CHECK(read_grid(section, places));
    if (job.is<MeansSpec>()) return {};
    CV_TRY(PlaceGrid made, by_key({"places"}, PlaceGrid::make(*places.grid)));
    name_points(std::move(made), &PlaceGrid::place_of, job);
    return {};
  }
  CV_CHECK(read_path(section, "areas", job.path, places.areas));
  CV_CHECK(section.read("name", places.area_name));
  // They are published by name, and decide which rows count: the data must not.
  if (same_file(places.areas, job.source.path))
    return fail(ErrorKind::usage, named, "'" + places.areas + "' is the source; the areas must be public");
  CV_TRY(const std::string text, read_text_file(named, places.areas));
  CV_TRY(Areas made, Areas::parse(text, places.area_name));
  places.areas_digest = ledger::sha256_hex(text);
  places.outlines = std::make_shared<const std::vector<std::string>>(made.outlines());
  name_points(std::move(made), &Areas::area_of, job);
  return {};
}

Result<void> check_places(const Job& job) {
  const data::SourceSpec& source = job.source;
  const bool points = source.longitude || source.latitude;
  if (source.longitude.has_value() != source.latitude.has_value())
    return fail(ErrorKind::usage, source.longitude ? "source.latitude" : "source.longitude",
                "it is missing; a point needs both");
  const std::string column = job.is<MeansSpec>() ? "source.place" : "source.series";
  if (points && source.series)
    return fail(ErrorKind::usage, column, "give either `" + column + "` or longitude and latitude");
  const bool map = job.places.grid || !job.places.areas.empty();
  if (points != map)
    return fail(ErrorKind::usage, points ? "places.size" : "source.longitude",
                points ? "it is missing; longitude and latitude need a public grid (west, south, east, north, size) or "
                         "public areas (`places.areas`)"
                       : "it is missing; a grid and areas need longitude and latitude");
  if (job.places.grid) CV_CHECK(by_key({"places"}, PlaceGrid::make(*job.places.grid)));
  return {};
}

}  // namespace chronoveil::engine
