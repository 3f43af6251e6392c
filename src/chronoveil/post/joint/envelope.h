// When, in the course of time, series are rough.
//   ρ_s(t) = (2z(t) − z(t−1) − z(t+1))/√6, at the ends (z(1) − z(2))/√2 and alike: noise of variance 1
//   v(t)   = mean over the S_o others of ρ², whose noise is about σ_v = √(2/S_o) max(1, mean v)
//   e      = σ_v shrink((v − 1)/σ_v);  E(t) = max(e(t), 0.02 max(mean e, 10⁻³)), divided by its mean
//   Edges  fewer than 8 others: E = 1
#pragma once

#include <Eigen/Core>
#include <vector>

#include "chronoveil/post/joint/folds.h"
#include "chronoveil/post/shrink/dictionary.h"

namespace chronoveil::post::joint {

// One for each fold. `values` holds the learners, one column each, in units of the noise.
std::vector<Eigen::ArrayXd> learn_envelopes(Dictionary&, const Eigen::ArrayXXd& values, const Folds&);

}  // namespace chronoveil::post::joint
