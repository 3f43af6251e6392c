// A rough picture of a step's losses, from which the saddle point of a composition is found.
#pragma once

#include "chronoveil/accounting/grid/loss_model.h"
#include "chronoveil/accounting/grid/saddle_point.h"

namespace chronoveil::accounting {

Sketch sketch(const LossModel&, std::int64_t count, double step, std::size_t bins, Reading);

}  // namespace chronoveil::accounting
