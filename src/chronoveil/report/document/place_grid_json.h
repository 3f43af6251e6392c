// The public grid of a release, as it stands in its JSON under `grid`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/base/place_grid.h"
#include "chronoveil/report/document/json_fields.h"

namespace chronoveil::report {

nlohmann::ordered_json grid_json(const PlaceGrid&);
// None where the document has none. Bad data where it does not have these places.
Result<std::optional<PlaceGrid>> grid_in(const Fields& document, const std::vector<std::string>& places);

}  // namespace chronoveil::report
