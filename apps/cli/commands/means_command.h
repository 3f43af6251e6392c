// Running a job of means, the same for `run` and `means`.
#pragma once

#include "run_flags.h"

namespace chronoveil::cli {

Result<void> run_means(const engine::Job&, const RunFlags&, bool json);

}  // namespace chronoveil::cli
