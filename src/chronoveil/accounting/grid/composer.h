// From an event to a price: its different steps, discretised on a grid that refines itself until both bounds agree.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/grid/loss_model.h"
#include "chronoveil/accounting/moments.h"

namespace chronoveil::accounting {

struct Step {
  std::shared_ptr<const LossModel> model;
  std::int64_t count = 1;
};

// The different steps of an event with their total counts. Gaussians are one Gaussian: μ² = Σ n/σ².
struct Steps {
  std::vector<Step> steps;
  double total = 0;
  bool only_gaussian = false;
  // Where a selection is among them, the price by zCDP [CKS20, Cor. 13], which may be lower than the composed one.
  std::optional<ZcdpCost> zcdp;
};

// The simple events that a composition consists of, each once with its count.
struct Leaf {
  Event once;
  std::int64_t count = 0;
  std::shared_ptr<const LossModel> model;  // made by steps_of() where it is missing
};
using Leaves = std::map<std::string, Leaf>;  // by their text

// Adds a valid event to the leaves.
Result<void> add_leaves(const Event&, Leaves&);
Result<Steps> steps_of(Leaves&);
// Of an event as it is, and of one whose parts are for different neighbours by themselves (neighbours.h).
Result<Steps> fitted_steps_of(const Event&);
Result<Steps> steps_of(const Event&);

// What is asked: ε at δ, or δ at ε.
struct Question {
  bool epsilon_wanted;
  double given;
};

// The certified answer: closed forms where there are any, otherwise composed_price().
Result<Price> price_of(const Steps&, Question, const Options&);

// Both bounds, the gap within the tolerance. Where steps have a direction that holds through all of them, each of the
// two is composed by itself and the larger is the answer; otherwise the symmetrised profiles are composed.
Result<Price> composed_price(const Steps&, Question, const Options&);
// Both bounds on one fixed grid, whatever the gap; losses above the grid hold at most `tail` of the mass a step.
Result<Price> price_on_grid(const Steps&, Question, double step, double tail);

}  // namespace chronoveil::accounting
