// How much every candidate counts. n_p of them are the dictionary's, n_j joint ones; those of different folds are the
// same candidate if spectrum, option and roughness are.
//   base π    joint ones share P = ½ S_o/(S_o + 4), S_o the least number of learners outside a fold; the dictionary has
//             1 − P; each evenly
//   p_s       ∝ π^(fold) exp(−R_s/4)
//   π^(fold)  starts as π; three times π^(fold) = (10 π + Σ over learners of other folds of p)/(10 + their number): how
//             often a candidate wins elsewhere. Others' p depend a little on this fold; ten pseudo-series bound what
//             that can do
#pragma once

#include <Eigen/Core>

#include "chronoveil/post/joint/folds.h"

namespace chronoveil::post::joint {

// One row per fold. `risks`: one row per learner, the dictionary's candidates first.
Eigen::ArrayXXd learn_priors(const Eigen::ArrayXXd& risks, Eigen::Index of_dictionary, const Folds&);

// p of one series.
Eigen::ArrayXd weights_of(const Eigen::ArrayXd& prior, const Eigen::ArrayXd& risks);

}  // namespace chronoveil::post::joint
