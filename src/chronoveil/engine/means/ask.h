#pragma once

#include "chronoveil/engine/means/means.h"
#include "chronoveil/engine/release/budget.h"

namespace chronoveil::engine {

Ask ask_of(const MeansPlanned&);

}  // namespace chronoveil::engine
