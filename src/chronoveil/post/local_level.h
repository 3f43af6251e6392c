// A smoother that knows the noise and where the samples are: the local-level model
//   x_t = x_{t−1} + N(0, q), no prior knowledge of x_0;   z_j = x_{t_j} + N(0, R) at the samples
// A Kalman filter forward and a Rauch-Tung-Striebel pass backward over the samples [RTS65] give the law of x given all
// z; a gap of g steps adds g q. Between samples a < t < b, with w = (t − a)/(b − a),
//   mean      (1 − w) m_a + w m_b
//   variance  (1 − w)² V_a + w² V_b + 2w(1 − w) C_ab + q (t − a)(b − t)/(b − a)
// and d steps outside the first or the last sample the mean of that sample and V + d q.
//   Edges     q = 0: the mean of all samples everywhere, variance R/n; q → ∞: linear interpolation
#pragma once

#include <vector>

#include "chronoveil/post/samples.h"

namespace chronoveil::post {

struct Smoothed {
  std::vector<double> mean, variance;  // one per step
};

// Needs at least one sample and R > 0.
Smoothed smooth(const Samples&, double noise_variance, double step_variance);

// log-likelihood of the released values given the first of them, up to a constant.
double log_likelihood(const Samples&, double noise_variance, double step_variance);

// q from the released values alone. Needs at least two samples and R > 0.
struct StepVariance {
  double likeliest = 0;  // maximises the likelihood; may be 0
  double plausible = 0;  // the largest q whose log-likelihood is within 1/2 of the highest: one standard error up
};
StepVariance estimate_step_variance(const Samples&, double noise_variance);

}  // namespace chronoveil::post
