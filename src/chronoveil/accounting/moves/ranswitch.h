// RanSwitch [Ye23] over sets of outputs. With q = (1 - p)/(k - 1), values distinct:
//   δ(ε) = δ0 + (1 - δ0) max(0, (p - e^ε q)/(p + q)),   δ0 = 1 - (1 - q)^(k-1)
// the largest over all swap distances and positions of a series of at least k values, start and end included. That is
// the profile of a coin of ε0 = ln(p/q) that is shown in full with probability δ0.
//   Edges   p = 1/k: ε0 = 0, and δ0 alone is left. p near 1: δ0 near 1 - p, ε0 without bound
#pragma once

#include "chronoveil/accounting/events/event.h"

namespace chronoveil::accounting {

// Both rounded up.
struct ResponsePair {
  double epsilon = 0;  // ε0
  double delta = 0;    // δ0
};
ResponsePair ranswitch_pair(const RanSwitch&);

// The smallest δ that any `stay` has at ε, rounded up, and the `stay` that has it: q = 1/(e^ε + k - 1), where the
// derivative of δ in q vanishes.
struct BestSwitch {
  double stay = 0;
  double delta = 0;
};
BestSwitch best_ranswitch(std::int64_t window, double epsilon);

}  // namespace chronoveil::accounting
