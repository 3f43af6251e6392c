// What a check says of the rows that lie ready for a live release: read by the reader that the release itself uses, and
// forgotten. Nothing is written.
#pragma once

#include <memory>

#include "chronoveil/data/live/input.h"
#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/release/data_seen.h"
#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::engine {

// Opens what a live release reads, without looking at a row. Errors name the keys of a job.
Result<std::unique_ptr<data::LiveInput>> open_live_source(const Job&, bool follow);

// Rows are taken in the order in which `live --once` would, over the span of `axis`, from its first step on. A row that
// cannot be read is bad_data that names file, row and key, never a value: live would refuse it and go on without it.
Result<DataSeen> see_live_rows(const Job&, const SlotAxis&, const mechanisms::PublicShape&);

}  // namespace chronoveil::engine
