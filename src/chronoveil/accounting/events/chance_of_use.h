// Subsampling hides what is protected by leaving it out. If it is used at all with a probability of at most δ, δ alone
// pays for publishing it as it is: (0, δ) does hold, so the analysis asks for hardly any noise. Nobody who names a δ
// means that, so such plans are refused.
//   what samples steps    as its kind says (chance_of_use() there)
//   what samples units    1 − (1 − η)^n for a count of n: the unit is in a sample of share η (sampled/sampled.h)
//   others                1: nothing is left out
#pragma once

#include "chronoveil/accounting/events/event.h"

namespace chronoveil::accounting {

double chance_of_use(const Event&);

// 1 − (1 − p)^n without cancellation, for p in [0, 1] and n >= 1.
double at_least_once(double chance, double times);

// Whether δ >= that chance. A δ of NaN covers it.
bool delta_covers_use(const Event&, double delta);

}  // namespace chronoveil::accounting
