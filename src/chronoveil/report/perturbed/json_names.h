// Names in the JSON of what was perturbed, shared by its writer and its reader.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace chronoveil::report {

// Whether times move.
inline constexpr std::array<std::pair<std::string_view, bool>, 2> kViewNames = {{{"values", false}, {"times", true}}};

}  // namespace chronoveil::report
