// Names in the JSON of means, shared by its writer and its reader.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "chronoveil/base/means_release.h"

namespace chronoveil::report {

inline constexpr std::array<std::pair<std::string_view, CellEstimate::State>, 3> kCellStateNames = {
    {{"published", CellEstimate::State::published},
     {"empty", CellEstimate::State::empty},
     {"sparse", CellEstimate::State::sparse}}};
inline constexpr std::array<std::pair<std::string_view, PlaceShape>, 2> kPlaceShapeNames = {
    {{"hexagon", PlaceShape::hexagon}, {"square", PlaceShape::square}}};

}  // namespace chronoveil::report
