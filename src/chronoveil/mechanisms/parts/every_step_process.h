// Every step of every series asked as it comes: the live form of laplace, gaussian and event.
//   Present   value: the answer, interval: that of its noise
//   Missing   value: the last answer y, g steps old, interval: that of a deviation √(V₁ + g D), where V₁ is the
//   variance
//             of the noise and D the mean of (y_j − y_i)²/(j − i) over successive answers, which is 2V₁ too large for
//             independent steps of one size, and the wider for it; [0, maximum], with y inside, where two answers are
//             not there yet
//   Edges     before the first answer 0 in [0, maximum]; one use an answer, at most n T
#pragma once

#include <memory>

#include "chronoveil/mechanisms/live.h"

namespace chronoveil::mechanisms {

Result<std::unique_ptr<LiveProcess>> go_live_every_step(const SeriesPlan&);

}  // namespace chronoveil::mechanisms
