// A job out of a table of sections and keys, wherever the table comes from.
#pragma once

#include <string>

#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/job/table.h"

namespace chronoveil::engine {

// Reads the keys, refuses those of other kinds, and checks all that needs no data. Relative paths are relative to the
// folder of `path`. Caps that a look finds may be missing where it says so.
Result<Job> read_table(const JobTable&, JobKind, const std::string& path, bool may_lack_caps = false);

}  // namespace chronoveil::engine
