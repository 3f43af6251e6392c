// The accountant's figures of [Schuchardt25] as CSV: δ(ε) of ways to draw batches, each with a certified upper and
// lower bound.
#pragma once

#include <string>

#include "chronoveil/base/result.h"

namespace chronoveil::schuchardt2025 {

// Figures 2 and 5 to 7 (windows of a series), 3 and 8 (steps against epochs), 4 and 9 (label noise), 10 (length of an
// epoch) and 13 (windows of all series pooled). Columns: figure, panel, line, x, delta, delta_lower; x is ε, or the
// number of steps in Figure 10. `toy`: fewer panels and points.
Result<std::string> figures(bool toy);

}  // namespace chronoveil::schuchardt2025
