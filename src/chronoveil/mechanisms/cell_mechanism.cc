#include "chronoveil/mechanisms/cell_mechanism.h"

#include <algorithm>

#include "chronoveil/base/interrupted.h"
#include "chronoveil/base/rounded_up.h"
#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/draws.h"

namespace chronoveil::mechanisms {

double CellShape::width() const { return difference_up(upper, lower); }

namespace {

// The least multiplier of Laplace or Gaussian noise that covers every part of the event.
std::optional<double> promised_multiplier(const accounting::Event& event, NoiseKind kind) {
  if (const auto* e = std::get_if<accounting::Gaussian>(&event.kind))
    return kind == NoiseKind::gaussian ? std::optional(e->noise_multiplier) : std::nullopt;
  if (const auto* e = std::get_if<accounting::Laplace>(&event.kind))
    return kind == NoiseKind::laplace ? std::optional(e->noise_multiplier) : std::nullopt;
  const auto* all = std::get_if<accounting::Compose>(&event.kind);
  if (!all) return std::nullopt;
  std::optional<double> most;
  for (const accounting::Event& part : all->events)
    if (const std::optional<double> own = promised_multiplier(part, kind))
      most = std::max(own.value(), most.value_or(0));
  return most;
}

}  // namespace

Result<void> check_noise(const CellsPlan& plan) {
  CV_TRY(const CellMechanism* mechanism, find_cell_mechanism(plan.mechanism));
  const std::optional<double> multiplier = promised_multiplier(plan.event, plan.noise);
  if (!multiplier || !(plan.influence >= 1) || !(plan.noise_multiplier >= *multiplier * plan.influence))
    return fail(ErrorKind::internal, "measure", "the noise of the plan is less than its event says");
  // An event says how often, or is one for all cells of a person and then joins at least so many.
  const double sums = static_cast<double>(plan.shape.max_cells) * static_cast<double>(mechanism->sums);
  const double joined = plan.noise == NoiseKind::gaussian ? plan.influence * plan.influence : plan.influence;
  if (!(static_cast<double>(plan.event.count) * joined >= sums))
    return fail(ErrorKind::internal, "measure", "the event of the plan covers fewer cells than a person may be in");
  return {};
}

namespace {

bool is_within(const bound::BoundedCells& cells, const CellShape& shape) {
  const bound::CellCaps& caps = cells.caps();
  return std::min(caps.max_cells, cells.cells()) <= shape.max_cells &&
         (!shape.max_records || (caps.max_records && *caps.max_records <= *shape.max_records)) &&
         cells.grid().lower() == shape.lower && cells.grid().upper() == shape.upper;
}

// This looks only at public counts, and draws nothing.
std::optional<CellEstimate> left_out(const CellsPlan& plan, const bound::CellView& cell) {
  if (cell.counts.empty()) return CellEstimate{.state = CellEstimate::State::empty};
  if (static_cast<std::int64_t>(cell.counts.size()) < plan.shape.sparse_below)
    return CellEstimate{.state = CellEstimate::State::sparse};
  return std::nullopt;
}

Result<std::vector<CellEstimate>> measure_all(const CellMechanism& mechanism, const CellsPlan& plan,
                                              const bound::BoundedCells& cells, Draws& draws) {
  std::vector<CellEstimate> estimates;
  estimates.reserve(static_cast<std::size_t>(cells.cells()));
  for (std::int64_t number = 0; number < cells.cells(); ++number) {
    CV_CHECK(check_interrupted());
    const bound::CellView cell = cells.cell(number);
    if (mechanism.public_counts) {
      if (const std::optional<CellEstimate> none = left_out(plan, cell)) {
        estimates.push_back(*none);
        continue;
      }
    }
    CV_TRY(const CellEstimate estimate, mechanism.measure(plan, cell, draws));
    estimates.push_back(estimate);
  }
  return estimates;
}

}  // namespace

Result<std::vector<CellEstimate>> measure_uncut(const CellsPlan& plan, const bound::BoundedCells& cells, Draws& draws) {
  CV_TRY(const CellMechanism* mechanism, find_cell_mechanism(plan.mechanism));
  if (cells.places() != plan.shape.places || cells.steps() != plan.shape.steps)
    return fail(ErrorKind::internal, "measure", "the bounded cells do not have the shape of the plan");
  if (!is_within(cells, plan.shape))
    return fail(ErrorKind::internal, "measure", "the cells were not bounded by the caps of the plan");
  if (plan.relation != mechanism->relation)
    return fail(ErrorKind::internal, "measure", "the mechanism does not protect what the plan says");
  CV_CHECK(check_noise(plan));
  if (draws.continues()) return fail(ErrorKind::internal, "measure", "a run covers steps as they come, not cells");
  // The receipt was redeemed for one run of one event; measuring anything else would be uncovered.
  CV_CHECK(draws.start(plan.event));
  Result<std::vector<CellEstimate>> estimates = measure_all(*mechanism, plan, cells, draws);
  draws.finish();
  return estimates;
}

std::vector<CellEstimate> cut(std::vector<CellEstimate> estimates, const CellShape& shape) {
  for (CellEstimate& estimate : estimates) {
    if (estimate.state != CellEstimate::State::published) continue;
    // Noise wholly beyond the bounds tells little; an interval cut to one bound would look like certainty.
    if (estimate.lower > shape.upper || estimate.upper < shape.lower) {
      estimate.lower = shape.lower;
      estimate.upper = shape.upper;
    }
    for (double* each : {&estimate.mean, &estimate.lower, &estimate.upper})
      *each = std::clamp(*each, shape.lower, shape.upper);
  }
  return estimates;
}

Result<std::vector<CellEstimate>> measure(const CellsPlan& plan, const bound::BoundedCells& cells, Draws& draws) {
  CV_TRY(std::vector<CellEstimate> estimates, measure_uncut(plan, cells, draws));
  return cut(std::move(estimates), plan.shape);
}

}  // namespace chronoveil::mechanisms
