// The noisy gradient of one step: (clipped sum, on a grid + rounded Gaussian noise) / Λ. Λ is the *expected* batch
// size, a constant; an empty batch gets noise like any other.
//   Grid      g, the largest power of two <= σC / 2^30; a coordinate becomes floor(x / g + 1/2), limited to
//             +-kValueLimit, which can raise no sensitivity
//   Noise     rounded N(0, s²), s >= σC the next double, on each of d coordinates, exact [noise/sampler.h]
//   Margin    one changed window moves the sum on the grid by at most 2 bound (1 + float_margin) + g √d; bound_for(B)
//             is the largest float bound with which this is at most 2C for a realised batch of B windows; 0 if there is
//             none. B depends on the sampling alone, never on values
//   Varying   where neighbours draw batches of different sizes (Poisson), i and j changed windows beside the same
//             others must move the sum by at most (i + j) C, whatever else is drawn: one bound serves every batch, the
//             largest with bound (1 + η) (1 + 2 double_margin) + g √d <= C at the most windows there can be. The sum is
//             in double
#pragma once

#include <cstdint>

#include "chronoveil/base/draw_right.h"
#include "chronoveil/base/result.h"
#include "chronoveil/neural/clipping.h"
#include "chronoveil/noise/grid/grid.h"
#include "chronoveil/noise/sampler.h"

namespace chronoveil::neural {

struct PrivateStep {
  double clip = 1e-4;           // C
  double noise_multiplier = 1;  // σ
  std::int64_t batch_size = 0;  // Λ
};

class PrivateGradient {
 public:
  // Refused (usage): C, σ or Λ not positive, or so extreme that no grid serves. `parameters` must outlive it.
  // `most_windows`: batches vary, up to that many; 0: neighbours draw batches of the same size.
  static Result<PrivateGradient> make(const PrivateStep&, const Parameters& parameters, std::int64_t most_windows = 0);

  double bound_for(std::int64_t windows) const;
  bool varies() const { return most_windows_ > 0; }
  // In grid steps, [d] int64 on the CPU. `sum` [d] float32, or float64 where batches vary, from any device; undefined
  // stands for an empty batch, all zeros. Refused (internal) unless it has d finite coordinates, which clipping
  // ensures.
  Result<torch::Tensor> on_grid(const torch::Tensor& sum) const;
  // The same with noise, limited to +-kValueLimit. Also refused (internal) if the bits have failed or the right is used
  // up.
  Result<torch::Tensor> noisy_on_grid(const torch::Tensor& sum, DrawRight&) const;
  // The noisy mean, [d] float32 on the CPU: noisy_on_grid() times g / Λ.
  Result<torch::Tensor> operator()(const torch::Tensor& sum, DrawRight&) const;

  const noise::Grid& grid() const { return grid_; }
  const PrivateStep& step() const { return step_; }
  double noise_scale() const { return sampler_.scale(); }  // s / g

 private:
  PrivateGradient(const PrivateStep&, const Parameters&, noise::Grid, noise::Sampler);
  double grid_margin() const;                             // g √d
  double bound_within(double room, double growth) const;  // the largest float with bound · growth <= room, or 0

  PrivateStep step_;
  const Parameters* parameters_;
  std::int64_t most_windows_ = 0;
  noise::Grid grid_;
  noise::Sampler sampler_;
};

}  // namespace chronoveil::neural
