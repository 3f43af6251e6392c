// The one table of mechanisms: those for series, those for means per cell, those for the owner of one series. The
// program, the planner and the conformance tests iterate it, and the last hold the docs to it.
#pragma once

#include <span>
#include <string_view>

#include "chronoveil/mechanisms/cell_mechanism.h"
#include "chronoveil/mechanisms/series_mechanism.h"
#include "chronoveil/mechanisms/temporal_mechanism.h"

namespace chronoveil::mechanisms {

std::span<const SeriesMechanism* const> series_catalogue();
std::span<const CellMechanism* const> cell_catalogue();
std::span<const TemporalMechanism* const> temporal_catalogue();

// By name; the error lists all names.
Result<const SeriesMechanism*> find_series_mechanism(std::string_view name);
Result<const CellMechanism*> find_cell_mechanism(std::string_view name);
Result<const TemporalMechanism*> find_temporal_mechanism(std::string_view name);

}  // namespace chronoveil::mechanisms
