#include "chronoveil/engine/means/read.h"

#include "chronoveil/engine/release/source.h"

namespace chronoveil::engine {

Result<bound::BoundedCells> read_cells(const MeansPlanned& planned, const bound::CellCaps& caps,
                                       const bound::ValueGrid& values, data::RecordSource& source, DrawRight& right) {
  bound::Places places;
  if (planned.grid)
    places.grid = planned.grid;
  else
    places.names = planned.places;
  return bound::bound_cells(source, planned.axis, places, caps, values, right);
}

Result<bound::BoundedCells> read_cells(const Job& job, const MeansPlanned& planned, const bound::CellCaps& caps,
                                       const bound::ValueGrid& values, DrawRight& right) {
  CV_TRY(const std::unique_ptr<data::RecordSource> source, open_job_source(job.source));
  return read_cells(planned, caps, values, *source, right);
}

}  // namespace chronoveil::engine
