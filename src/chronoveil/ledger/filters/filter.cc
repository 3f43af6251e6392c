#include "chronoveil/ledger/filters/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "chronoveil/accounting/moments.h"
#include "chronoveil/ledger/filters/union_places.h"

namespace chronoveil::ledger {

namespace {

constexpr std::array<std::pair<FilterKind, std::string_view>, 5> kNames = {{{FilterKind::sum, "sum"},
                                                                            {FilterKind::zcdp, "zcdp"},
                                                                            {FilterKind::renyi, "renyi"},
                                                                            {FilterKind::gaussian, "gaussian"},
                                                                            {FilterKind::united, "union"}}};

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

Cost Cost::times(std::int64_t count) const {
  Cost result{{}, delta.times(count)};
  for (const Amount value : values) result.values.push_back(value.times(count));
  return result;
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

double share_of(const Filter& filter, const Cost& cost) {
  const auto part = [](Amount amount, Amount whole) {
    if (amount.is_zero()) return 0.0;
    return whole.is_zero() ? HUGE_VAL : amount.value() / whole.value();
  };
  const bool any = filter.kind == FilterKind::united;
  double share = any ? HUGE_VAL : 0;
  for (std::size_t i = 0; i < cost.values.size(); ++i) {
    const double one = part(cost.values[i], filter.budget.values[i]);
    share = any ? std::min(share, one) : std::max(share, one);
  }
  return std::max(share, part(cost.delta, filter.budget.delta));
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

}  // namespace chronoveil::ledger
