// No draws, no perturbation.
// expect-error: (too few arguments|no matching function|invalid initialization)
#include "chronoveil/mechanisms/temporal_mechanism.h"

auto run(const chronoveil::mechanisms::TemporalPlan& plan) { return chronoveil::mechanisms::Perturbation::start(plan); }
