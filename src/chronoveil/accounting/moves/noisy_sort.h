// noisy_sort: values in the order of step + X. With D = k - 1, a swap of values d <= D steps apart shifts the two keys
// by d in opposite directions; the pair of keys is what is priced, for sorting them, breaking ties with fresh bits and
// letting values leave by their keys and the clock are post-processing. One key's loss, at a shift of d:
//   Laplace    x <= 0: d/s;  0 < x < d: (d - 2x)/s;  x >= d: -d/s, with s = 2D/ε
//   Staircase  -ε/2, 0 or ε/2
//   |X| <= m   infinite where x - d < -m, with probability w_d = P(m - d < X <= m) / P(|X| <= m)
// The shift d = D is the worst of all, for each key and so for both: Laplace noise is log-concave, truncated or not, so
// the best tests are thresholds, whose power grows with d; a staircase's profile is a straight line in e^ε between its
// values at 0, P(|X| shifts by d past the middle), and at ε/2, w_d, and both grow with d as the law is symmetric and
// falls with |x|.
//   Edges   without m: pure, ε. With m: δ(ε) = 1 - (1 - w_D)^2 <= P(m - D < |X| <= m)/P(|X| <= m); 1 when 2m < D
#pragma once

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/grid/atomic_model.h"

namespace chronoveil::accounting {

// The same event, a staircase's plateau said where it is left to staircase_plateau(). Pure ε is the same for every
// plateau; what max_shift costs is not.
NoisySort with_plateau(NoisySort);

AtomicLaw noisy_sort_law(const NoisySort&);
// The P-mass of infinite losses, 1 - (1 - w_D)^2, rounded up; 0 without max_shift alone.
double truncation_cost(const NoisySort&);

// The smallest max_shift at which the truncation costs at most `delta`; nothing if there is none up to 2^40.
std::optional<std::int64_t> least_max_shift(NoisySort, double delta);

}  // namespace chronoveil::accounting
