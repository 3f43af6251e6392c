// Cells of a release as a table.
#pragma once

#include <string>

#include "chronoveil/report/means/published.h"

namespace chronoveil::report {

inline constexpr std::size_t kMostCellRows = 500;

// The cells that have a mean, in the order of the CSV, with their intervals; beyond 500 cells it refers to the CSV.
std::string means_table(const MeansRelease&);

// "Sun 1 Mar 2026, 06:00", not yet escaped; days and longer slots have no time.
std::string slot_text(const SlotAxis&, std::size_t slot);

// The place of a cell, not yet escaped; "All" for the one without a name.
std::string place_text(const MeansRelease&, std::size_t place);

}  // namespace chronoveil::report
