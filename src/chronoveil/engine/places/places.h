// [places] and the columns of points, for jobs of means and of counts.
#pragma once

#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/job/table.h"

namespace chronoveil::engine {

// Reads the grid or the areas. Areas become the public keys of the job, by which its source names points; so do the
// places of a grid where counts are released. Means keep the grid, since their report draws it.
Result<void> complete_places(const JobTable&, Job&);

// Which columns and places go together. Errors name the key as a job file spells it.
Result<void> check_places(const Job&);

}  // namespace chronoveil::engine
