#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "chronoveil/accounting/moments.h"
#include "chronoveil/ledger/filters/filter.h"
#include "chronoveil/ledger/filters/union_places.h"

namespace chronoveil::ledger {

namespace {

constexpr std::int64_t kSetAside = 10;  // of δ, for approximate events
// The shares of the members in δ. Gaussian releases then need at most 4 % more noise than if all had been composed in
// advance, for δ up to 1e-5 and ε from 0.5. The first order is a little above the one that suits Gaussian noise best;
// what a larger order loses by a smaller share shrinks as log(share) / (α - 1).
constexpr std::int64_t kGaussianShare = 65;
struct RenyiMember {
  double times_best;  // the order, relative to the one that suits Gaussian noise best
  std::int64_t share;
};
constexpr std::array<RenyiMember, 3> kRenyiMembers = {{{1.3, 22}, {3, 2}, {8, 1}}};
static_assert(kGaussianShare + kRenyiMembers[0].share + kRenyiMembers[1].share + kRenyiMembers[2].share + kSetAside ==
              kWhole);
// A small reserve for many small pure requests, larger ones for fewer and larger requests.
constexpr std::array<std::int64_t, 3> kReserves = {1, 5, 20};

// At most so many hundredths of δ: the product may be rounded up, hence the steps down. All parts together never exceed
// δ.
Result<Delta> share_of(Delta delta, std::int64_t hundredths) {
  const double share = delta.value() * static_cast<double>(hundredths) / static_cast<double>(kWhole);
  return Delta::make_positive(std::nextafter(std::nextafter(share, 0), 0));
}

Amount gaussian_limit(Epsilon epsilon, Delta delta) {
  const double mu = accounting::gaussian_budget(epsilon, delta);
  return Amount::below(std::nextafter(mu * mu, 0));
}

// The orders of the members of a union, among those that the ledger knows, and what each gets of δ. If two coincide, at
// the end of the list, one has both shares.
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

}  // namespace

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
  if (filter.orders.empty()) return fail(ErrorKind::cannot_certify, "budget", "no Rényi order implies this (ε, δ)");
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
                   "hundredths of delta, one per member, at most 100 in all");
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

}  // namespace chronoveil::ledger
