// From the rows of a job of counts to bounded series: the only place where its data is touched.
#pragma once

#include "chronoveil/base/draw_right.h"
#include "chronoveil/bound/bounded_series.h"
#include "chronoveil/data/record_source.h"
#include "chronoveil/engine/series/series.h"

namespace chronoveil::engine {

// Records when the job names a user column, counts otherwise; with the caps that the shape was priced for.
Result<bound::BoundedSeries> read_and_bound(const Job&, const SlotAxis&, const mechanisms::PublicShape&,
                                            data::RecordSource&, DrawRight& right,
                                            bound::CountPeople = bound::CountPeople::no);
// The same for a check: read, bounded, and forgotten but for what the owner is told.
Result<DataSeen> see_data(const Job&, const SlotAxis&, const mechanisms::PublicShape&, data::RecordSource&);

// What the data says without caps: every row that is in the span and the list counts in full.
Result<bound::BoundedSeries> read_plainly(const Job&, const SlotAxis&);

}  // namespace chronoveil::engine
