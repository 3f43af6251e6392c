// The closed forms and the distributions of losses that the price of StaSwitch rests on (events/moves/staswitch.h).
#pragma once

#include <cstdint>
#include <vector>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/moves/staswitch_pair.h"

namespace chronoveil::accounting {

inline constexpr std::int64_t kLargestCoveredWindow = 6;  // by distributions of losses

// Upper bound on δ at α = e^ε >= 1, for every swap, position and length. With q = (1-p)/(k-1) and ν = p/(p+q), for a
// swap d steps apart, 1 - δ is at least
//   s A + w ((p+q)(1 - ν^{d-1}) A + q (k-1-d) ν^{d-1} B),
//   s = (1-q)^d (p + dq),   w = (1-q)^{d-1} (p + (d-1)q)(p + dq),
//   A = p min(p, αq) + pq min(1, αp²/q),   B = p² min(1, αq) + pq min(1, αp²/q):
// s bounds the probability that no step picks one of the two values where under the neighbour it could not have, w that
// no step picks one at all; A and B what both series have in common once the earlier of the two positions is reached,
// if neither of its values moves to a third position; the bracket adds outputs where they do so once. Steps near the
// end of a series have q/(p + (r-1)q) for q, r positions being left; the products of these telescope to the above.
long double staswitch_upper_bound(std::int64_t window, double stay, std::int64_t distance, long double alpha);
// The largest of them.
long double staswitch_upper_bound(std::int64_t window, double stay, long double alpha);

// What a swap k - 1 steps apart, the first at step k - 1, reveals to an observer who only sees whether one of the two
// values comes before that step, which of them comes at it, and whether the other comes later than its own step.
//   infinite loss  1 - s + s p m,   loss ln(p(1-m)/q) with P-mass s p (1-m);   s = (1-q)^{k-1}, m = (1-p)(1-q)^{k-2}
PairLoss staswitch_attained(std::int64_t window, double stay);

// The losses of all swaps and positions that matter, for k <= kLargestCoveredWindow. In the middle of a series, those
// of each of the Bell(k) arrangements that may have come before; what came before is public, so δ is a mean over them,
// and the largest is a bound.
struct CoveredSwitch {
  std::vector<PairLoss> attained;  // by real neighbours
  std::vector<PairLoss> beyond;    // of arrangements in the middle of a series that exceed those: for p near 1/k
};
CoveredSwitch covered_staswitch(std::int64_t window, double stay);

// nominal_of(const StaSwitch&), declared in published.h, is [Ye23, Thm 4.3] before its closed-form estimates:
//   ε = ln((P_0² - δ)/(P_1 P_{-1})),   δ = max(P_{1-k}, ..., P_{-1}),
// P_j the probability that a value is released j steps late, from the paper's equations (10) to (12); ε = 0 where the
// fraction is not above 1. For k > kWidestNominalWindow the closed form of the theorem, with δ <= q.
inline constexpr std::int64_t kWidestNominalWindow = 2048;

}  // namespace chronoveil::accounting
