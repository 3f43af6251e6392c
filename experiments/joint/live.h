// The same panels followed step by step, as a live release does.
#pragma once

#include "joint/trials.h"

namespace chronoveil::joint {

// noisy, kalman (every series by itself; its total is the sum of what it says), joint.
std::vector<Score> score_live(const Panel&, double sigma, const std::vector<double>& noisy);

}  // namespace chronoveil::joint
