// The parts of a job file that make it one of means: [means], and the columns and public counts it needs.
#pragma once

#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/job/table.h"

namespace chronoveil::engine {

// Refuse sections and keys that a job of means has no use for, and those of means in a job of another kind.
Result<void> refuse_in_means(const JobTable&);
Result<void> refuse_means(const JobTable&, const Job&);
// Reads what is special to means in [source]: the column of places, and the value, which is measured, not counted.
Result<void> complete_means(const JobTable&, Job&);

// What holds for every job of means. Errors name the key as a job file spells it.
Result<void> check_means(const Job&);

}  // namespace chronoveil::engine
