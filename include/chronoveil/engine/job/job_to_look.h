// The text of a job for a look, which finds caps that a release needs: they may be missing.
#pragma once

#include <string>
#include <string_view>

#include "chronoveil/engine/job/job.h"

namespace chronoveil::engine {

Result<Job> parse_job_to_look(std::string_view toml, const std::string& path);

}  // namespace chronoveil::engine
