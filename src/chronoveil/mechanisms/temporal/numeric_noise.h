// piecewise and local_laplace, baselines that change numbers; both limit a value to public bounds first.
//   piecewise      an answer from a bounded range, likelier near the value [Wang19]; each value costs its ε (pure)
//   local_laplace  rounded Laplace noise of scale (upper - lower)/ε
//   Edges          text that is not a finite number is bad_data
#pragma once

#include "chronoveil/mechanisms/temporal_mechanism.h"

namespace chronoveil::mechanisms {

const TemporalMechanism& piecewise();
const TemporalMechanism& local_laplace();

}  // namespace chronoveil::mechanisms
