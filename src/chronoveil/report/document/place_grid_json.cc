#include "chronoveil/report/document/place_grid_json.h"

#include <array>

#include "chronoveil/report/document/members.h"

namespace chronoveil::report {
namespace {

constexpr std::array<std::pair<std::string_view, PlaceShape>, 2> kPlaceShapeNames = {
    {{"hexagon", PlaceShape::hexagon}, {"square", PlaceShape::square}}};

}  // namespace

void members(PlaceGridSpec& grid, auto& with) {
  with.named("shape", kPlaceShapeNames, grid.shape);
  with.finite("west", grid.west);
  with.finite("south", grid.south);
  with.finite("east", grid.east);
  with.finite("north", grid.north);
  with.finite("size", grid.size);
}

nlohmann::ordered_json grid_json(const PlaceGrid& grid) { return object_json(grid.spec()); }

Result<std::optional<PlaceGrid>> grid_in(const Fields& document, const std::vector<std::string>& places) {
  if (!document.has("grid")) return std::nullopt;
  CV_TRY(const Fields grid, document.object("grid"));
  CV_TRY(const PlaceGridSpec spec, object_in<PlaceGridSpec>(grid));
  CV_TRY(PlaceGrid made, PlaceGrid::make(spec));
  if (made.names() != places) return unreadable("grid");
  return made;
}

}  // namespace chronoveil::report
