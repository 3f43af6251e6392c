// From the steps of an event to a price: discretised on a grid that refines itself until both bounds agree.
#pragma once

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/grid/steps.h"

namespace chronoveil::accounting {

// What is asked: ε at δ, or δ at ε.
struct Question {
  bool epsilon_wanted;
  double given;
};

// The certified answer: closed forms where there are any, otherwise composed_price().
Result<Price> price_of(const Steps&, Question, const Options&);

// Both bounds, the gap within the tolerance. If steps have a direction that holds through all of them, each direction
// is composed by itself and the larger is the answer; otherwise the symmetrised profiles are composed.
Result<Price> composed_price(const Steps&, Question, const Options&);
// Both bounds on one fixed grid, whatever the gap; losses above the grid hold at most `tail` of the mass per step.
Result<Price> price_on_grid(const Steps&, Question, double step, double tail);

}  // namespace chronoveil::accounting
