// The dictionary of priors for the cosine coefficients of a series: θ_k ~ N(0, g_k), in units of the noise variance.
// k = 0 has g = ∞: the mean is kept. For k > 0, with μ_k = 2 − 2cos(πk/T):
//   smooth    g_k = ((πκ/T)²/μ_k)^m + w     signal drowns in noise beyond frequency κ. m = 1 is exactly the local-level
//                                           model (a random walk whose steps have variance (πκ/T)² that of the noise),
//                                           m = 2 a smooth trend; w is variance of the series that no frequency
//                                           explains
//   flat      g_k = w                       w = 0 leaves the mean alone, w = ∞ the measured values as they are
//   season    smooth or flat, plus A Σ_j j^−a / (1 + ((k − 2Tj/S)/b)²) over the harmonics j = 1..min(S/2, 50) of a
//             public season of S steps: a profile that repeats and drifts (b is the width of a line)
// The grids: κ = 1/4, 1/2, 1, ... up to 8T for m = 1, 2 and w = 0, 1; flat w = 0, 0.1, 1, 10, ∞; the season's
// κ = 1/4, 1, 4, ..., m = 1, w = 0 or flat w = 0, with A = 1, 10, ..., 10⁴, a = 2, 3, b = 1/2, 2. With a slab
// (slab.h): κ = 1/4, 1, 4, ..., m = 1, w = 0, 1, and flat w = 0, 0.1, 1, 10.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace chronoveil::post {

struct Spectrum {
  double cutoff = 0;  // κ; 0: no smooth part
  int order = 1;      // m
  double white = 0;   // w, perhaps infinity
  double season = 0;  // A
  int lines = 0;      // which shape of the season's lines
};

class Spectra {
 public:
  // `season` is the number of steps after which the series roughly repeats; 0: none.
  Spectra(std::int64_t steps, std::int64_t season);

  const std::vector<Spectrum>& linear() const { return linear_; }
  const std::vector<Spectrum>& slab() const { return slab_; }

  // u_k = 1/(1 + g_k) for k = 0..T−1.
  void noise_share(const Spectrum&, Eigen::ArrayXd& out) const;

 private:
  Eigen::ArrayXd inverse_roughness_;  // (π/T)²/μ_k
  std::vector<Eigen::ArrayXd> lines_;
  std::vector<Spectrum> linear_, slab_;
};

}  // namespace chronoveil::post
