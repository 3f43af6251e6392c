// Curves in time that the series of other folds have in common.
//   a. x̃_s: each learner's shrink, centred in time. U: the first r left singular vectors of the matrix of the others
//      (one row per series), r = min(16, ⌊T/4⌋, rank)
//   b. f_j = shrink(Σ_s U_sj (z_s − mean of z_s)): the weights are of length 1, so the noise of these is 1 again. They
//      are centred and made orthonormal in their order (Gram-Schmidt, twice); one of which less than
//      10⁻³ |f_j| + 10⁻⁶ is left is dropped. The result is F, T x r, with FᵀF = I and Fᵀ1 = 0
//   c. φ = min(1, Σ_j (Σ_s U_sj)²/S_o · div_j/T), div_j the divergence of the shrink of component j: how much of the
//      noise of the others' sum the curves contain
//   Edges   learners that are all constant have r = 0, φ = 0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "chronoveil/post/joint/crew.h"
#include "chronoveil/post/joint/folds.h"

namespace chronoveil::post::joint {

struct Factors {
  Eigen::MatrixXd curves;  // F
  double shared = 0;       // φ
};

// One for each fold. `values` and `smoothed` hold the learners, one column each, in units of the noise.
std::vector<Factors> learn_factors(Crew&, const Eigen::ArrayXXd& values, const Eigen::ArrayXXd& smoothed, const Folds&);

}  // namespace chronoveil::post::joint
