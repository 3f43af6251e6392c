// Calibration of events that move values in time. At a fixed ε, δ first falls and then rises with the parameter: the
// more a switch moves, the more outputs are impossible under a neighbour; the less it moves, the more its order
// reveals. The same holds for noisy_sort with redrawn keys. The answer is the largest parameter within (ε, δ): the
// least disturbance.
#pragma once

#include "chronoveil/accounting/accountant.h"

namespace chronoveil::accounting {

// Whether the open parameter is `stay`, `threshold`, or the ε of noisy_sort. At δ = 0 without max_shift only a single
// noisy_sort: the general search handles the sum of several.
bool calibrates_moves(const Event& open, Delta);

// calibrate() for those. With Analysis::published a δ of 0 means that δ follows from the paper's ε. A threshold is
// calibrated by that analysis alone: the largest c0, which delays values least, whose nominal ε is within ε.
Result<Calibration> calibrate_moves(const Event& open, Epsilon, Delta, const Options&);

}  // namespace chronoveil::accounting
