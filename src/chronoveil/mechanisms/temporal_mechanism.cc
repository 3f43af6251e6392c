#include "chronoveil/mechanisms/temporal_mechanism.h"

#include <utility>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/mechanisms/temporal/common.h"

namespace chronoveil::mechanisms {
namespace {

// Checks that the parameters are as prepare() leaves them, and that they make the event.
Result<void> check_plan(const TemporalMechanism& mechanism, const TemporalPlan& plan) {
  CV_TRY(const Parameters all, resolved(plan.parameters, mechanism.name, mechanism.parameters));
  if (all != plan.parameters) return disagreement();
  if (plan.relation != (mechanism.moves ? Relation::swap : Relation::replace)) return disagreement();
  // A user is priced by the number of values: without it, any number of values would be drawn for the price of one.
  const bool whole = !mechanism.moves && plan.unit == Unit::user && plan.length;
  if (plan.unit != Unit::event && !whole) return disagreement();
  CV_TRY(const accounting::Event said, mechanism.event(plan));
  CV_CHECK(accounting::validate(said));
  if (accounting::to_text(said) != accounting::to_text(plan.event)) return disagreement();
  return {};
}

Failure no_such_lane() { return fail(ErrorKind::internal, "perturb", "there is no such lane, or the run is over"); }

}  // namespace

Result<Perturbation> Perturbation::start(const TemporalPlan& plan, Draws& draws) {
  CV_TRY(const TemporalMechanism* mechanism, find_temporal_mechanism(plan.mechanism));
  CV_CHECK(check_plan(*mechanism, plan));
  if (draws.continues()) return fail(ErrorKind::internal, "perturb", "a run covers steps of counts, not a series");
  Perturbation run;
  run.draws_ = &draws;
  for (std::int64_t lane = 0; lane < plan.lanes; ++lane) {
    CV_TRY(std::unique_ptr<TemporalProcess> process, mechanism->start(plan));
    run.lanes_.push_back(std::move(process));
  }
  // The receipt was redeemed for one run of one event; anything else would be uncovered.
  CV_CHECK(draws.start(plan.event));
  return run;
}

Result<void> Perturbation::push(std::size_t lane, TimedValue value, std::vector<Released>& out) {
  if (lane >= lanes_.size() || !lanes_[lane]) return no_such_lane();
  return lanes_[lane]->push(std::move(value), draws_->right(), out);
}

Result<std::int64_t> Perturbation::finish(std::size_t lane, std::vector<Released>& out) {
  if (lane >= lanes_.size() || !lanes_[lane]) return no_such_lane();
  // Kernels are reset by finish(): a second series would run on the receipt of the first.
  return std::exchange(lanes_[lane], nullptr)->finish(draws_->right(), out);
}

void Perturbation::close() {
  lanes_.clear();
  draws_->finish();
}

}  // namespace chronoveil::mechanisms
