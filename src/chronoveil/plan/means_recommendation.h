// Which mechanism for means per cell, and why: the argument of docs/which_mechanism.md, from the expected_noise of
// candidates that fit and are certified. U is the width of the bounds, K̄ the arrays, `share` the ε of one cell.
//   Counts are private        registered_mean if the number of registered users is given, else sum_over_count
//   Exact                     array_averaging as the request groups it; clip_mean if its noise is at most 1 % more,
//                             since it weighs all kept records alike. Their noise is known beforehand
//   Guesses                   levy and fixed_quantile, as if records were independent. Each must be at most 4/5 of the
//                             exact noise, and its interval must be found:
//     levy                    a bin with all array means on one side of it is drawn with chance n e^{−share K̄/8} at
//                             most, n = U/τ, since that of their median leaves at most K̄/2 on a side; being off by U
//                             then is at most the noise when share K̄/8 >= ln(U n / noise)
//     fixed_quantile          share K̄/80 >= ln(U / spread · share K̄/16), spread = 1.28 U/√m_ub: the gap beyond the
//                             outermost array mean weighs less than the room around the quantile; and share K̄ >= 80,
//                             below which all of [0, U] weighs about the same
// Regimes: "many records per user" (levy), "many users" (fixed_quantile), "many users with few records each" (the
// quantiles would be found, but do not lie closer together than half the bounds), "few users for the budget" (else),
// "counts are private". A mechanism that lacks a parameter of the request is skipped. If none of these fits, the first
// candidate that does is taken. Never chosen for their noise: baseline, which clip_mean equals if nobody has more
// records than others; epsilon_quantile, whose quantiles are so far out that the gap beyond them is drawn more often
// than not, whatever K̄ is.
#pragma once

#include <string>

#include "chronoveil/plan/means_comparison.h"

namespace chronoveil::plan {

struct MeansRecommendation {
  std::string mechanism;  // empty when none fits
  std::string regime;
  std::string reason;
};

// From the counts and the candidates of a comparison; its own recommendation is ignored.
MeansRecommendation recommend_means(const MeansComparison&, bool counts_public);

}  // namespace chronoveil::plan
