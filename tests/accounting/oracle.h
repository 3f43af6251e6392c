// What events truly cost, computed to 40 digits or so and by other means than the engine's: closed forms, sums over
// outcomes, exact convolutions. δ as a function of ε; where an event has two directions, the larger.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "accounting/real.h"

namespace chronoveil::accounting::oracle {

using Profile = std::function<Real(const Real& epsilon)>;

// The density of N(0,1).
Real density(const Real& x);

// N(μ,1) against N(0,1).
Real gaussian(const Real& mu, const Real& epsilon);

// Real b > 0, |X − X'| = 1: the hockey stick, integrated by hand over the three pieces of the line.
Real laplace(const Real& scale, const Real& epsilon);

// Bounded range ε: a pair on two points with losses t and t − ε, the worst t by golden section.
Real bounded_range(const Real& range, const Real& epsilon);

Real binomial_weight(std::int64_t n, std::int64_t k, const Real& p);
Real hypergeometric_weight(std::int64_t population, std::int64_t marked, std::int64_t draws, std::int64_t k);

// n answers by randomized response with two values: losses (2k − n)ε with probability Bin(k; n, e^ε/(1+e^ε)), summed
// from the first loss above the ε asked for.
Real pure(const Real& per_step, std::int64_t n, const Real& epsilon);
Real approximate(const Real& per_step, const Real& delta, std::int64_t n, const Real& epsilon);

// Losses on a lattice, for mechanisms with discrete outputs: P-masses at spacing × index, and at +∞.
struct LatticeLoss {
  Real spacing;
  long first = 0;
  std::vector<Real> mass;
  Real infinite = 0;

  Real delta(const Real& epsilon) const;
  // The same pair read the other way: mass e^{−l} at −l. Only for pairs without infinite losses.
  LatticeLoss reversed() const;
};

LatticeLoss convolved(const LatticeLoss& a, const LatticeLoss& b);
LatticeLoss times(const LatticeLoss& loss, int n);

// Discrete Laplace of scale s, shifted by d: losses −d/s, (2x − d)/s for 0 < x < d, and d/s, in steps of 1/s.
LatticeLoss discrete_laplace(const Real& scale, std::int64_t shift);

// Discrete Gaussian of scale s, shifted by d: the loss of output x is d(2x − d)/(2s²), in steps of d/(2s²). Outputs
// with a mass below 1e-75 are left out.
LatticeLoss discrete_gaussian(const Real& scale, std::int64_t shift);

// One use of the same, summed outward from the first output whose loss exceeds ε.
class DiscreteGaussianOnce {
 public:
  DiscreteGaussianOnce(const Real& scale, std::int64_t shift);
  Real operator()(const Real& epsilon) const;

 private:
  Real sum(const Real& from, Real factor, const Real& decay) const;
  Real square_, shift_, total_;
};

// The same for scales of 1000 and more, where that takes too long: tails as integrals, corrected at their ends by Euler
// and Maclaurin, where the engine works with 19 digits. Good to 1e-20 at 1000 and an ε up to 40 deviations out, and to
// more above.
Real wide_discrete_gaussian(const Real& scale, std::int64_t shift, const Real& epsilon);

LatticeLoss randomized_response(const Real& epsilon, std::int64_t values);

struct Normals {
  std::vector<Real> means, weights;
};

// The larger of H_{e^ε}(P‖Q) and H_{e^ε}(Q‖P) of mixtures with unit variance: p − αq is followed along x, its changes
// of sign are bisected, and the pieces where it is positive are summed as differences of tails.
Real mixture(const Normals& p, const Normals& q, const Real& epsilon);

// n losses of which each, independently, is +E with probability `atom`, −E with `atom` × e^{−E}, and otherwise has the
// density c e^{l/2} on (−E, E): Laplace noise (atom ½) and bounded range (atom 0). The sum of m such densities is
// c^m e^{l/2} times a piecewise polynomial (Irwin and Hall), integrated piece by piece with 16 Gauss points.
class ExponentialPieces {
 public:
  ExponentialPieces(Real range, Real atom, int n);
  Real operator()(const Real& epsilon) const;

 private:
  Real continuous(int m, const Real& shift, const Real& epsilon) const;
  Real range_, atom_;
  int n_;
  std::vector<Real> nodes_, weights_;
};

}  // namespace chronoveil::accounting::oracle
