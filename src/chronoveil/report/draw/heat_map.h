// All series at once: one row per series, one column per step, darker for more. Rows and columns beyond what a screen
// can show are averaged, so that the drawing stays small however large the release is.
#pragma once

#include <string>

#include "chronoveil/base/release.h"

namespace chronoveil::report {

inline constexpr std::size_t kMostRows = 200, kMostColumns = 400;

std::string heat_map(const Release&, const std::string& id);

}  // namespace chronoveil::report
