#include "chronoveil/accounting/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "chronoveil/accounting/extremes.h"
#include "chronoveil/accounting/filter_kernel.h"
#include "chronoveil/accounting/gaussian_beside.h"
#include "chronoveil/accounting/loss_model.h"
#include "chronoveil/accounting/normal.h"
#include "chronoveil/accounting/sampled.h"
#include "chronoveil/accounting/sampled_loss.h"
#include "chronoveil/accounting/structured_subsampling.h"

namespace chronoveil::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUp = 1 + 1e-12;  // outward rounding of closed forms
// P-mass whose losses are set aside instead of entering a Rényi divergence.
constexpr double kSetAside = 1e-40;

// Costs of parts are added in 64 bits: a million roundings of a double would take more than kUp adds.
double double_above(long double sum) {
  const auto nearest = static_cast<double>(sum);
  return nearest < sum ? std::nextafter(nearest, kInfinity) : nearest;
}

// What is not 0 has no square of 0: an event that costs next to nothing still costs something, or it would be admitted
// where nothing is left.
double squared(double x) { return x > 0 ? larger(x * x, std::numeric_limits<double>::min()) : 0.0; }

double log_add(double a, double b) {
  const double high = std::max(a, b);
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

// A divergence of an ε-DP event that was computed as a difference of logarithms. For a small ε the difference is lost
// in rounding, so what rounding can take is added; there aε²/2 is the better bound [BunSteinke16, Prop. 3.3].
double rounded_up(double divergence, double epsilon, double a) {
  return std::min(divergence + 4e-15 * (1 + a * epsilon) / (a - 1), a * squared(epsilon) / 2);
}

// D_a of losses ±ε: randomized response, the worst pure mechanism [Mironov17, Prop. 5 with both outcomes].
double pure_renyi(double epsilon, double a) {
  const double log_total = log_add(0, epsilon);  // log(1 + e^ε)
  return rounded_up(log_add(a * epsilon - log_total, (1 - a) * epsilon - log_total) / (a - 1), epsilon, a);
}

// D_a of Laplace noise of scale 1/ε [Mironov17, Prop. 6].
double laplace_renyi(double epsilon, double a) {
  return rounded_up(
      log_add(std::log(a / (2 * a - 1)) + (a - 1) * epsilon, std::log((a - 1) / (2 * a - 1)) - a * epsilon) / (a - 1),
      epsilon, a);
}

struct Cost {
  std::vector<double> epsilon;
  double delta = 0;
};

// From the dominating pair on a grid: every Rényi divergence of it is at least that of the step.
Result<Cost> renyi_from_grid(const LossModel& model, std::span<const double> orders, Reading reading) {
  const double top = model.top(kSetAside);
  Cost cost{std::vector<double>(orders.size(), 0.0), model.infinite()};
  if (top <= 0) {
    // Hardly anything has a loss at all: (0, δ(0)) in whole.
    cost.delta = larger(cost.delta, static_cast<double>(model.delta(0)) * kUp);
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
    cost.epsilon[j] = larger(0.0, (peak + std::log(sum) - std::log1p(-smaller(cost.delta, 1.0))) / (a - 1)) * kUp;
  }
  return cost;
}

// The larger of both directions where one of them holds through all uses, order by order.
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
  for (double a : orders) cost.epsilon.push_back(larger(0.0, divergence(a)) * kUp);
  return cost;
}

// ε of an event that is purely ε-DP, or an error.
Result<double> pure_bound(const Event& event) {
  if (const auto* e = std::get_if<Laplace>(&event.kind)) return 1 / e->noise_multiplier;
  if (const auto* e = std::get_if<DiscreteLaplace>(&event.kind)) return static_cast<double>(e->sensitivity) / e->scale;
  if (const auto* e = std::get_if<Exponential>(&event.kind)) return e->epsilon;
  if (const auto* e = std::get_if<Pure>(&event.kind)) return e->epsilon;
  if (const auto* e = std::get_if<RandomizedResponse>(&event.kind)) return e->epsilon;
  if (const auto* e = std::get_if<NoisySort>(&event.kind); e && !e->max_shift) return e->epsilon;
  if (std::holds_alternative<PoissonSampled>(event.kind) ||
      std::holds_alternative<SampledWithoutReplacement>(event.kind)) {
    const double share = sampled_share(event);
    if (share > 0 && share < kLeastShare) return share_too_small();
    CV_TRY(const double inside, pure_bound(*inner_of(event)));
    return share > 0 ? loss_outside(inside, share) * kUp : 0.0;
  }
  return fail(ErrorKind::cannot_certify, std::string(name(event)) + " is not purely differentially private");
}

Result<double> gaussian_distance(const Event& event);

Result<Cost> renyi_of_step(const Event& event, std::span<const double> orders) {
  if (const auto* e = std::get_if<Gaussian>(&event.kind))
    return closed_form(orders, 0, [&](double a) { return a / (2 * e->noise_multiplier * e->noise_multiplier); });
  if (const auto* e = std::get_if<DiscreteGaussian>(&event.kind)) {
    const double mu = static_cast<double>(e->sensitivity) / e->scale;  // [CKS20, Thm 4]
    return closed_form(orders, 0, [&](double a) { return a * squared(mu) / 2; });
  }
  if (const auto* e = std::get_if<Laplace>(&event.kind))
    return closed_form(orders, 0, [&](double a) { return laplace_renyi(1 / e->noise_multiplier, a); });
  if (const auto* e = std::get_if<Pure>(&event.kind))
    return closed_form(orders, 0, [&](double a) { return pure_renyi(e->epsilon, a); });
  if (const auto* e = std::get_if<Approximate>(&event.kind))
    return closed_form(orders, e->delta, [&](double a) { return pure_renyi(e->epsilon, a); });
  // On a grid a small ε would be lost in rounding, too.
  if (const auto pure = pure_bound(event); pure && *pure <= 1e-4)
    return closed_form(orders, 0, [&](double a) { return a * squared(*pure) / 2; });
  // So would the losses of means that are this near. A divergence is quasi-convex, so that of two mixtures is at most
  // that of the two means that lie farthest apart [vanErvenHarremoes14, Thm 13].
  if (const auto distance = gaussian_distance(event); distance && *distance <= 1e-8)
    return closed_form(orders, 0, [&](double a) { return a * squared(*distance) / 2; });
  CV_TRY(const auto model, make_loss_model(event));
  CV_TRY(Cost cost, renyi_from_grid(*model, orders));
  // A bounded range of ε has no more than αε²/8 [CesarRogers21].
  if (const auto* e = std::get_if<Exponential>(&event.kind))
    for (std::size_t j = 0; j < orders.size(); ++j)
      cost.epsilon[j] = smaller(cost.epsilon[j], orders[j] * squared(e->epsilon) / 8 * kUp);
  return cost;
}

// (ε, δ) such that all losses are at most ε but for infinite ones of mass δ, of an event that moves values in time.
// Given that the loss is finite, which has the same probability on both sides, the event is purely ε-DP.
Result<std::optional<Approximate>> bounded_moves(const Event& event) {
  if (!std::holds_alternative<RanSwitch>(event.kind) && !std::holds_alternative<StaSwitch>(event.kind) &&
      !std::holds_alternative<NoisySort>(event.kind))
    return std::optional<Approximate>();
  CV_TRY(const auto model, make_loss_model(event));
  if (!model->bounded())
    return fail(ErrorKind::cannot_certify, std::string(name(event)) + " has no bound on its finite losses");
  return std::optional(Approximate{model->top(0), model->infinite()});
}

// The L2 distance, in standard deviations, that no pair of outputs' means exceeds; nothing for other noise.
Result<double> gaussian_distance(const Event& event) {
  if (const auto* e = std::get_if<Gaussian>(&event.kind)) return 1 / e->noise_multiplier;
  if (const auto* e = std::get_if<Mixture>(&event.kind)) {
    double most = 0;
    for (double p : e->p.means)
      for (double q : e->q.means) most = std::max(most, std::abs(p - q));
    return most / e->noise_multiplier;
  }
  if (const auto* e = std::get_if<TimeSubsampling>(&event.kind)) {
    double energy = static_cast<double>(e->participation);
    if (e->filter_width) energy = filter_reach(filter_kernel(*e->length, *e->filter_width), e->participation).energy;
    return std::sqrt(energy) / e->noise_multiplier;
  }
  // A sample shows no more than all of it does; one with replacement may hold a unit as often as it is large.
  if (const auto* e = std::get_if<DpSgd>(&event.kind)) return 1 / e->noise_multiplier;
  if (const auto* e = std::get_if<SampledWithReplacement>(&event.kind)) {
    CV_TRY(const Event all, drawn_again(*e->inner, e->batch_size));
    return gaussian_distance(all);
  }
  if (const Event* inner = inner_of(event)) return gaussian_distance(*inner);
  if (const auto* e = std::get_if<StructuredSubsampling>(&event.kind)) {
    std::int64_t windows = e->windows_per_series;
    if (e->bottom_level == StructuredSubsampling::Bottom::poisson) {
      windows = 0;
      for (std::int64_t length : e->length) windows = std::max(windows, touched_windows(*e, length));
    }
    return 2 * static_cast<double>(windows) / e->noise_multiplier;
  }
  return fail(ErrorKind::cannot_certify, std::string(name(event)) + " is not bounded by Gaussian noise");
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

}  // namespace

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
        epsilon[j] += cost.epsilon[j] * static_cast<double>(event.count) * kUp;
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
      rho += n * cost.rho * kUp;
      delta += static_cast<long double>(n) * cost.delta;
    }
    return ZcdpCost{double_above(rho), double_above(delta)};
  }
  if (const auto* e = std::get_if<Exponential>(&event.kind)) return ZcdpCost{n * squared(e->epsilon) / 8 * kUp, 0};
  if (const auto* e = std::get_if<Approximate>(&event.kind))
    return ZcdpCost{n * squared(e->epsilon) / 2 * kUp, n * e->delta};
  if (const auto* e = std::get_if<DiscreteGaussian>(&event.kind)) {
    const double mu = static_cast<double>(e->sensitivity) / e->scale;
    return ZcdpCost{n * squared(mu) / 2 * kUp, 0};
  }
  if (const auto pure = pure_bound(event))
    return ZcdpCost{n * squared(*pure) / 2 * kUp, 0};  // [BunSteinke16, Prop. 3.3]
  CV_TRY(const auto moves, bounded_moves(event));
  if (moves) return ZcdpCost{n * squared(moves->epsilon) / 2 * kUp, n * moves->delta};
  CV_TRY(const double mu, gaussian_distance(event));
  return ZcdpCost{n * squared(mu) / 2 * kUp, 0};
}

double delta_from_zcdp(double rho, double epsilon) {
  auto log_delta = [&](double x) {  // a = 1 + e^x
    const double a = 1 + std::exp(x);
    return (a - 1) * (a * rho - epsilon) + a * std::log1p(-1 / a) - std::log(a - 1);
  };
  double low = -20, high = 40;
  for (int i = 0; i < 120; ++i) {
    const double left = low + (high - low) / 3, right = high - (high - low) / 3;
    (log_delta(left) < log_delta(right) ? high : low) = log_delta(left) < log_delta(right) ? right : left;
  }
  return std::exp(std::min(0.0, log_delta(0.5 * (low + high)))) * kUp;
}

double epsilon_from_zcdp(double rho, double delta) {
  double low = 0, high = 1;
  while (delta_from_zcdp(rho, high) > delta) {
    low = high;
    high *= 2;
    if (high > 1e15) return kInfinity;
  }
  for (int i = 0; i < 100 && high - low > 1e-12 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (delta_from_zcdp(rho, middle) <= delta ? high : low) = middle;
  }
  return high;
}

double zcdp_budget(Epsilon epsilon, Delta delta) {
  return largest([&](double rho) { return delta_from_zcdp(rho, epsilon.value()) <= delta.value(); });
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
    return double_above(squares * kUp);
  }
  if (const auto pure = pure_bound(event)) {
    const auto beside = std::holds_alternative<Laplace>(event.kind) ? laplace_beside_gaussian : pure_beside_gaussian;
    const double square = smaller(beside(*pure * kUp, reserve), beside(*pure * kUp, 0));
    if (std::isfinite(square)) return n * square * kUp;
    return fail(ErrorKind::cannot_certify, std::string(name(event)) + " is not bounded by Gaussian noise");
  }
  CV_TRY(const double mu, gaussian_distance(event));
  return n * squared(mu) * kUp;
}

Result<double> gaussian_cost(const Event& event) {
  CV_TRY(const double square, gaussian_square(event, 0));
  return std::sqrt(square) * kUp;
}

double gaussian_budget(Epsilon epsilon, Delta delta) {
  return largest([&](double mu) { return gaussian_profile(mu, epsilon.value()) <= delta.value(); });
}

}  // namespace chronoveil::accounting
