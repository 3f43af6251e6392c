// From an event to a price: its different steps, discretised on a grid that refines itself until both bounds agree.
#pragma once

#include <memory>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/loss_model.h"

namespace chronoveil::accounting {

struct Step {
  std::unique_ptr<const LossModel> model;
  std::int64_t count = 1;
};

// The different steps of an event with their total counts. Gaussians are one Gaussian: μ² = Σ n/σ².
struct Steps {
  std::vector<Step> steps;
  double total = 0;
  bool only_gaussian = false;
};

Result<Steps> steps_of(const Event&);

// What is asked: ε at δ, or δ at ε.
struct Question {
  bool epsilon_wanted;
  double given;
};

// Both bounds, the gap within the tolerance.
Result<Price> composed_price(const Steps&, Question, const Options&);
// Both bounds on one fixed grid, whatever the gap; losses above the grid hold at most `tail` of the mass a step.
Result<Price> price_on_grid(const Steps&, Question, double step, double tail);

}  // namespace chronoveil::accounting
