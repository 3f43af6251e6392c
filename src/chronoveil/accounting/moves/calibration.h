// Calibration of what moves values in time. δ at a fixed ε first falls and then rises with the parameter: the more a
// switch moves, the more outputs are impossible under a neighbour; the less it moves, the more its order tells. So does
// noisy_sort's with keys that are drawn again. The answer is the largest parameter within (ε, δ): the least
// disturbance.
#pragma once

#include "chronoveil/accounting/accountant.h"

namespace chronoveil::accounting {

// Whether the open parameter is `stay`, `threshold`, or the ε of noisy_sort; at δ = 0 without max_shift of one
// alone, for the sum of several is the general search's.
bool calibrates_moves(const Event& open, Delta);

// calibrate() for those. With Analysis::published a δ of 0 means that δ follows from the paper's ε. A threshold is
// calibrated by that analysis alone: the largest c0, which delays values least, whose nominal ε is within ε.
Result<Calibration> calibrate_moves(const Event& open, Epsilon, Delta, const Options&);

}  // namespace chronoveil::accounting
