// A job with [train], handed on to the program that has libtorch.
#pragma once

#include <string>

#include "run_flags.h"

namespace chronoveil::cli {

// What `run` does with such a job: the same as `train`. Does not return if the other program was started.
Result<void> run_training(const std::string& path, const engine::Job&, const RunFlags&, bool json);

}  // namespace chronoveil::cli
