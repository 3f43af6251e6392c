// The Threshold mechanism, a baseline: each value goes to an empty one of the next k slots [Ye21].
//   Law       temporal/threshold_dispatch.h; some slots stay empty, and some values are missing
//   Privacy   known by its published analysis alone, which is for single outputs: cannot_certify otherwise
//   Calibration  `threshold` = "auto": the largest c0 whose published ε is within the request's
#pragma once

#include "chronoveil/mechanisms/temporal_mechanism.h"

namespace chronoveil::mechanisms {

const TemporalMechanism& threshold();

}  // namespace chronoveil::mechanisms
