// Costs that stay additive when the next request is chosen after seeing earlier outputs: Rényi, zCDP, Gaussian.
// These are what the ledger's privacy filters add up; they also cross-check the main accountant (PLD <= RDP).
// Events are priced as they are: the ledger has fitted them to one kind of neighbours (otherwise: in_one_relation).
#pragma once

#include <span>
#include <vector>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/base/units.h"

namespace chronoveil::accounting {

// Outward rounding of closed forms.
inline constexpr double kRoundedUp = 1 + 1e-12;

// ε of one use of an event that is purely ε-DP; cannot_certify for others.
Result<double> pure_bound(const Event&);
// The L2 distance, in standard deviations, that no pair of outputs' means exceeds; cannot_certify for other noise.
Result<double> gaussian_distance(const Event&);

// Upper bounds on the Rényi divergence, in both directions, at each order; mass without a finite divergence (the δ of
// `approximate` events) is set aside and must be added to the final δ.
struct RenyiCost {
  std::vector<double> epsilon;
  double delta = 0;
};

// The fixed orders of the ledger's `renyi` filter: once in use they are part of its file format.
std::span<const double> renyi_orders();

Result<RenyiCost> renyi_cost(const Event&, std::span<const double> orders);

// ε at δ from a Rényi curve, or the smallest over the orders: ε(α) + log((α−1)/α) − (log δ + log α)/(α−1)
// [Canonne, Kamath, Steinke 2020, Prop. 12].
double epsilon_from_renyi(std::span<const double> orders, std::span<const double> epsilon, Delta);
// A curve B(α) that a privacy filter may keep Σ ε_i(α) below, at every order, so that the total is (ε, δ)-DP: finite
// at the one order where the conversion above admits most Gaussian noise, infinite (no constraint) elsewhere. Fixed in
// advance, as a filter needs [Feldman & Zrnic 2021]; B is computed rounded down.
std::vector<double> renyi_budget(std::span<const double> orders, Epsilon, Delta);

struct ZcdpCost {
  double rho = 0;
  double delta = 0;  // set aside
};
// ρ such that the event is ρ-zCDP; cannot_certify for events with no useful ρ.
Result<ZcdpCost> zcdp_cost(const Event&);
// The same for losses of at most ε, except infinite ones of mass δ, which is set aside.
Result<ZcdpCost> zcdp_of_losses(const LossModel&, std::string_view name, double count);
// The largest ρ that implies (ε, δ).
double zcdp_budget(Epsilon, Delta);
// Upper bounds on what ρ-zCDP implies: δ(ε) <= e^{(a−1)(aρ−ε)} (1 − 1/a)^a / (a − 1) for every a > 1 [CKS20, Cor. 13].
double delta_from_zcdp(double rho, Epsilon);
double epsilon_from_zcdp(double rho, Delta);

// μ such that N(μ,1) against N(0,1) dominates the event; cannot_certify for events not dominated by a Gaussian.
Result<double> gaussian_cost(const Event&);
// What the event adds to μ² beside Gaussian noise N(r), r = reserve, or more (gaussian_beside.h); without such noise
// the square of the cost above.
Result<double> gaussian_square(const Event&, double reserve);
// The largest μ that implies (ε, δ).
double gaussian_budget(Epsilon, Delta);

}  // namespace chronoveil::accounting
