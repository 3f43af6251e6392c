// The source of a job of any kind, and the axis of its slots.
#pragma once

#include <memory>

#include "chronoveil/base/slot_axis.h"
#include "chronoveil/data/record_source.h"
#include "chronoveil/engine/job/job.h"

namespace chronoveil::engine {

// Opens the source and checks that its columns are there, without looking at a value. Errors name the keys of a job.
Result<std::unique_ptr<data::RecordSource>> open_job_source(const data::SourceSpec&);
Result<void> opened(const Job&, std::unique_ptr<data::RecordSource>& into);

// The public axis of the job.
Result<SlotAxis> axis_of(const Job&);
// The median length of its slots, in milliseconds.
std::int64_t usual_length(const SlotAxis&);

}  // namespace chronoveil::engine
