// The positive half of a symmetric privacy-loss distribution, cut into bins of losses.
//
// A symmetric profile, h(α) = 1 − α + α h(1/α), is known from its values at α >= 1, that is from the losses above 0:
// mass at loss l under P is mass at −l under Q. Every step is priced by its symmetrised profile
// h(α) = max(H_α(P‖Q), H_α(Q‖P)), so this half is all that the engine needs.
#pragma once

#include <cstddef>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::accounting {

struct PositiveLoss {
  double step = 0;  // h
  // Masses of the losses in (i h, (i+1) h]: p[i] under P, and q[i] = e^{i h} × the mass under Q, so that
  // e^{−h} p[i] <= q[i] <= p[i] and nothing under- or overflows at large losses.
  std::vector<double> p, q;
  double beyond_p = 0;  // finite losses above the last bin; beyond_q is times e^{bins() h}
  double beyond_q = 0;
  double infinite = 0;  // P-mass where Q has none
  // P-mass that was left out, or whose loss is unknown: infinite for an upper bound, no loss for a lower one.
  double charged = 0;
  double zero = 1;  // mass at loss 0, the same under both: the rest

  std::size_t bins() const { return p.size(); }
  double loss(std::size_t i) const { return step * static_cast<double>(i); }
};

// A loss counts as on a grid point if it lies at most this much above it, relatively: a multiple of a rounded step and
// a loss that was rounded up differ by at most five roundings. Composition charges every loss more than this.
inline constexpr double kOnGrid = 6e-16;
// How many bins of this width hold the losses up to `loss`: the loss lies in the last of them.
double bins_up_to(double loss, double step);

// A pair whose every output is, with probability 1 − rate, independent of the data: profile (1−ρ)max(0,1−α) + ρ h(α).
PositiveLoss thinned(PositiveLoss, double rate);

// The largest of the profiles at every grid point, straight lines between: dominates each of them.
PositiveLoss pointwise_maximum(const std::vector<PositiveLoss>&);

// The larger of two profiles, each taken as one atom per bin (its outputs merged): dominated by the larger of any two
// profiles that dominate them.
PositiveLoss maximum_of_merged(const PositiveLoss&, const PositiveLoss&);

// The lower convex envelope, on the grid, of the smallest of several profiles that are each an upper bound.
PositiveLoss envelope_of_minimum(const std::vector<PositiveLoss>&);

// From values h(e^{i step}), i = 0..n, of a convex profile that each are an upper bound: the straight lines between
// them. Values that are not convex are replaced by their lower convex envelope. `infinite` is the known infinite part
// of the last value; the rest is charged, since the profile may fall further beyond the grid.
PositiveLoss from_profile(double step, const std::vector<long double>& values, double infinite = 0);

// The same masses in bins twice as wide. A profile that is known on a grid only is cut twice as finely as asked and
// then paired, so that the distance between its dominating and its dominated grid measures what the grid may hide.
PositiveLoss paired(const PositiveLoss&);

// The profile at the grid points e^{i h}, i = 0..bins(), after connecting the dots.
std::vector<long double> profile_on_grid(const PositiveLoss&);

// Connect the dots: the masses under P at the losses i h, i = −bins()..bins(), of a pair that dominates this one,
// and what goes to +∞. Rounded up.
struct GridLoss {
  double step = 0;
  long first = 0;            // index of the first mass; the loss is step × index
  std::vector<double> mass;  // under P
  double infinite = 0;
  double slack = 0;  // of a dominated grid: rounding may have put a loss this much too high
  long last() const { return first + static_cast<long>(mass.size()) - 1; }
};
// Losses above 0 (and at 0) come from `above`, those below 0 from `below`, the positive half of the reverse direction;
// for a symmetric pair both are the same.
GridLoss dominating(const PositiveLoss& above, const PositiveLoss& below);
inline GridLoss dominating(const PositiveLoss& symmetric) { return dominating(symmetric, symmetric); }
// A pair that this one dominates: outputs are merged until their loss lies on the grid. Rounded down.
GridLoss dominated(const PositiveLoss& above, const PositiveLoss& below);
// Every mass is finite and not negative; cannot_certify otherwise. Called before anything is read from a grid.
Result<void> check_masses(const GridLoss&);

// P-mass at one loss of either sign.
struct MassAt {
  double loss = 0;
  double mass = 0;
};
// Both bounds of a pair of atoms by falling loss, relative error kMassError each, on the grid of multiples of `step`
// from −bins to bins. Losses above it go to +∞, those below it to its lowest point.
GridLoss dominating(const std::vector<MassAt>&, double infinite, double step, std::size_t bins);
GridLoss dominated(const std::vector<MassAt>&, double infinite, double step);

// The same distribution on a grid `factor` times as coarse, dominating or dominated. `tilt` says that `mass` holds
// P-masses times e^{tilt × loss}.
GridLoss coarsened_up(const GridLoss&, long factor, double tilt);
GridLoss coarsened_down(const GridLoss&, long factor, double tilt);

}  // namespace chronoveil::accounting
