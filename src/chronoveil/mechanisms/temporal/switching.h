// ranswitch and staswitch: each step exchanges its value with one of the next k - 1 steps, or with probability p leaves
// it where it is [Ye23].
//   Law       temporal/switching.h; staswitch never delays a value by more than k - 1 steps in all
//   Privacy   δ(ε) over sets, from the accountant; the papers' numbers, which are for single outputs, stand beside it.
//             No δ = 0 holds: a value that left more than k - 1 steps early would be impossible under the neighbour
//   Calibration  `stay` = "auto": the largest p within (ε, δ). Smaller p moves more, and costs more δ
#pragma once

#include "chronoveil/mechanisms/temporal_mechanism.h"

namespace chronoveil::mechanisms {

const TemporalMechanism& ranswitch();
const TemporalMechanism& staswitch();

}  // namespace chronoveil::mechanisms
