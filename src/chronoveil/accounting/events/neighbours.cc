#include "chronoveil/accounting/events/neighbours.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace chronoveil::accounting {
namespace {

Failure not_convertible(std::string_view event) {
  return fail(ErrorKind::usage, "relation: this '" + std::string(event) +
                                    "' event cannot be converted to the dataset's relation; price it for that instead");
}

template <class Discrete>
Result<Kind> doubled_on_grid(Discrete event, std::string_view name) {
  if (event.sensitivity > std::numeric_limits<std::int64_t>::max() / 2) return not_convertible(name);
  event.sensitivity *= 2;
  return event;
}

struct Doubled {
  Result<Kind> operator()(Gaussian e) const { return Gaussian{e.noise_multiplier / 2}; }
  Result<Kind> operator()(Laplace e) const { return Laplace{e.noise_multiplier / 2}; }
  Result<Kind> operator()(DiscreteGaussian e) const { return doubled_on_grid(e, "discrete_gaussian"); }
  Result<Kind> operator()(DiscreteLaplace e) const { return doubled_on_grid(e, "discrete_laplace"); }
  // A bounded range is a statement about two neighbours; over two steps the ranges add.
  Result<Kind> operator()(Exponential e) const { return Exponential{2 * e.epsilon}; }
  Result<Kind> operator()(Pure e) const { return Pure{2 * e.epsilon}; }
  Result<Kind> operator()(RandomizedResponse e) const { return Pure{2 * e.epsilon}; }
  Result<Kind> operator()(Approximate e) const {
    const double growth = std::nextafter(1 + std::nextafter(std::exp(e.epsilon), HUGE_VAL), HUGE_VAL);
    const double delta = e.delta == 0 ? 0 : std::nextafter(growth * e.delta, HUGE_VAL);
    if (!(delta < 1)) return not_convertible("approximate");
    return Approximate{2 * e.epsilon, delta};
  }
  Result<Kind> operator()(TimeSubsampling e) const {
    if (e.participation > std::numeric_limits<std::int64_t>::max() / 2) return not_convertible("time_subsampling");
    e.participation *= 2;
    if (!e.length || e.participation <= *e.length) return e;
    // Without a filter `length` counts all steps of all series. A filter's is that of one series, and how many there
    // are is not in the event: the steps beyond it may lie in another one.
    if (e.filter_width) return not_convertible("time_subsampling");
    e.participation = *e.length;
    return e;
  }
  // Where a unit may be in the sample, so may the one in its place: the pair given that is the inner event's for a
  // replacement, or for a unit that is missing, which the doubled one covers (sampled.h).
  Result<Kind> operator()(PoissonSampled e) const {
    if (e.relation != Relation::add_remove) return not_convertible("poisson_sampled");
    CV_TRY(Event inner, for_replacement(*e.inner));
    return PoissonSampled{e.rate, std::make_shared<const Event>(std::move(inner)), Relation::replace};
  }
  Result<Kind> operator()(const DpSgd& e) const {
    return PoissonSampled{e.rate, std::make_shared<const Event>(Event{Gaussian{e.noise_multiplier / 2}}),
                          Relation::replace};
  }
  // The inner event is for a replacement already.
  template <class FixedSize>
  static Result<Kind> in_fixed_size(FixedSize e, std::string_view name) {
    if (e.relation != Relation::add_remove) return not_convertible(name);
    e.relation = Relation::replace;
    return e;
  }
  Result<Kind> operator()(const SampledWithoutReplacement& e) const {
    return in_fixed_size(e, "sampled_without_replacement");
  }
  Result<Kind> operator()(const SampledWithReplacement& e) const {
    return in_fixed_size(e, "sampled_with_replacement");
  }
  Result<Kind> operator()(const Compose& e) const {
    Compose result;
    for (const Event& part : e.events) {
      CV_TRY(Event converted, for_replacement(part));
      result.events.push_back(std::move(converted));
    }
    return result;
  }
  Result<Kind> operator()(const Mixture&) const { return not_convertible("mixture"); }
  Result<Kind> operator()(const StructuredSubsampling&) const { return not_convertible("structured_subsampling"); }
  Result<Kind> operator()(const RanSwitch&) const { return not_convertible("ranswitch"); }
  Result<Kind> operator()(const StaSwitch&) const { return not_convertible("staswitch"); }
  Result<Kind> operator()(const NoisySort&) const { return not_convertible("noisy_sort"); }
  Result<Kind> operator()(const Threshold&) const { return not_convertible("threshold"); }
};

// The first simple event, in order, that moves values within exactly `window`.
const Event* mover_within(const Event& event, std::int64_t window) {
  const auto* compose = std::get_if<Compose>(&event.kind);
  if (!compose) return window_of(event) == window ? &event : nullptr;
  for (const Event& part : compose->events)
    if (const Event* found = mover_within(part, window)) return found;
  return nullptr;
}

Result<Event> swapped(const Event& event, const Event& mover, std::int64_t window) {
  if (const auto* compose = std::get_if<Compose>(&event.kind)) {
    Compose result;
    for (const Event& part : compose->events) {
      CV_TRY(Event seen, swapped(part, mover, window));
      result.events.push_back(std::move(seen));
    }
    return Event{std::move(result), event.count};
  }
  const auto relation = relation_of(event);
  if (!relation || *relation == Relation::swap) return event;
  const auto* structured = std::get_if<StructuredSubsampling>(&event.kind);
  Result<Event> seen =
      for_swap(event, {*relation, unit_of(event).value_or(Unit::event), structured ? structured->width : 1}, window);
  if (seen && validate(*seen)) return seen;
  return fail(ErrorKind::cannot_certify, "events: " + std::string(name(mover)) +
                                             " is for two values swapped that are less than " + std::to_string(window) +
                                             " steps apart, and this " + std::string(name(event)) +
                                             " cannot be priced for that, being for its own relation '" +
                                             std::string(chronoveil::name(*relation)) + "'; price them apart");
}

// The first simple event, in order, that says it is for this relation.
const Event* first_for(const Event& event, Relation relation) {
  const auto* compose = std::get_if<Compose>(&event.kind);
  if (!compose) return relation_of(event) == relation ? &event : nullptr;
  for (const Event& part : compose->events)
    if (const Event* found = first_for(part, relation)) return found;
  return nullptr;
}

// What is for a unit added or removed, seen by a replacement; `other` is what says that it is for one.
Result<Event> replaced(const Event& event, const Event& other) {
  if (const auto* compose = std::get_if<Compose>(&event.kind)) {
    Compose result;
    for (const Event& part : compose->events) {
      CV_TRY(Event seen, replaced(part, other));
      result.events.push_back(std::move(seen));
    }
    return Event{std::move(result), event.count};
  }
  if (relation_of(event) != Relation::add_remove) return event;
  Result<Event> seen = for_replacement(event);
  if (seen && validate(*seen)) return seen;
  return fail(ErrorKind::cannot_certify, "events: " + std::string(name(other)) + " is for a unit replaced, and this " +
                                             std::string(name(event)) +
                                             ", being for one added or removed, cannot be priced for that; price them "
                                             "apart");
}

}  // namespace

Result<Event> for_replacement(const Event& event) {
  CV_TRY(Kind kind, std::visit(Doubled{}, event.kind));
  return Event{std::move(kind), event.count};
}

Result<Event> for_swap(const Event& event, const Neighbours& own, std::int64_t window) {
  Event converted = event;
  if (own.relation == Relation::add_remove) {
    CV_TRY(converted, for_replacement(event));
  }
  // A swap changes two steps; w steps of a user are any of them.
  const bool both = !std::holds_alternative<StructuredSubsampling>(event.kind) || own.width >= 2;
  if ((own.unit == Unit::user && both) || (own.unit == Unit::w_event && own.width >= window)) return converted;
  return for_replacement(converted);
}

Result<Event> in_one_relation(const Event& event) {
  if (const auto window = window_of(event)) return swapped(event, *mover_within(event, *window), *window);
  const Event* const other = first_for(event, Relation::replace);
  return other && first_for(event, Relation::add_remove) ? replaced(event, *other) : event;
}

}  // namespace chronoveil::accounting
