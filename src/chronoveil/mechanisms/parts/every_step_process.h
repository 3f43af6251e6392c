// Every step of every series asked as it comes: the live form of laplace, gaussian and event.
//   Present   value: the answer, interval: that of its noise
//   Missing   value: the last answer y, g steps old, interval: that of a deviation √(V₁ + g D), where V₁ is the
//             variance of the noise and D the mean of (y_j − y_i)²/(j − i) over successive answers, which is 2V₁ too
//             large for independent steps of one size, so the interval is wider, not narrower; [0, maximum], widened to
//             hold y, before the second answer
//   Edges     before the first answer 0 in [0, maximum]; one use per answer, at most n T
#pragma once

#include <memory>

#include "chronoveil/mechanisms/live.h"

namespace chronoveil::mechanisms {

Result<std::unique_ptr<LiveProcess>> go_live_every_step(const SeriesPlan&);

}  // namespace chronoveil::mechanisms
