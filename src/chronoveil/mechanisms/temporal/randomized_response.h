// randomized_response, a baseline that changes categories: the truth with probability e^ε / (e^ε + n - 1), else one of
// the n - 1 others, uniformly [Warner65].
//   Privacy   ε-DP when a value is replaced by any other; n is the number of public categories, at least 2
//   Edges     a value that is not listed is bad_data: taking it as another would be a guess
#pragma once

#include "chronoveil/mechanisms/temporal_mechanism.h"

namespace chronoveil::mechanisms {

const TemporalMechanism& randomized_response();

}  // namespace chronoveil::mechanisms
