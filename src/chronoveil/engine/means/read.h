// From the source of a job of means to bounded cells: the only place where such a job touches data.
#pragma once

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/engine/means/means.h"

namespace chronoveil::engine {

Result<bound::BoundedCells> read_cells(const MeansPlanned&, const bound::CellCaps&, const bound::ValueGrid&,
                                       data::RecordSource&, DrawRight& right);
// The same with a source of its own.
Result<bound::BoundedCells> read_cells(const Job&, const MeansPlanned&, const bound::CellCaps&, const bound::ValueGrid&,
                                       DrawRight& right);

}  // namespace chronoveil::engine
