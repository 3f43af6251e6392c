// What places have in common: a level, and a course in time around it, learned for each fold of places from the other
// folds, so that for the noise of its own places it is constant.
//   level    Σ w z / Σ w over the others' cells, w = 1/variance
//   course   of each step, f: z ≈ level + a_p + f_t by least squares, twenty rounds of one after the other; then
//            f_t τ²/(τ² + v_t), v_t = 1/Σ_p w, τ² how much f varies beyond its noise, by moments [DerSimonianLaird86]
//   Edges    a step in which the others have no cell has f = 0; a fold whose others have none at all has level 0
#pragma once

#include <Eigen/Core>

#include "chronoveil/post/joint/folds.h"

namespace chronoveil::post::cells {

struct Common {
  Eigen::ArrayXd levels;    // one per fold
  Eigen::ArrayXXd courses;  // one column per fold
};

// `weights`: 0 where there is no cell. One row per place, one column per step.
Common learn_common(const Eigen::ArrayXXd& values, const Eigen::ArrayXXd& weights, const joint::Folds&);

}  // namespace chronoveil::post::cells
