#include <algorithm>
#include <cmath>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/sampled/sampled.h"
#include "chronoveil/accounting/events/sampled/sampled_loss.h"
#include "chronoveil/accounting/moments.h"
#include "chronoveil/ledger/filters/domination.h"
#include "chronoveil/ledger/filters/filter.h"
#include "chronoveil/ledger/filters/union_places.h"

namespace chronoveil::ledger {

using accounting::Event;

namespace {

Cost pure_cost(Amount epsilon) { return {{epsilon}, Amount()}; }

Result<Cost> basic_composition(const Event& event);

// (ε, δ) of one occurrence, from its parameters alone; a δ that an event does not state comes from the caller.
struct SumOfOne {
  Result<Cost> operator()(const accounting::Approximate& e) const {
    return Cost{{Amount::stated_up(e.epsilon)}, Amount::stated_up(e.delta)};
  }
  // A sample of a pure event is pure, with ln(1 + η(e^ε − 1)). A unit that is drawn several times is not covered.
  template <class Sampled>
  Result<Cost> sampled(const Sampled& e) const {
    const Result<Cost> inside = basic_composition(*e.inner);
    if (!inside || !inside->delta.is_zero()) return operator()<Sampled>(e);
    const double share = accounting::sampled_share(Event{e});
    if (share == 0) return pure_cost(Amount());
    if (share < accounting::kLeastShare) return accounting::share_too_small();
    return pure_cost(Amount::above(accounting::loss_outside(inside->values[0].value(), share) * (1 + 1e-12)));
  }
  Result<Cost> operator()(const accounting::PoissonSampled& e) const { return sampled(e); }
  Result<Cost> operator()(const accounting::SampledWithoutReplacement& e) const { return sampled(e); }
  Result<Cost> operator()(const accounting::Compose& e) const {
    Cost total = pure_cost(Amount());
    for (const Event& part : e.events) {
      CV_TRY(const Cost cost, basic_composition(part));
      total += cost;
    }
    return total;
  }
  template <class Other>
  Result<Cost> operator()(const Other& e) const {
    if (const auto epsilon = stated_epsilon(Event{e})) return pure_cost(*epsilon);
    return fail(ErrorKind::usage, "delta",
                "the filter 'sum' charges a '" + std::string(accounting::name(Event{e})) +
                    "' event its epsilon at a delta, but the request has no delta; give --delta");
  }
};

Result<Cost> basic_composition(const Event& event) {
  CV_TRY(const Cost one, std::visit(SumOfOne{}, event.kind));
  return one.times(event.count);
}

// The δ that the approximate events among these state, exactly.
Amount stated_delta(const Event& event) {
  if (const auto* e = std::get_if<accounting::Approximate>(&event.kind)) {
    return Amount::stated_up(e->delta).times(event.count);
  }
  const auto* compose = std::get_if<accounting::Compose>(&event.kind);
  if (compose == nullptr) return Amount();
  Amount total;
  for (const Event& part : compose->events) total = total + stated_delta(part);
  return total.times(event.count);
}

// If the δ to set aside is the sum of what the events state, that decimal sum is charged, not the nearest double: ten
// events of a hundredth of δ fill the tenth of δ that a filter sets aside.
Amount delta_to_set_aside(const Event& event, double computed) {
  const Amount stated = stated_delta(event);
  return computed <= stated.value() * (1 + 1e-12) ? stated : Amount::above(computed);
}

// Without its leaks an approximate event is a pure one.
Event without_leaks(Event event) {
  if (const auto* e = std::get_if<accounting::Approximate>(&event.kind)) {
    event.kind = accounting::Pure{e->epsilon};
  } else if (auto* compose = std::get_if<accounting::Compose>(&event.kind)) {
    for (Event& part : compose->events) part = without_leaks(std::move(part));
  }
  return event;
}

// r of a gaussian member, rounded down: r² is what its budget keeps back from μ*².
double reserve_of(const Filter& filter, std::size_t coordinate) {
  const Amount kept = filter.budget.values[coordinate].left_of(filter.budget.values[kGaussian]);
  return kept.is_zero() ? 0 : std::sqrt(kept.value()) * (1 - 1e-15);
}

// What each member of a union charges for an event; an error only if none has a price for it.
Result<Cost> union_cost(const Filter& filter, const Event& event) {
  const Result<Cost> sum = basic_composition(event);
  const Event leakless = without_leaks(event);
  const Result<double> gaussian = accounting::gaussian_square(leakless, 0);
  const Result<accounting::RenyiCost> renyi = accounting::renyi_cost(event, filter.orders);
  if (!sum && !gaussian && !renyi) return tl::unexpected(renyi.error());
  Cost result{{}, stated_delta(event)};
  result.values.push_back(sum ? sum->values[0] : Amount::saturated());
  for (std::size_t i = kGaussian; i < first_order(filter); ++i) {
    const Result<double> square = accounting::gaussian_square(leakless, reserve_of(filter, i));
    result.values.push_back(square ? Amount::above(*square) : Amount::saturated());
  }
  for (std::size_t i = 0; i < filter.orders.size(); ++i) {
    result.values.push_back(renyi ? Amount::above(renyi->epsilon[i]) : Amount::saturated());
  }
  if (renyi) result.delta = std::max(result.delta, delta_to_set_aside(event, renyi->delta));
  return result;
}

}  // namespace

Result<Cost> cost_of(const Filter& filter, const Event& event, std::optional<Delta> delta) {
  CV_CHECK(accounting::validate(event));
  if (delta && delta->value() > 0) {
    if (filter.kind == FilterKind::gaussian) {
      return invalid("delta", delta->value(), "left out: the filter 'gaussian' charges no delta to a request");
    }
    CV_TRY(const accounting::Price price, accounting::epsilon_at(event, *delta, {.fitted = true}));
    if (!std::isfinite(price.epsilon)) {
      return fail(ErrorKind::cannot_certify, "the event has no finite epsilon at this delta: " + price.reason);
    }
    const double epsilon = price.epsilon == 0 ? 0 : std::nextafter(price.epsilon, HUGE_VAL);
    return cost_of(filter, Event{accounting::Approximate{epsilon, delta->value()}}, std::nullopt);
  }
  switch (filter.kind) {
    case FilterKind::sum: return basic_composition(event);
    case FilterKind::zcdp: {
      CV_TRY(const accounting::ZcdpCost cost, accounting::zcdp_cost(event));
      return Cost{{Amount::above(cost.rho)}, delta_to_set_aside(event, cost.delta)};
    }
    case FilterKind::renyi: {
      CV_TRY(const accounting::RenyiCost cost, accounting::renyi_cost(event, filter.orders));
      Cost result{{}, delta_to_set_aside(event, cost.delta)};
      for (const double value : cost.epsilon) result.values.push_back(Amount::above(value));
      return result;
    }
    case FilterKind::gaussian: {
      CV_TRY(const double square, accounting::gaussian_square(event, 0));
      return Cost{{Amount::above(square)}, Amount()};
    }
    case FilterKind::united: return union_cost(filter, event);
  }
  return fail(ErrorKind::internal, "filter", "unknown kind");
}

}  // namespace chronoveil::ledger
