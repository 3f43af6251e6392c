// The curve of ε over the steps of a training.
#pragma once

#include <cstdint>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/engine/train/train.h"
#include "chronoveil/training/train.h"

namespace chronoveil::training {

// A few points from the first step to the last one that is paid for.
Result<std::vector<SpentAfter>> spent_curve(const engine::TrainPlanned&);

// What was spent after so many steps: between two points the later one counts, which is no less.
double spent_after(const std::vector<SpentAfter>& curve, std::int64_t steps);

}  // namespace chronoveil::training
