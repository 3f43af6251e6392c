// The papers' own formulas, for comparison: `--analysis published`. Nothing here is certified.
#pragma once

#include "chronoveil/accounting/accountant.h"

namespace chronoveil::accounting {

// What the paper states for an event that moves values in time: a bound for single outputs, which says nothing about
// sets of them. Empty for other events, and for a threshold window wider than kWidestThresholdWindow.
//   ranswitch  [Ye23, Thm 3.3]  ε = ln((p² s - q)/(q² s)), s = (1 - q)^(2(k-1)), δ = q; ε = 0 where that is not above 1
//   staswitch  [Ye23, Thm 4.3], see staswitch.h
//   threshold  [Ye21]           ε = 2 ln(max p_j / min p_j) over the stationary dispatch probabilities, δ = 0
//   count n    (nε, nδ), δ at most 1: probabilities of single outputs of independent channels multiply. With
//              P <= a + δ, a = min(1, e^ε P') and the same for another channel R <= b + δ₂:
//              PR - ab = P (R - b) + b (P - a) <= δ₂ + δ, for P <= 1 and b <= 1; and ab <= e^(2ε) P' R'
std::optional<Nominal> nominal_of(const Event&);
Nominal nominal_of(const RanSwitch&);
Nominal nominal_of(const StaSwitch&);

// For the events above: the nominal ε if δ reaches the nominal δ, else infinity; and the reverse for δ at ε.
Result<Price> published_epsilon_at(const Event&, double delta);
Result<Price> published_delta_at(const Event&, double epsilon);

}  // namespace chronoveil::accounting
