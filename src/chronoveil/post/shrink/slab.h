// How one noisy coefficient is shrunk, in units of the noise: c = θ + N(0, 1).
//   Prior     θ ~ N(0, g), given by the noise share u = 1/(1 + g): u = 1 pure noise, u = 0 pure signal
//   Linear    residual e = c − θ̂ = c u,                      slope v = dθ̂/dc = 1 − u
//   Slab      a coefficient may instead be an outlier that no prior variance explains. With q the probability that it
//             is not,  1/q = 1 + exp(odds + c² u/2),  odds = ln(π/(1 − π)) − ½ ln(1 + 100 u):
//             e = c q u,                                     v = 1 − q u + q(1 − q) u² c²
//             A smooth threshold near √(2 ln(10/π)): small coefficients are shrunk as above, large ones are left alone.
// Stein's unbiased estimate of the risk E(θ̂ − θ)² is e² + 2v − 1 for both [Stein81]; for the linear rule v is also the
// posterior variance.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace chronoveil::post {

struct Shrunk {
  Eigen::ArrayXd residual;  // c − θ̂
  Eigen::ArrayXd slope;     // dθ̂/dc
  double risk() const { return residual.square().sum() + 2 * slope.sum() - static_cast<double>(slope.size()); }
};

inline constexpr double kSlabVariance = 100;
inline constexpr double kSlabCount = 3;  // outliers expected among all the coefficients of a kind

// ln(π/(1 − π)) for one of `n` coefficients of a kind, π = min(1/2, 3/n).
inline double slab_prior(double n) {
  const double probability = std::min(0.5, kSlabCount / n);
  return std::log(probability / (1 - probability));
}

// `share` is u, `odds` as above: arrays as long as `c`, or one number for all of them.
template <class Numbers>
void shrink_with_slab(const Eigen::ArrayXd& c, const Numbers& share, const Numbers& odds, Shrunk& out) {
  out.slope = share / (1 + (odds + 0.5 * share * c.square()).exp());  // q u; 0 where exp overflows
  out.residual = c * out.slope;
  out.slope = 1 - out.slope + (share - out.slope) * out.slope * c.square();
}

}  // namespace chronoveil::post
