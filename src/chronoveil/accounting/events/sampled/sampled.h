// Mechanisms on a random sample of the units. With η the probability that the unit in question is in the sample, and h
// the symmetric profile of the inner mechanism given that it is:
//   Profile   α >= 1: η h(α'), α' = 1 + (α − 1)/η                                         [BalleBartheGaboardi18]
//             the reverse direction is at most that for α >= 1
//   Edges     η = 0 costs nothing; η = 1 is the inner mechanism
// One unit added or removed: with it the output is (1 − η)ν + ημ and without it ν, through all uses. So each direction
// has one dominating pair, ((1 − η)Q + ηP, Q) and its reverse, and each is composed by itself [ZhuDongWang22, Thm 11].
// One unit replaced: (1 − η)ν + ημ and (1 − η)ν + ημ'. Either direction may be the worse one, anew at every use, so the
// symmetric profile is composed.
//   Poisson               η = rate. Given the rest of the sample the unit is in it or not: h is for add_remove. Under
//                         replace, η H_{α'}(μ ‖ (1−β)ν + βμ') is at most η times the larger of H(μ‖ν) and H(μ‖μ'), so
//                         h covers a missing unit and a replaced one.
//   Without replacement   η = batch_size / population. If the unit is in the sample, another one could be in its place:
//                         h is for a replacement, under both relations.
//   With replacement      the unit is drawn k times, k ~ Bin(batch_size, 1/population), η = P(k >= 1), and h = Σ_k
//                         P(k | k >= 1) h_k with h_k for k units replaced          [BalleBartheGaboardi18, Thm 10]
#pragma once

#include <memory>

#include "chronoveil/accounting/grid/loss_model.h"

namespace chronoveil::accounting {

// The inner event, or a model of it, on a sample that holds the unit with probability `share`.
MadeLoss sampled_model(const Event& inner, double share, Directions);
std::unique_ptr<const LossModel> sampled_model(std::unique_ptr<const LossModel> inner, double share, Directions);
// Fixed if the unit is in the same one of the two data sets in all uses.
Directions directions_for(Relation);

// With a positive share below this, products underflow: such a sample cannot be priced.
inline constexpr double kLeastShare = 1e-290;
Failure share_too_small();

// The probability that the unit in question is in the sample, rounded up; also for `dp_sgd`. 1 if nothing is sampled.
double sampled_share(const Event&);
// A sample of a pure event is pure, with ln(1 + η(e^ε − 1)); an error if the inner event is not pure.
Result<double> sampled_pure_epsilon(const Event& inner, double share);

}  // namespace chronoveil::accounting
