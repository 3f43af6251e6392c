// Totals that hold. Errors of denoised series share a bias, which adds up: the plain sum of them may be several times
// worse than the sum of the noisy values. So the sum y = Σ_s z_s/√S, whose noise is 1, is looked at once more, and what
// the estimates lack of it is given back to them. In units of the noise:
//   n = √max(1 − h, 0.02),  h the share of its own noise that the sum of estimates contains
//   a. d = y − Σ x̂_s/√S;  c = n C(d/n), C the mixture of the dictionary and of "0": prior ½ for 0, of risk
//      |d|²/n² − T, and ½ shared evenly by the rest
//   b. x̂_s += w_s √S c(t),  w_s = mean_t V_s / Σ mean_t V. Constant in t, so the sum of a series over all steps stays
//      that of its noisy values
//   c. With a season B in 2..T/2: m blocks of B steps, the last perhaps shorter; D: sums over a block of what is left of
//      y, over √(block length). If m/(TS) <= 0.03 · mean V, D itself is given back, evenly over each block, less its
//      mean over T: sums of all series over a season are then exactly those of the noisy values. Else n C(D/n), without
//      a season.
// Variance of the sum of all series at a step, over S: that of shrink on y, raised as there, plus m/T where c gave back D
// itself; at most 1.
// Intervals of other sums of n cells are those of the sum of n noisy values; so are those of sums over a season, or over
// all steps, of one series or of all.
#pragma once

#include <Eigen/Core>

#include "chronoveil/post/shrink/dictionary.h"

namespace chronoveil::post::joint {

inline constexpr double kRestored = 0.03;  // the price in cells at which seasons of the total are given back exactly

// Corrects `estimates` (one column per series) and gives the variance of their sum by step, over S. `values`: the noisy
// ones; `uncertainty`: mean_t V_s, above 0; `own_noise`: h.
Eigen::ArrayXd hold_totals(Dictionary&, const Eigen::ArrayXXd& values, const Eigen::ArrayXd& uncertainty,
                           double own_noise, std::int64_t season, Eigen::ArrayXXd& estimates);

}  // namespace chronoveil::post::joint
