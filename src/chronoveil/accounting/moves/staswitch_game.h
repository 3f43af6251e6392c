// An upper bound on δ of StaSwitch at one α = e^ε, for every swap, position and length: the gain of an opponent who
// chooses, step by step, how long the next value has already been delayed (if it is neither u nor v nor in the place of
// one) and how many positions are left in the series. Whatever came before the swap and wherever the series ends, the
// opponent could have chosen that. Tighter than the closed form, at some k^5 states.
//   Once neither u nor v is among the two exchanged values they may stay exchanged for ever. From there on, a steps
//   before the earlier of their positions, both series have at least ν^a (min(p, αq) + min(q, αp)) in common,
//   ν = p/(p+q).
#pragma once

#include <vector>

#include "chronoveil/accounting/moves/staswitch_pair.h"

namespace chronoveil::accounting {

// Precondition of both: window <= kLargestPairWindow, α >= 1. For a swap d steps apart, at place d (0 at place 0).
std::vector<long double> staswitch_games(const StaSwitchLaw&, long double alpha);
// The largest of them.
long double staswitch_game(const StaSwitchLaw&, long double alpha);

}  // namespace chronoveil::accounting
