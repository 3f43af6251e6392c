#pragma once

#include "chronoveil/engine/release/budget.h"
#include "chronoveil/engine/series/series.h"

namespace chronoveil::engine {

Ask ask_of(const Planned&);

}  // namespace chronoveil::engine
