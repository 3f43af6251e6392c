#pragma once

#include "chronoveil/engine/perturb/perturb.h"
#include "chronoveil/engine/release/budget.h"

namespace chronoveil::engine {

Ask ask_of(const PerturbPlanned&);

}  // namespace chronoveil::engine
