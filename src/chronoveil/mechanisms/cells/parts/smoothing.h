// Smooths measured cells over place and time (post/cells/cells.h): post-processing of what a mechanism released, by
// public facts. Not for every mechanism: levy and the quantiles choose an interval from the data first and clamp to it,
// so their noise has another scale in every release and their means are biased; sum_over_count divides by a noisy
// count; registered_mean publishes every cell, and where most of them are empty and alike, the few others would be
// drawn to them.
#pragma once

#include <optional>
#include <vector>

#include "chronoveil/base/place_grid.h"
#include "chronoveil/base/slot_axis.h"
#include "chronoveil/mechanisms/cell_mechanism.h"

namespace chronoveil::mechanisms {

// More cells are refused: smoothing holds a dozen numbers of each at once.
inline constexpr std::int64_t kMostSmoothed = std::int64_t{1} << 22;

// From public facts: whether cells of this plan can be smoothed. Errors are usage, and name output.smooth.
Result<void> check_smoothing(const CellsPlan&);

// What smoothing can use of this grid.
Smoothed smoothed_by(const CellShape&, const std::optional<PlaceGrid>&);

// Steps of a day, if slots of one length divide it; else 0.
std::int64_t steps_of_day(const SlotAxis&);

// `uncut`: as measure_uncut() gives them. Means, and intervals around them, are those of the mixture, not cut either;
// `measured` says what there was. Cells without a mean stay so.
std::vector<CellEstimate> smoothed(const CellsPlan&, std::vector<CellEstimate> uncut, const std::optional<PlaceGrid>&,
                                   const SlotAxis&);

}  // namespace chronoveil::mechanisms
