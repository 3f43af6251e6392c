// A job with [perturb], for the commands that run jobs.
#pragma once

#include "run_flags.h"

namespace chronoveil::cli {

Result<void> run_perturbation(const engine::Job&, const RunFlags&, bool json);

}  // namespace chronoveil::cli
