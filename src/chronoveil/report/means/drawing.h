// Means as coloured cells: the map of places, small maps by slot, the strip of places by slot.
#pragma once

#include <string>

#include "chronoveil/report/means/published.h"

namespace chronoveil::report {

// The most shapes in one drawing, and in all small maps together; more places than that are merged.
inline constexpr std::size_t kMostTiles = 20'000;
inline constexpr std::size_t kMostStripRows = 40;

// Places coloured by the mean of their published means, each with a tooltip. Empty when there are no slots.
std::string means_map(const MeansPublished&);

// A small map for each column of slots; empty for one place, one slot or no slots.
std::string means_multiples(const MeansPublished&);

// One row per place and one for all of them, one column per hour of the day or slot; empty for one slot or none.
std::string means_strip(const MeansPublished&);

}  // namespace chronoveil::report
