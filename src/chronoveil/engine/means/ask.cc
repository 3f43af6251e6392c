#include "chronoveil/engine/means/ask.h"

#include <cmath>

#include "chronoveil/mechanisms/catalogue.h"

namespace chronoveil::engine {
namespace {

// One more record can push out a cell, or another record of the same cell.
ledger::Eviction eviction_of(const mechanisms::CellShape& shape) {
  return shape.max_cells < shape.cells() || shape.max_records ? ledger::Eviction::possible : ledger::Eviction::none;
}

// What is known of the error, by the public counts; more noise in a cell makes it larger in proportion.
std::optional<double> error_per_noise(const MeansPlanned& planned) {
  if (!planned.comparison) return std::nullopt;
  for (const plan::MeansCandidate& one : planned.comparison->candidates)
    if (one.plan && one.mechanism == planned.chosen.mechanism && one.plan->noise_multiplier > 0 &&
        std::isfinite(one.facts.expected_noise))
      return one.facts.expected_noise / one.plan->noise_multiplier;
  return std::nullopt;
}

}  // namespace

Ask ask_of(const MeansPlanned& planned) {
  mechanisms::CellRequest request = planned.request;
  request.parameters = planned.chosen.parameters;
  return ask_for<mechanisms::CellMechanism, mechanisms::CellsPlan>(
      planned.chosen, request, mechanisms::find_cell_mechanism,
      [per_noise = error_per_noise(planned)](const mechanisms::CellsPlan& plan) {
        Ask made{"means per place and slot", plan.mechanism, plan.event, plan.delta, eviction_of(plan.shape)};
        made.noise = noise_text(plan.noise, plan.noise_multiplier) + " times the sensitivity";
        if (per_noise) made.error = *per_noise * plan.noise_multiplier;
        return made;
      });
}

}  // namespace chronoveil::engine
