#include "chronoveil/accounting/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "chronoveil/accounting/closed_renyi.h"
#include "chronoveil/accounting/gaussian_beside.h"
#include "chronoveil/accounting/grid/extremes.h"
#include "chronoveil/accounting/grid/loss_model.h"
#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// P-mass whose losses are set aside instead of entering a Rényi divergence.
constexpr double kSetAside = 1e-40;

// Costs of parts are added in 64 bits: a million roundings of a double could exceed kRoundedUp.
double double_above(long double sum) {
  const auto nearest = static_cast<double>(sum);
  return nearest < sum ? std::nextafter(nearest, kInfinity) : nearest;
}

struct Cost {
  std::vector<double> epsilon;
  double delta = 0;
};

// From the dominating pair on a grid, whose Rényi divergences are at least those of the step.
Result<Cost> renyi_from_grid(const LossModel& model, std::span<const double> orders, Reading reading) {
  const double top = model.top(kSetAside);
  Cost cost{std::vector<double>(orders.size(), 0.0), model.infinite()};
  if (top <= 0) {
    // Hardly any mass has a loss: (0, δ(0)) for all of it.
    cost.delta = larger(cost.delta, static_cast<double>(model.delta(0)) * kRoundedUp);
    return cost;
  }
  if (!(model.least_terms() + 4096 * model.terms() <= 4 * kMostTerms))
    return fail(ErrorKind::cannot_certify, "the Rényi divergences of this event need sums of more than 2^26 terms");
  double step = top / 4096;
  GridLoss grid = model.grids(step, 4096, reading).upper;
  CV_CHECK(check_masses(grid));
  double square = 0;
  for (std::size_t k = 0; k < grid.mass.size(); ++k) {
    const double loss = step * static_cast<double>(grid.first + static_cast<long>(k));
    square += grid.mass[k] * loss * loss;
  }
  if (const double fine = std::sqrt(square) / 16; fine < step) {
    const auto bins = static_cast<std::size_t>(std::min(65536.0, std::ceil(top / fine)));
    step = top / static_cast<double>(bins);
    grid = model.grids(step, bins, reading).upper;
    CV_CHECK(check_masses(grid));
  }
  cost.delta = grid.infinite;
  for (std::size_t j = 0; j < orders.size(); ++j) {
    const double a = orders[j];
    double peak = -kInfinity;
    for (std::size_t k = 0; k < grid.mass.size(); ++k)
      if (grid.mass[k] > 0)
        peak = std::max(
            peak, std::log(grid.mass[k]) + (a - 1) * step * static_cast<double>(grid.first + static_cast<long>(k)));
    double sum = 0;
    for (std::size_t k = 0; k < grid.mass.size(); ++k)
      if (grid.mass[k] > 0)
        sum += std::exp(std::log(grid.mass[k]) +
                        (a - 1) * step * static_cast<double>(grid.first + static_cast<long>(k)) - peak);
    // Conditioned on a finite loss, on both sides.
    cost.epsilon[j] =
        larger(0.0, (peak + std::log(sum) - std::log1p(-smaller(cost.delta, 1.0))) / (a - 1)) * kRoundedUp;
  }
  return cost;
}

// Order by order, the larger of both directions if one of them holds through all uses.
Result<Cost> renyi_from_grid(const LossModel& model, std::span<const double> orders) {
  if (!model.directed()) return renyi_from_grid(model, orders, Reading::symmetric);
  CV_TRY(Cost cost, renyi_from_grid(model, orders, Reading::forward));
  CV_TRY(const Cost reverse, renyi_from_grid(model, orders, Reading::backward));
  for (std::size_t j = 0; j < orders.size(); ++j) cost.epsilon[j] = larger(cost.epsilon[j], reverse.epsilon[j]);
  cost.delta = larger(cost.delta, reverse.delta);
  return cost;
}

Cost closed_form(std::span<const double> orders, double delta, auto divergence) {
  Cost cost{{}, delta};
  for (double a : orders) cost.epsilon.push_back(larger(0.0, divergence(a)) * kRoundedUp);
  return cost;
}

Result<Cost> renyi_of_step(const Event& event, std::span<const double> orders) {
  const auto closed = std::visit(
      [&](const auto& e) -> std::optional<Cost> {
        if constexpr (requires { e.renyi(2.0); }) {
          double set_aside = 0;
          if constexpr (requires { e.set_aside(); }) set_aside = e.set_aside();
          return closed_form(orders, set_aside, [&](double a) { return e.renyi(a); });
        }
        return std::nullopt;
      },
      event.kind);
  if (closed) return *closed;
  // On a grid a small ε would also be lost in rounding.
  if (const auto pure = pure_bound(event); pure && *pure <= 1e-4)
    return closed_form(orders, 0, [&](double a) { return a * squared(*pure) / 2; });
  // So would the losses of means this near to each other. A divergence is quasi-convex, so that of two mixtures is at
  // most that of the two means that lie farthest apart [vanErvenHarremoes14, Thm 13].
  if (const auto distance = gaussian_distance(event); distance && *distance <= 1e-8)
    return closed_form(orders, 0, [&](double a) { return a * squared(*distance) / 2; });
  CV_TRY(const auto model, make_loss_model(event));
  CV_TRY(Cost cost, renyi_from_grid(*model, orders));
  std::visit(
      [&](const auto& e) {
        if constexpr (requires { e.renyi_at_most(2.0); })
          for (std::size_t j = 0; j < orders.size(); ++j)
            cost.epsilon[j] = smaller(cost.epsilon[j], e.renyi_at_most(orders[j]) * kRoundedUp);
      },
      event.kind);
  return cost;
}

// The largest x with good(x), rounded down; good(0) is taken for granted.
template <class Good>
double largest(Good good) {
  double low = 0, high = 1;
  while (good(high) && high < 1e12) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (good(middle) ? low : high) = middle;
  }
  return low * (1 - 1e-9);
}

Failure not_gaussian(const Event& event) {
  return fail(ErrorKind::cannot_certify, std::string(name(event)) + " is not bounded by Gaussian noise");
}

// κ of gaussian_beside.h: that of this kind if it is known, else that of any event of this ε.
double beside_gaussian(const Event& event, double epsilon, double reserve) {
  return std::visit(
      [&]<class E>(const E&) {
        if constexpr (requires { E::beside_gaussian(epsilon, reserve); }) return E::beside_gaussian(epsilon, reserve);
        return pure_beside_gaussian(epsilon, reserve);
      },
      event.kind);
}

}  // namespace

Result<double> pure_bound(const Event& event) {
  return std::visit(
      [&](const auto& e) -> Result<double> {
        if constexpr (requires { e.pure_epsilon(); }) return e.pure_epsilon();
        if constexpr (requires { e.pure(); })
          if (const auto stated = e.pure()) return stated->value;
        return fail(ErrorKind::cannot_certify, std::string(e.kName) + " is not purely differentially private");
      },
      event.kind);
}

Result<double> gaussian_distance(const Event& event) {
  return std::visit(
      [&](const auto& e) -> Result<double> {
        if constexpr (requires { e.gaussian_distance(); }) return e.gaussian_distance();
        return not_gaussian(event);
      },
      event.kind);
}

std::span<const double> renyi_orders() {
  static constexpr double kOrders[] = {1.05, 1.1, 1.15, 1.2, 1.3, 1.4, 1.5, 1.6, 1.75, 2,   2.25, 2.5, 2.75,
                                       3,    3.5, 4,    4.5, 5,   5.5, 6,   7,   8,    9,   10,   11,  12,
                                       14,   16,  18,   20,  22,  25,  28,  32,  36,   40,  48,   56,  64,
                                       80,   96,  128,  160, 192, 256, 384, 512, 768,  1024};
  return kOrders;
}

Result<RenyiCost> renyi_cost(const Event& event, std::span<const double> orders) {
  CV_CHECK(validate(event));
  if (const auto* compose = std::get_if<Compose>(&event.kind)) {
    std::vector<long double> epsilon(orders.size());
    long double delta = 0;
    for (const Event& part : compose->events) {
      CV_TRY(const RenyiCost cost, renyi_cost(part, orders));
      for (std::size_t j = 0; j < orders.size(); ++j)
        epsilon[j] += cost.epsilon[j] * static_cast<double>(event.count) * kRoundedUp;
      delta += static_cast<long double>(cost.delta) * static_cast<long double>(event.count);
    }
    RenyiCost total{{}, double_above(delta)};
    for (const long double sum : epsilon) total.epsilon.push_back(double_above(sum));
    return total;
  }
  CV_TRY(Cost step, renyi_of_step(event, orders));
  const double n = static_cast<double>(event.count);
  for (double& epsilon : step.epsilon) epsilon *= n;
  for (const double epsilon : step.epsilon)
    if (std::isnan(epsilon))
      return fail(ErrorKind::cannot_certify, "the losses of this event are beyond the range of numbers");
  return RenyiCost{std::move(step.epsilon), step.delta * n};
}

double epsilon_from_renyi(std::span<const double> orders, std::span<const double> epsilon, Delta delta) {
  double best = kInfinity;
  for (std::size_t j = 0; j < orders.size(); ++j) {
    const double a = orders[j];
    best = smaller(best, epsilon[j] + std::log1p(-1 / a) - (std::log(delta.value()) + std::log(a)) / (a - 1));
  }
  return larger(0.0, best);
}

std::vector<double> renyi_budget(std::span<const double> orders, Epsilon epsilon, Delta delta) {
  std::vector<double> budget(orders.size(), kInfinity);
  double most = -kInfinity;
  std::size_t chosen = orders.size() - 1;
  auto allowed = [&](double a) {
    return epsilon.value() - std::log1p(-1 / a) + (std::log(delta.value()) + std::log(a)) / (a - 1);
  };
  for (std::size_t j = 0; j < orders.size(); ++j)
    if (const double share = allowed(orders[j]) / orders[j]; share > most) {
      most = share;
      chosen = j;
    }
  budget[chosen] = std::max(0.0, allowed(orders[chosen]) * (1 - 1e-12));
  return budget;
}

Result<ZcdpCost> zcdp_cost(const Event& event) {
  CV_CHECK(validate(event));
  const double n = static_cast<double>(event.count);
  if (const auto* compose = std::get_if<Compose>(&event.kind)) {
    long double rho = 0, delta = 0;
    for (const Event& part : compose->events) {
      CV_TRY(const ZcdpCost cost, zcdp_cost(part));
      rho += n * cost.rho * kRoundedUp;
      delta += static_cast<long double>(n) * cost.delta;
    }
    return ZcdpCost{double_above(rho), double_above(delta)};
  }
  const auto own = std::visit(
      [&](const auto& e) -> std::optional<Result<ZcdpCost>> {
        if constexpr (requires { e.zcdp(n); }) return e.zcdp(n);
        return std::nullopt;
      },
      event.kind);
  if (own) return *own;
  if (const auto pure = pure_bound(event))
    return ZcdpCost{n * squared(*pure) / 2 * kRoundedUp, 0};  // [BunSteinke16, Prop. 3.3]
  CV_TRY(const double mu, gaussian_distance(event));
  return ZcdpCost{n * squared(mu) / 2 * kRoundedUp, 0};
}

// Given that the loss is finite, which has the same probability on both sides, the event is purely ε-DP.
Result<ZcdpCost> zcdp_of_losses(const LossModel& model, std::string_view name, double count) {
  if (!model.bounded())
    return fail(ErrorKind::cannot_certify, std::string(name) + " has no bound on its finite losses");
  const double epsilon = model.top(0);
  return ZcdpCost{count * squared(epsilon) / 2 * kRoundedUp, count * model.infinite()};
}

namespace {

double zcdp_delta(double rho, double epsilon) {
  auto log_delta = [&](double x) {  // a = 1 + e^x
    const double a = 1 + std::exp(x);
    return (a - 1) * (a * rho - epsilon) + a * std::log1p(-1 / a) - std::log(a - 1);
  };
  double low = -20, high = 40;
  for (int i = 0; i < 120; ++i) {
    const double left = low + (high - low) / 3, right = high - (high - low) / 3;
    (log_delta(left) < log_delta(right) ? high : low) = log_delta(left) < log_delta(right) ? right : left;
  }
  return std::exp(std::min(0.0, log_delta(0.5 * (low + high)))) * kRoundedUp;
}

}  // namespace

double delta_from_zcdp(double rho, Epsilon epsilon) { return zcdp_delta(rho, epsilon.value()); }

double epsilon_from_zcdp(double rho, Delta delta) {
  double low = 0, high = 1;
  while (zcdp_delta(rho, high) > delta.value()) {
    low = high;
    high *= 2;
    if (high > 1e15) return kInfinity;
  }
  for (int i = 0; i < 100 && high - low > 1e-12 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (zcdp_delta(rho, middle) <= delta.value() ? high : low) = middle;
  }
  return high;
}

double zcdp_budget(Epsilon epsilon, Delta delta) {
  return largest([&](double rho) { return delta_from_zcdp(rho, epsilon) <= delta.value(); });
}

Result<double> gaussian_square(const Event& event, double reserve) {
  CV_CHECK(validate(event));
  const double n = static_cast<double>(event.count);
  if (const auto* compose = std::get_if<Compose>(&event.kind)) {
    long double squares = 0;
    for (const Event& part : compose->events) {
      CV_TRY(const double square, gaussian_square(part, reserve));
      squares += n * square;
    }
    return double_above(squares * kRoundedUp);
  }
  if (const auto pure = pure_bound(event)) {
    const double square =
        smaller(beside_gaussian(event, *pure * kRoundedUp, reserve), beside_gaussian(event, *pure * kRoundedUp, 0));
    if (std::isfinite(square)) return n * square * kRoundedUp;
    return not_gaussian(event);
  }
  CV_TRY(const double mu, gaussian_distance(event));
  return n * squared(mu) * kRoundedUp;
}

Result<double> gaussian_cost(const Event& event) {
  CV_TRY(const double square, gaussian_square(event, 0));
  return std::sqrt(square) * kRoundedUp;
}

double gaussian_budget(Epsilon epsilon, Delta delta) {
  return largest([&](double mu) { return gaussian_profile(mu, epsilon.value()) <= delta.value(); });
}

}  // namespace chronoveil::accounting
