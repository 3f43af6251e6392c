// Pairs of Gaussian mixtures with unit variance, the workhorses of subsampled Gaussian mechanisms.
#pragma once

#include <vector>

#include "chronoveil/accounting/grid/loss_model.h"
#include "chronoveil/accounting/mixtures/binomial.h"

namespace chronoveil::accounting {

struct UnitMixture {
  std::vector<double> means, weights;
  double tail = 0;  // the weight of further components that are left out, charged as an infinite loss
  double tail_low = 0, tail_high = 0;  // the range of their means
};

// Masses of the losses in (low, high] of N(μ,1) against N(0,1); q is times e^low.
struct BinMass {
  double p = 0, q = 0;
};
BinMass gaussian_bin(double mu, double low, double high);

// G_{α'}(μ) at α' = 1 + (α − 1)/rate, α = e^ε. Where e^ε nears overflow, ln α' = ε − ln rate to all digits.
long double thinned_profile(long double mu, long double epsilon, long double rate);

// P against Q where the loss rises with x: every mean of P that carries loss lies above those of Q, so that
// p(x) − αq(x) changes sign once for every α (variation diminishing). `symmetric` says that Q is P mirrored.
//   Profile   H_α(P‖Q) = P(X > x_α) − α Q(X > x_α), p(x_α) = α q(x_α)
std::unique_ptr<const LossModel> monotone_mixture_model(UnitMixture p, UnitMixture q, bool symmetric);

// MoG([0, μ], [1−r, r]) against N(0,1): Poisson subsampling with rate r of a Gaussian of distance μ.
//   Profile   α >= 1: r G_{α'}(μ), α' = 1 + (α−1)/r; larger than that of the reverse direction
std::unique_ptr<const LossModel> subsampled_gaussian_model(long double mu, double rate,
                                                           Directions directions = Directions::free);

// N(μ_k,1) against N(0,1) with probability w_k, k revealed: profile Σ w_k G(μ_k); the same in both directions. `tail`
// is the probability of all other k, charged as an infinite loss. With `rate` R < 1 the pair is subsampled: profile
// R Σ w_k G_{α'}(μ_k), α' = 1 + (α−1)/R, reflected for α < 1.
std::unique_ptr<const LossModel> revealed_gaussians_model(std::vector<long double> mus, std::vector<double> weights,
                                                          double tail, double rate = 1);

}  // namespace chronoveil::accounting
