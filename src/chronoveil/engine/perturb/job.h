// [perturb] of a job file.
#pragma once

#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/job/table.h"

namespace chronoveil::engine {

// Refuses sections and keys that a perturbed series has no use for.
Result<void> refuse_in_perturb(const JobTable&);
Result<void> check_perturb(const Job&);

// Whether a run asks for a stream: explicitly, or by standard input where a δ lets values leave before the end.
bool asks_for_stream(const Job&);

}  // namespace chronoveil::engine
