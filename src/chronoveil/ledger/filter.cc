#include "chronoveil/ledger/filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/moments.h"

namespace chronoveil::ledger {

using accounting::Event;

namespace {

constexpr std::array<std::pair<FilterKind, std::string_view>, 4> kNames = {{{FilterKind::sum, "sum"},
                                                                            {FilterKind::zcdp, "zcdp"},
                                                                            {FilterKind::renyi, "renyi"},
                                                                            {FilterKind::gaussian, "gaussian"}}};

Cost times(const Cost& cost, std::int64_t count) {
  Cost result{{}, cost.delta.times(count)};
  for (const Amount value : cost.values) result.values.push_back(value.times(count));
  return result;
}

Cost pure_cost(Amount epsilon) { return {{epsilon}, Amount()}; }

Result<Cost> basic_composition(const Event& event);

// (ε, δ) of one occurrence, from its parameters alone; whatever is random about δ needs a δ that the caller names.
struct SumOfOne {
  Result<Cost> operator()(const accounting::Laplace& e) const {
    return pure_cost(Amount::ratio_up(1, e.noise_multiplier));
  }
  Result<Cost> operator()(const accounting::DiscreteLaplace& e) const {
    return pure_cost(Amount::ratio_up(e.sensitivity, e.scale));
  }
  Result<Cost> operator()(const accounting::Exponential& e) const { return pure_cost(Amount::stated_up(e.epsilon)); }
  Result<Cost> operator()(const accounting::Pure& e) const { return pure_cost(Amount::stated_up(e.epsilon)); }
  Result<Cost> operator()(const accounting::RandomizedResponse& e) const {
    return pure_cost(Amount::stated_up(e.epsilon));
  }
  Result<Cost> operator()(const accounting::Approximate& e) const {
    return Cost{{Amount::stated_up(e.epsilon)}, Amount::stated_up(e.delta)};
  }
  Result<Cost> operator()(const accounting::NoisySort& e) const {
    if (e.max_shift) return operator()<accounting::NoisySort>(e);
    return pure_cost(Amount::stated_up(e.epsilon));
  }
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
    return fail(ErrorKind::usage, "delta: the filter 'sum' charges a '" + std::string(accounting::name(Event{e})) +
                                      "' event its epsilon at a delta, and the request names none; give --delta");
  }
};

Result<Cost> basic_composition(const Event& event) {
  CV_TRY(const Cost one, std::visit(SumOfOne{}, event.kind));
  return times(one, event.count);
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

// Where the δ set aside is the sum of what the events state, that decimal sum is charged and not the double next to
// it: ten events of a hundredth of δ fill the tenth of δ that a filter sets aside.
Amount delta_to_set_aside(const Event& event, double computed) {
  const Amount stated = stated_delta(event);
  return computed <= stated.value() * (1 + 1e-12) ? stated : Amount::above(computed);
}

// The smallest x in [low, high] that fits, to 12 digits; fits(high) must hold.
template <class Fits>
double smallest_that_fits(double low, double high, const Fits& fits) {
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

std::string_view name(FilterKind kind) {
  for (const auto& [known, text] : kNames) {
    if (known == kind) return text;
  }
  return "sum";
}

Result<FilterKind> parse_filter_kind(std::string_view text) {
  for (const auto& [kind, known] : kNames) {
    if (known == text) return kind;
  }
  return invalid("filter", text, "one of sum, zcdp, renyi, gaussian");
}

Cost& Cost::operator+=(const Cost& other) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[i] + other.values[i];
  delta = delta + other.delta;
  return *this;
}

bool Cost::is_within(const Cost& budget) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > budget.values[i]) return false;
  }
  return delta <= budget.delta;
}

Cost Cost::left_of(const Cost& budget) const {
  Cost left{{}, delta.left_of(budget.delta)};
  for (std::size_t i = 0; i < values.size(); ++i) left.values.push_back(values[i].left_of(budget.values[i]));
  return left;
}

FilterKind default_filter(Delta delta) { return delta.value() > 0 ? FilterKind::renyi : FilterKind::sum; }

Result<Filter> make_filter(FilterKind kind, Epsilon epsilon, Delta delta) {
  if (epsilon.value() >= 1e6) return invalid("epsilon", epsilon.value(), "less than 1000000 for a budget");
  if (kind == FilterKind::sum) {
    return Filter{kind, {}, {{Amount::stated_down(epsilon.value())}, Amount::stated_down(delta.value())}};
  }
  if (!(delta.value() > 0)) {
    return invalid("delta", delta.value(), "greater than 0 for the filter '" + std::string(name(kind)) + "'");
  }
  if (kind == FilterKind::gaussian) {
    const double mu = accounting::gaussian_budget(epsilon, delta);
    return Filter{kind, {}, {{Amount::below(std::nextafter(mu * mu, 0))}, Amount()}};
  }
  // 0.9 rounds to a double above it, hence the step down: curve and set-aside together never exceed δ.
  CV_TRY(const Delta curve_delta, Delta::make_positive(std::nextafter(std::nextafter(0.9 * delta.value(), 0), 0)));
  const Amount set_aside = Amount::stated_down(delta.value()).tenth();
  if (kind == FilterKind::zcdp) {
    return Filter{kind, {}, {{Amount::below(accounting::zcdp_budget(epsilon, curve_delta))}, set_aside}};
  }
  const auto orders = accounting::renyi_orders();
  const std::vector<double> curve = accounting::renyi_budget(orders, epsilon, curve_delta);
  Filter filter{kind, {}, {{}, set_aside}};
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (!std::isfinite(curve[i])) continue;
    filter.orders.push_back(orders[i]);
    filter.budget.values.push_back(Amount::below(curve[i]));
  }
  if (filter.orders.empty()) return fail(ErrorKind::cannot_certify, "budget: no Rényi order implies this (ε, δ)");
  return filter;
}

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
      CV_TRY(const double mu, accounting::gaussian_cost(event));
      return Cost{{Amount::above(std::nextafter(mu * mu, HUGE_VAL))}, Amount()};
    }
  }
  return fail(ErrorKind::internal, "filter: unknown kind");
}

Admissible admissible(const Filter& filter, const Cost& left) {
  const auto fits = [&](const Event& event) {
    const Result<Cost> cost = cost_of(filter, event, std::nullopt);
    return cost && cost->is_within(left);
  };
  const auto gaussian = [](double noise) { return Event{accounting::Gaussian{noise}}; };
  const auto pure = [](double inverse) { return Event{accounting::Pure{1 / inverse}}; };
  Admissible result;
  const bool used_up =
      std::any_of(left.values.begin(), left.values.end(), [](Amount value) { return value.is_zero(); });
  if (used_up) return result;
  constexpr double kLow = 1e-6, kHigh = 1e12;
  if (fits(gaussian(kHigh))) {
    result.gaussian_noise_multiplier =
        smallest_that_fits(kLow, kHigh, [&](double noise) { return fits(gaussian(noise)); });
  }
  if (filter.kind == FilterKind::sum) {
    result.pure_epsilon = left.values[0].value();
  } else if (fits(pure(kHigh))) {
    result.pure_epsilon = 1 / smallest_that_fits(kLow, kHigh, [&](double inverse) { return fits(pure(inverse)); });
  }
  return result;
}

}  // namespace chronoveil::ledger
