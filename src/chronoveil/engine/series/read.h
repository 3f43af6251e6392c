// From a job's source to bounded series: the only place where the engine touches data.
#pragma once

#include <memory>

#include "chronoveil/base/draw_right.h"
#include "chronoveil/bound/bounded_series.h"
#include "chronoveil/data/record_source.h"
#include "chronoveil/engine/series/series.h"

namespace chronoveil::engine {

// Opens the source and checks that its columns are there, without looking at a value.
Result<std::unique_ptr<data::RecordSource>> open_source(const Job&);
Result<void> opened(const Job&, std::unique_ptr<data::RecordSource>& into);

// The public axis of the job.
Result<SlotAxis> axis_of(const Job&);
// The median length of its slots, in milliseconds.
std::int64_t usual_length(const SlotAxis&);

// Records when the job names a user column, counts otherwise; with the caps that the shape was priced for.
Result<bound::BoundedSeries> read_and_bound(const Job&, const SlotAxis&, const mechanisms::PublicShape&,
                                            data::RecordSource&, DrawRight& right,
                                            bound::CountPeople = bound::CountPeople::no);
// The same for a check: read, bounded, and forgotten but for what the owner is told.
Result<DataSeen> see_data(const Job&, const SlotAxis&, const mechanisms::PublicShape&, data::RecordSource&);

// What the data says without caps: every row that is in the span and the list counts in full.
Result<bound::BoundedSeries> read_plainly(const Job&, const SlotAxis&);

}  // namespace chronoveil::engine
