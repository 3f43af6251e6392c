// Subsampling hides what is protected by leaving it out. Where it is used at all with a probability of at most δ, δ
// alone pays for publishing it as it is: the analysis is right that (0, δ) is met and asks for hardly any noise. Nobody
// who names a δ means that, so plans of this kind are refused.
//   time_subsampling         1 − (1 − p)^(I c) for a count of c: some step of a person is kept. With a filter, too, of
//                            the steps that it changes most
//   structured_subsampling   1 − (1 − q)^c, the largest over the lengths of series: a window that the change touches is
//                            drawn in a step (an epoch), q = ρ (1 − (1 − K/T)^λ), or ρ (1 − (1 − min(1, λ/T))^K) for
//                            poisson. What noise on windows hides is not counted: the window is drawn all the same
//   dp_sgd and what samples  1 − (1 − η)^c: the unit is in a sample (sampled.h)
//   others                   1: nothing is left out
#pragma once

#include "chronoveil/accounting/events/event.h"

namespace chronoveil::accounting {

double chance_of_use(const Event&);

// Whether δ >= that chance. A δ of NaN covers it.
bool delta_covers_use(const Event&, double delta);

}  // namespace chronoveil::accounting
