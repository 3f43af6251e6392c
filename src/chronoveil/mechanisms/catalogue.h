// The one table of mechanisms. The program, the planner, the conformance tests, the benchmarks and the docs iterate it.
#pragma once

#include <span>
#include <string_view>

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

std::span<const SeriesMechanism* const> series_catalogue();

// By name; the error lists the names there are.
Result<const SeriesMechanism*> find_series_mechanism(std::string_view name);

}  // namespace chronoveil::mechanisms
