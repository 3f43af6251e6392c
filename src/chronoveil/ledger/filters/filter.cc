#include "chronoveil/ledger/filters/filter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/sampled/sampled.h"
#include "chronoveil/accounting/events/sampled/sampled_loss.h"
#include "chronoveil/accounting/moments.h"

namespace chronoveil::ledger {

using accounting::Event;

namespace {

constexpr std::array<std::pair<FilterKind, std::string_view>, 5> kNames = {{{FilterKind::sum, "sum"},
                                                                            {FilterKind::zcdp, "zcdp"},
                                                                            {FilterKind::renyi, "renyi"},
                                                                            {FilterKind::gaussian, "gaussian"},
                                                                            {FilterKind::united, "union"}}};

constexpr std::int64_t kWhole = 100;    // hundredths
constexpr std::int64_t kSetAside = 10;  // of δ, for approximate events
// The shares of the members in δ. Gaussian releases then need at most 4 % more noise than if all had been composed in
// advance, for δ up to 1e-5 and ε from 0.5. The first order is a little above the one that admits most Gaussian noise;
// what a larger order loses by a smaller share shrinks as log(share) / (α - 1).
constexpr std::int64_t kGaussianShare = 65;
struct RenyiMember {
  double times_best;  // the order, in terms of the one that admits most Gaussian noise
  std::int64_t share;
};
constexpr std::array<RenyiMember, 3> kRenyiMembers = {{{1.3, 22}, {3, 2}, {8, 1}}};
static_assert(kGaussianShare + kRenyiMembers[0].share + kRenyiMembers[1].share + kRenyiMembers[2].share + kSetAside ==
              kWhole);
// A small reserve for many small pure requests, larger ones for fewer and larger requests.
constexpr std::array<std::int64_t, 3> kReserves = {1, 5, 20};
constexpr std::size_t kSum = 0, kGaussian = 1;  // where the members of a union are

std::size_t first_order(const Filter& filter) { return kGaussian + 1 + filter.reserves.size(); }

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
  // What is pure inside is pure outside, at ln(1 + η(e^ε − 1)). A unit that is drawn several times is not covered.
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

// Without its leaks an approximate event is a pure one.
Event without_leaks(Event event) {
  if (const auto* e = std::get_if<accounting::Approximate>(&event.kind)) {
    event.kind = accounting::Pure{e->epsilon};
  } else if (auto* compose = std::get_if<accounting::Compose>(&event.kind)) {
    for (Event& part : compose->events) part = without_leaks(std::move(part));
  }
  return event;
}

// At most so many hundredths of δ: the product may be rounded up, hence the steps down. What all parts get together
// never exceeds δ.
Result<Delta> share_of(Delta delta, std::int64_t hundredths) {
  const double share = delta.value() * static_cast<double>(hundredths) / static_cast<double>(kWhole);
  return Delta::make_positive(std::nextafter(std::nextafter(share, 0), 0));
}

Amount gaussian_limit(Epsilon epsilon, Delta delta) {
  const double mu = accounting::gaussian_budget(epsilon, delta);
  return Amount::below(std::nextafter(mu * mu, 0));
}

// The orders of the members of a union, among those that the ledger knows, and what each gets of δ. Where two fall
// together, at the end of the list, one has both shares.
Result<Filter> chosen_union(Epsilon epsilon, Delta delta) {
  const auto known = accounting::renyi_orders();
  CV_TRY(const Delta all_shares, share_of(delta, kWhole - kSetAside));
  const std::vector<double> curve = accounting::renyi_budget(known, epsilon, all_shares);
  const auto best = std::find_if(curve.begin(), curve.end(), [](double value) { return std::isfinite(value); });
  const double best_order = known[static_cast<std::size_t>(best - curve.begin())];
  std::vector<double> orders;
  std::vector<std::int64_t> shares = {0, kGaussianShare};
  for (const RenyiMember& member : kRenyiMembers) {
    const double wanted = std::log(member.times_best * best_order - 1);
    const double order = *std::min_element(known.begin(), known.end(), [&](double a, double b) {
      return std::abs(std::log(a - 1) - wanted) < std::abs(std::log(b - 1) - wanted);
    });
    if (!orders.empty() && orders.back() == order) {
      shares.back() += member.share;
    } else {
      orders.push_back(order);
      shares.push_back(member.share);
    }
  }
  return make_union(epsilon, delta, std::move(orders), std::move(shares), {kReserves.begin(), kReserves.end()});
}

// r of a gaussian member, rounded down: what its budget keeps back from the whole of μ*².
double reserve_of(const Filter& filter, std::size_t coordinate) {
  const Amount kept = filter.budget.values[coordinate].left_of(filter.budget.values[kGaussian]);
  return kept.is_zero() ? 0 : std::sqrt(kept.value()) * (1 - 1e-15);
}

// What each member of a union makes of an event; an error only where none has a price for it.
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
  return invalid("filter", text, "one of sum, zcdp, renyi, gaussian, union");
}

double share_of_delta(const Filter& filter, std::size_t coordinate) {
  const std::size_t first = first_order(filter);
  const std::size_t place =
      coordinate >= first ? kGaussian + 1 + (coordinate - first) : std::min(coordinate, kGaussian);
  return static_cast<double>(filter.shares[place]) / static_cast<double>(kWhole);
}

FilterKind kind_of(const Filter& filter, std::size_t coordinate) {
  if (filter.kind != FilterKind::united) return filter.kind;
  if (coordinate == kSum) return FilterKind::sum;
  return coordinate < first_order(filter) ? FilterKind::gaussian : FilterKind::renyi;
}

std::string symbol(const Filter& filter, std::size_t coordinate) {
  switch (kind_of(filter, coordinate)) {
    case FilterKind::zcdp: return "ρ";
    case FilterKind::gaussian: {
      const bool reserved = filter.kind == FilterKind::united && coordinate > kGaussian;
      return reserved ? fmt::format("μ²[{}%]", filter.reserves[coordinate - kGaussian - 1]) : "μ²";
    }
    case FilterKind::renyi: {
      const std::size_t first = filter.kind == FilterKind::united ? first_order(filter) : 0;
      return fmt::format("ε({})", filter.orders[coordinate - first]);
    }
    case FilterKind::sum:
    case FilterKind::united: break;
  }
  return "ε";
}

Cost& Cost::operator+=(const Cost& other) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[i] + other.values[i];
  delta = delta + other.delta;
  return *this;
}

Cost Cost::left_of(const Cost& budget) const {
  Cost left{{}, delta.left_of(budget.delta)};
  for (std::size_t i = 0; i < values.size(); ++i) left.values.push_back(values[i].left_of(budget.values[i]));
  return left;
}

bool are_renyi_orders(std::span<const double> orders) {
  const auto known = accounting::renyi_orders();
  return std::all_of(orders.begin(), orders.end(),
                     [&](double order) { return std::find(known.begin(), known.end(), order) != known.end(); });
}

bool are_reserves(std::span<const std::int64_t> reserves) {
  std::int64_t before = 0;
  return std::all_of(reserves.begin(), reserves.end(), [&](std::int64_t reserve) {
    return reserve > std::exchange(before, reserve) && reserve < kWhole;
  });
}

FilterKind default_filter(Delta delta) { return delta.value() > 0 ? FilterKind::united : FilterKind::sum; }

bool holds(const Filter& filter, const Cost& admitted) {
  if (admitted.delta > filter.budget.delta) return false;
  std::size_t within = 0;
  for (std::size_t i = 0; i < admitted.values.size(); ++i) within += admitted.values[i] <= filter.budget.values[i];
  return filter.kind == FilterKind::united ? within > 0 : within == admitted.values.size();
}

double share_left(const Filter& filter, const Cost& left, std::size_t coordinate) {
  const double budget = filter.budget.values[coordinate].value();
  return budget > 0 ? std::clamp(left.values[coordinate].value() / budget, 0.0, 1.0) : 0;
}

double share_left(const Filter& filter, const Cost& left) {
  double least = 1, most = 0;
  for (std::size_t i = 0; i < left.values.size(); ++i) {
    least = std::min(least, share_left(filter, left, i));
    most = std::max(most, share_left(filter, left, i));
  }
  return filter.kind == FilterKind::united ? most : least;
}

Result<Filter> make_filter(FilterKind kind, Epsilon epsilon, Delta delta) {
  if (epsilon.value() >= 1e6) return invalid("epsilon", epsilon.value(), "less than 1000000 for a budget");
  if (kind == FilterKind::sum) {
    return Filter{kind, {}, {}, {}, {{Amount::stated_down(epsilon.value())}, Amount::stated_down(delta.value())}};
  }
  if (!(delta.value() > 0)) {
    return invalid("delta", delta.value(), "greater than 0 for the filter '" + std::string(name(kind)) + "'");
  }
  if (kind == FilterKind::united) return chosen_union(epsilon, delta);
  if (kind == FilterKind::gaussian) return Filter{kind, {}, {}, {}, {{gaussian_limit(epsilon, delta)}, Amount()}};
  CV_TRY(const Delta curve_delta, share_of(delta, kWhole - kSetAside));
  const Amount set_aside = Amount::stated_down(delta.value()).hundredths(kSetAside);
  if (kind == FilterKind::zcdp) {
    return Filter{kind, {}, {}, {}, {{Amount::below(accounting::zcdp_budget(epsilon, curve_delta))}, set_aside}};
  }
  const auto orders = accounting::renyi_orders();
  const std::vector<double> curve = accounting::renyi_budget(orders, epsilon, curve_delta);
  Filter filter{kind, {}, {}, {}, {{}, set_aside}};
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (!std::isfinite(curve[i])) continue;
    filter.orders.push_back(orders[i]);
    filter.budget.values.push_back(Amount::below(curve[i]));
  }
  if (filter.orders.empty()) return fail(ErrorKind::cannot_certify, "budget: no Rényi order implies this (ε, δ)");
  return filter;
}

Result<Filter> make_union(Epsilon epsilon, Delta delta, std::vector<double> orders, std::vector<std::int64_t> shares,
                          std::vector<std::int64_t> reserves) {
  std::int64_t together = 0;
  bool fair = shares.size() == kGaussian + 1 + orders.size();
  for (const std::int64_t share : shares) {
    fair = fair && share >= 0 && share <= kWhole;
    together += fair ? share : 0;
  }
  if (!fair || together > kWhole) {
    return invalid("shares", fmt::format("{}", fmt::join(shares, ",")),
                   "hundredths of delta, one a member, 100 at most together");
  }
  if (!are_reserves(reserves)) {
    return invalid("reserves", fmt::format("{}", fmt::join(reserves, ",")), "rising hundredths of μ², from 1 to 99");
  }
  if (!are_renyi_orders(orders)) {
    return invalid("orders", fmt::format("{}", fmt::join(orders, ",")), "Rényi orders that the ledger knows");
  }
  const Amount set_aside = Amount::stated_down(delta.value()).hundredths(kWhole - together);
  Filter filter{FilterKind::united, std::move(orders), std::move(shares), std::move(reserves), {{}, set_aside}};
  filter.budget.values.push_back(Amount::stated_down(epsilon.value()));
  CV_TRY(const Delta gaussian_share, share_of(delta, filter.shares[kGaussian]));
  const Amount square = gaussian_limit(epsilon, gaussian_share);
  filter.budget.values.push_back(square);
  for (const std::int64_t reserve : filter.reserves)
    filter.budget.values.push_back(square.hundredths(kWhole - reserve));
  for (std::size_t i = 0; i < filter.orders.size(); ++i) {
    CV_TRY(const Delta share, share_of(delta, filter.shares[kGaussian + 1 + i]));
    const std::span<const double> order(&filter.orders[i], 1);
    filter.budget.values.push_back(Amount::below(accounting::renyi_budget(order, epsilon, share).front()));
  }
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
      CV_TRY(const double square, accounting::gaussian_square(event, 0));
      return Cost{{Amount::above(square)}, Amount()};
    }
    case FilterKind::united: return union_cost(filter, event);
  }
  return fail(ErrorKind::internal, "filter: unknown kind");
}

Admissible admissible(const Filter& filter, const Cost& admitted) {
  const auto fits = [&](const Event& event) {
    const Result<Cost> cost = cost_of(filter, event, std::nullopt);
    if (!cost) return false;
    Cost total = admitted;
    total += *cost;
    return holds(filter, total);
  };
  const auto gaussian = [](double noise) { return Event{accounting::Gaussian{noise}}; };
  const auto pure = [](double inverse) { return Event{accounting::Pure{1 / inverse}}; };
  Admissible result;
  const Cost left = admitted.left_of(filter.budget);
  if (share_left(filter, left) == 0) return result;
  constexpr double kLow = 1e-6, kHigh = 1e12;
  if (fits(gaussian(kHigh))) {
    result.gaussian_noise_multiplier =
        smallest_that_fits(kLow, kHigh, [&](double noise) { return fits(gaussian(noise)); });
  }
  if (filter.kind != FilterKind::sum && fits(pure(kHigh))) {
    result.pure_epsilon = 1 / smallest_that_fits(kLow, kHigh, [&](double inverse) { return fits(pure(inverse)); });
  }
  // Where ε are added up, what is left of them is known to the last digit.
  if (filter.kind == FilterKind::sum || filter.kind == FilterKind::united) {
    const double exact = left.values[kSum].value();
    if (exact > 0) result.pure_epsilon = std::max(exact, result.pure_epsilon.value_or(0));
  }
  return result;
}

}  // namespace chronoveil::ledger
