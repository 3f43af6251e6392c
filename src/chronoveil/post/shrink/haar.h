// Shrinking in the Haar wavelets of all shifts at once [CoifmanDonoho95]: for steps and spikes, which no smooth basis
// represents well. The series is taken as a circle of T steps, any T; levels j = 0..J−1 with 2^J <= T. With a_0 = z
// (the values in units of the noise) and every index modulo T,
//   a_{j+1}(t) = (a_j(t) + a_j(t + 2^j))/2         d_j(t) = 2^{(j+1)/2} (a_j(t) − a_j(t + 2^j))/2, of noise variance 1
// Each d_j is shrunk with a slab (slab.h), g_j = 2^{j+1}/s: a random walk that shows from scale s on, and
// π_j = min(1/2, 3 · 2^{j+1}/T). a_J is kept. Going back averages over the shifts:
//   â_j(t) = ½ [â_{j+1}(t) + d̂_j(t)/2^{(j+1)/2}] + ½ [â_{j+1}(t − 2^j) − d̂_j(t − 2^j)/2^{(j+1)/2}]
//   Risk      Σ (z − â_0)² + 2 [T 2^−J + Σ_j 2^−(j+1) Σ_t v_j(t)] − T, v the slopes: Stein's, exactly unbiased
//   Variance  of step t: 2^−J + Σ_j 2^−(j+1) · mean of v_j over the 2^{j+1} wavelets that cover t
//   Edges     the mean is kept, a constant is kept; T = 1 has no level and no candidate
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "chronoveil/post/shrink/slab.h"

namespace chronoveil::post {

// One result of shrinking, in the time domain and in units of the noise.
struct HaarShrunk {
  Eigen::ArrayXd residual;  // z − â_0
  Eigen::ArrayXd variance;
  double risk = 0;
};

class HaarShrinker {
 public:
  explicit HaarShrinker(std::int64_t steps);

  // s = 1, 4, 16, ... up to 8T.
  const std::vector<double>& scales() const { return scales_; }

  // Decomposes a series; shrunk() then refers to it. With `only_risk`, variance is not computed.
  void analyse(const Eigen::ArrayXd& values);
  void shrink(double scale, bool only_risk, HaarShrunk& out);

 private:
  std::int64_t steps_;
  int levels_;
  std::vector<double> scales_;
  std::vector<Eigen::ArrayXd> details_;
  std::vector<Shrunk> shrunk_;
  Eigen::ArrayXd smooth_, work_;
};

}  // namespace chronoveil::post
