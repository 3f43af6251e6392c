// Totals that hold. Errors of denoised series share a bias, which adds up: the plain sum of them may be several times
// worse than the sum of the noisy values. So the sum y = Σ_s z_s/√S, whose noise is 1, is looked at once more, and what
// the estimates lack of it is given back to them. In units of the noise:
//   n = √max(1 − h, 0.02),  h the share of its own noise that the sum of estimates contains
//   a. d = y − Σ x̂_s/√S;  c = n C(d/n), C the mixture of the dictionary and of "0": prior ½ for 0, of risk
//      |d|²/n² − T, and ½ shared evenly by the rest
//   b. x̂_s += w_s √S c(t),  w_s = mean_t V_s / Σ mean_t V. Constant in t, so the sum of a series over all steps stays
//      that of its noisy values
//   c. With a season B in 2..T/2: m blocks of B steps, the last perhaps shorter; D: sums over a block of the rest of
//      y, over √(block length). If m/(TS) <= 0.03 · mean V, D itself is given back, evenly over each block, less its
//      mean over T: sums of all series over a season are then exactly those of the noisy values. Else n C(D/n), without
//      a season.
// Variance of the sum of all series at a step, over S: that of shrink on y, raised as there, plus m/T where c gave back
// D itself; at most 1.
// Groups of series are treated so one after the other, each as if there were no other series, then all series. Where
// groups cover all series and all seasons are given back, seasons of groups stay so: what is given and what is taken is
// shared alike.
// Intervals of other sums of n cells are those of the sum of n noisy values; so are those of sums over a season, or
// over all steps, of one series or of all.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "chronoveil/post/shrink/dictionary.h"

namespace chronoveil::post::joint {

inline constexpr double kRestored = 0.03;  // the price in cells at which seasons of the total are given back exactly

// Makes sums of series hold.
class TotalsHolder {
 public:
  // `values`: the noisy ones, one column per series; `uncertainty`: mean_t V_s, above 0; `season_starts`: first steps
  // of blocks but the first, in 1..T−1, ascending; empty: there is no season. All are kept by reference.
  TotalsHolder(Dictionary& dictionary, const Eigen::ArrayXXd& values, const Eigen::ArrayXd& uncertainty,
               const std::vector<Eigen::Index>& season_starts)
      : dictionary_(dictionary), values_(values), uncertainty_(uncertainty), season_starts_(season_starts) {}

  // Corrects the estimates of these series and gives the variance of their sum by step, over their number. `own_noise`:
  // h of the sum.
  Eigen::ArrayXd hold(const std::vector<Eigen::Index>& series, double own_noise, Eigen::ArrayXXd& estimates);

 private:
  Dictionary& dictionary_;
  const Eigen::ArrayXXd& values_;
  const Eigen::ArrayXd& uncertainty_;
  const std::vector<Eigen::Index>& season_starts_;
};

// Blocks of `season` steps from the first step on; empty unless 1 < season <= T/2.
std::vector<Eigen::Index> starts_of(std::int64_t season, Eigen::Index steps);

}  // namespace chronoveil::post::joint
