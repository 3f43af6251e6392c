// The different steps of an event, each with its privacy loss and how often it happens.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/accounting/events/event.h"
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
  // If there is a selection among them, the price by zCDP [CKS20, Cor. 13], which may be lower than the composed one.
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
// fitted_steps_of(): of the event unchanged. steps_of(): first fits parts with different neighbours to each other
// (neighbours.h).
Result<Steps> fitted_steps_of(const Event&);
Result<Steps> steps_of(const Event&);

}  // namespace chronoveil::accounting
